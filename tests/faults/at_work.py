"""A process that works off a store's queue with a language model, until it is done or killed. python at_work.py STORE URL"""

import sys

import lodmem

if __name__ == "__main__":
    with lodmem.open(sys.argv[1], embedder="none", background=False, llm="openai:tiny", llm_url=sys.argv[2]) as engine:
        print(dict(engine.work().done))
