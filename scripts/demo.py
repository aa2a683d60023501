"""Show lodmem on this repository's own history and documents, in the terminal, with its own command line.

    make demo            or: python3 scripts/setup.py && .venv/bin/python scripts/demo.py

The store stays in .demo/ afterwards. Running it again adds only what is new. Knows the command line, nothing behind it.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import textwrap
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / ".demo" / "memory.db"
WIDTH = 100
BUDGETS = (8000, 4000, 2000, 1000)
QUESTION = "what happens if the embedding server is down?"
DOCUMENTS = ("README.md", "docs/ARCHITECTURE.md", "docs/guides", "docs/decisions")  # not the generated pages
EXCLUDED = "OpenAI"


def main() -> int:
    STORE.parent.mkdir(exist_ok=True)
    heading("1. A memory of this repository")
    if is_git():
        tell("The git importer makes one memory a commit, with its own date; the markdown importer one a section.")
        run("ingest", ".", "--importer", "git", "--tag", "history")
    else:
        tell("This folder is no git repository, so there is no history to read: only the documents come in.")
    *first, last = DOCUMENTS
    for path in first:
        run("ingest", path, "--tag", "documents", "--no-wait")
    run("ingest", last, "--tag", "documents")

    heading("2. A search is a camera")
    tell(
        "One question looks at the whole store. What deserves it comes back in full, other memories as a summary or a "
        "headline drawn towards the question; the rest is the horizon, counted and not shown."
    )
    run("search", QUESTION, "--limit", "14", "--scores")

    heading("3. A time window")
    if (span := last_week()) is not None:
        tell("No question, only a time: the week up to the latest commit. What nobody has looked at yet is a headline.")
        run("window", "--since", span[0], "--until", span[1], "--limit", "12")
    else:
        tell("No question, only a time: what came in today. What nobody has looked at yet is a headline.")
        run("window", "today", "--limit", "12")

    heading("4. An exclusion")
    tell(f"The same question, without anything about {EXCLUDED!r}: the word itself, or near it in meaning.")
    run("search", QUESTION, "--exclude", EXCLUDED, "--limit", "8")

    heading("5. A budget, squeezed")
    tell(
        "The same landscape has to fit into fewer and fewer tokens. Detail goes where it is worth most; the edge is one number."
    )
    squeeze()
    tell("At 1,000 tokens, this is exactly what a language model is given:")
    run("search", QUESTION, "--budget", "1000", "--render")

    heading("6. Expand")
    tell("Nothing is lost by being shown small. Any id opens in full, and what is opened stands higher next time.")
    run("expand", f"#{something_small()}")

    heading("7. Why is it there?")
    best = ask("search", QUESTION, "--limit", "1", "--no-touch")["views"][0]["id"]
    run("explain", f"#{best}", QUESTION)

    heading("8. See it from above")
    tell("Every memory has its place on a map of meanings, which stays. In the terminal, from the same question:")
    run("look", QUESTION)

    heading("9. Open the memory plane, connect an agent, go on")
    where_to_go()
    return 0


# -- the product's command line ---------------------------------------------------------------------------------------


def environment() -> dict[str, str]:
    """This process's variables without settings of lodmem's that belong to the user's own store."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("LODMEM_")}
    return {**mine, "LODMEM_STORE": str(STORE), "PYTHONUTF8": "1"}


def run(*arguments: str) -> None:
    """One command, shown as it is typed, with its own output below."""
    print(f"{paint('$', '36;1')} {paint('lodmem ' + ' '.join(quote(a) for a in arguments), '1')}", flush=True)
    done = subprocess.run([sys.executable, "-m", "lodmem", *arguments], cwd=ROOT, env=environment(), check=False)
    if done.returncode != 0:
        raise SystemExit(done.returncode)
    print(flush=True)


def ask(*arguments: str) -> dict[str, Any]:
    """The JSON answer of one command."""
    command = [sys.executable, "-m", "lodmem", *arguments, "--json"]
    done = subprocess.run(command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.returncode)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def quote(argument: str) -> str:
    if argument.startswith("#") and argument[1:].isdigit():
        return argument[1:]
    return f'"{argument}"' if " " in argument else shlex.quote(argument)


