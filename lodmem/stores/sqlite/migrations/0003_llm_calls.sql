-- Calls of language models. The worst case is written before a call, and after it what was really used: outcome is 'open' until
-- then. run: the process that called. cost: in millionths of the currency of the prices.
CREATE TABLE llm_call (
    id         INTEGER PRIMARY KEY,
    at_us      INTEGER NOT NULL,
    run        TEXT NOT NULL,
    model      TEXT NOT NULL,
    task       TEXT NOT NULL,
    tokens_in  INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    cost       INTEGER NOT NULL,
    outcome    TEXT NOT NULL
) STRICT;

CREATE INDEX llm_call_at    ON llm_call (at_us, tokens_in, tokens_out, cost);
CREATE INDEX llm_call_run   ON llm_call (run, at_us, tokens_in, tokens_out, cost);
CREATE INDEX llm_call_model ON llm_call (model, id);