# -- the steps that are more than one command -------------------------------------------------------------------------


def squeeze() -> None:
    """One bar a budget: how many memories stand at which tier, and what it cost."""
    print(f"{paint('$', '36;1')} {paint(f'lodmem search {quote(QUESTION)} --budget N --no-touch --json', '1')}\n")
    rows = []
    for budget in BUDGETS:
        answer = ask("search", QUESTION, "--budget", str(budget), "--no-touch")
        rows.append((budget, answer["counts"], answer["budget"]))
    most = max(sum(counts[tier] for tier in ("full", "summary", "headline")) for _, counts, _ in rows)
    room = 40
    for budget, counts, account in rows:
        bar, length = "", 0
        for tier, glyph, colour in (("full", "█", "32;1"), ("summary", "▓", "33"), ("headline", "░", "34")):
            count = counts[tier]
            share = max(1, round(room * count / most)) if count else 0
            bar, length = bar + paint(glyph * share, colour), length + share
        numbers = f"{counts['full']:>3} full {counts['summary']:>3} summary {counts['headline']:>3} headline"
        print(f"{budget:>6,} {bar}{' ' * max(0, room + 2 - length)} {numbers}  {account['used']:>5,} used")
    print()


def something_small() -> int:
    """Id of the best memory that the squeezed search shows only as a headline or summary."""
    views = ask("search", QUESTION, "--budget", "1000", "--no-touch")["views"]
    small = [view for view in views if view["tier"] in ("headline", "summary")]
    return int((small or views)[0]["id"])


def is_git() -> bool:
    """Whether this checkout is itself a repository (and not merely a folder inside another one) with a commit."""
    top = git("rev-parse", "--show-toplevel")
    return top is not None and Path(top).resolve() == ROOT and git("rev-parse", "HEAD") is not None


def last_week() -> tuple[str, str] | None:
    """The seven days up to and with the latest commit's, as dates; None without history."""
    latest = git("log", "-1", "--format=%cI") if is_git() else None
    if latest is None:
        return None
    end = datetime.fromisoformat(latest).date() + timedelta(days=1)
    return (end - timedelta(days=7)).isoformat(), end.isoformat()


def git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def where_to_go() -> None:
    windows = os.name == "nt"
    folder = Path(sys.executable).parent
    lodmem = folder / ("lodmem.exe" if windows else "lodmem")
    activate = f"{folder / 'activate'}" if windows else f". {shlex.quote(str(folder / 'activate'))}"
    keep = f"set LODMEM_STORE={STORE}" if windows else f"export LODMEM_STORE={shlex.quote(str(STORE))}"
    command = shlex.quote(str(lodmem))
    tell("The same map in the browser, in three dimensions: ask, move the lens, click a memory, scrub the time:")
    code(f"{command} --store {shlex.quote(str(STORE))} serve")
    tell("An agent reaches the same store over MCP:")
    code(f"claude mcp add lodmem -- {command} mcp --store {shlex.quote(str(STORE))}")
    code(f"codex mcp add lodmem -- {command} mcp --store {shlex.quote(str(STORE))}")
    tell("Without --store it gets a store of its own in your data directory. OpenClaw, Gemini CLI, Cursor: docs/guides/mcp.md")
    tell("To go on playing with this one:")
    code(activate)
    code(keep)
    code('lodmem search "what may the pure core not import?"')
    code("lodmem random --seed 7 --limit 5")
    code("lodmem --help")


# -- the terminal -----------------------------------------------------------------------------------------------------


def paint(text: str, code: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text


def heading(text: str) -> None:
    print(f"{paint(f'── {text} ' + '─' * (WIDTH - len(text) - 4), '35;1')}\n", flush=True)


def tell(text: str) -> None:
    print(textwrap.fill(text, WIDTH), end="\n\n", flush=True)


def code(text: str) -> None:
    print(f"    {paint(text, '36')}\n", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
