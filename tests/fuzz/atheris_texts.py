"""Fuzzing led by coverage, for `make soak`: atheris changes its input until new lines of lodmem run. No part of `make test`.

    python tests/fuzz/atheris_texts.py --seconds 20              every target in turn, each in a process of its own
    python tests/fuzz/atheris_texts.py dates [libFuzzer options]    one target, for instance with a file that made it fail

Each target must end in an answer or in an error of lodmem.errors.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import atheris

with atheris.instrument_imports(include=["lodmem"]):
    import lodmem
    import lodmem.wiring  # lodmem.open would load the rest of it later
    from lodmem.errors import BadDate, InputError
    from lodmem.ingest.importers.jsonl import JsonlImporter
    from lodmem.ingest.importers.markdown import MarkdownImporter
    from lodmem.ingest.pipeline import prepare
    from lodmem.model.memory import Draft
    from lodmem.models.tokenizer import WordPieceCounter
    from lodmem.text.dates import parse_point, parse_range
    from lodmem.text.tokens import index_terms

from samples import fill

NOW_US = 1_748_865_600_000_000
MOST = 2000  # characters of a text
COUNTER = WordPieceCounter()


def text_of(data: bytes) -> str:
    return str(atheris.FuzzedDataProvider(data).ConsumeUnicode(MOST))


def tokens(data: bytes) -> None:
    for term in index_terms(text_of(data)):
        assert term.split() == [term]


def levels(data: bytes) -> None:
    text = text_of(data)
    try:
        prepared = prepare(Draft(full=text, space="main", agent="a"), COUNTER, now_us=NOW_US)
    except InputError:
        return
    assert prepared.draft.full == text
    assert prepared.passages[0].start >= 0
    assert prepared.passages[-1].stop <= len(text)
    assert prepared.levels.headline.strip()


def dates(data: bytes) -> None:
    text = atheris.FuzzedDataProvider(data).ConsumeUnicode(60)
    for read in (parse_point, parse_range):
        try:
            read(text, now_us=NOW_US, zone="Europe/Berlin")
        except BadDate:
            continue


def files(data: bytes) -> None:
    for importer, name in ((JsonlImporter(), "a.jsonl"), (MarkdownImporter(), "a.md")):
        path = FOLDER / name
        path.write_bytes(data)
        for found in importer.read(path):
            if isinstance(found, Draft):
                try:
                    prepare(lodmem.Draft(full=found.full, space="main", agent="a"), COUNTER, now_us=NOW_US)
                except InputError:
                    continue


def search(data: bytes) -> None:
    given = atheris.FuzzedDataProvider(data)
    try:
        answer = ENGINE.search(
            given.ConsumeUnicode(80), exclude=[given.ConsumeUnicode(20)], budget=given.ConsumeIntInRange(0, 3000), touch=False
        )
    except InputError:
        return
    str(answer).encode()


TARGETS: dict[str, Callable[[bytes], None]] = {
    "tokens": tokens, "levels": levels, "dates": dates, "files": files, "search": search,
}  # fmt: skip


def every_target(seconds: int) -> int:
    failed = 0
    for name in TARGETS:
        options = [f"-max_total_time={seconds}", "-max_len=4000", "-verbosity=0", "-print_final_stats=1"]
        command = [sys.executable, __file__, name, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        runs = [line.split()[-1] for line in done.stderr.splitlines() if "number_of_executed_units" in line]
        print(
            f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}, {runs[0] if runs else 'no'} inputs in {seconds} s",
            flush=True,
        )
        if done.returncode:
            failed += 1
            print(done.stdout[-4000:], done.stderr[-4000:], flush=True)
    return failed


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in TARGETS:
        name = sys.argv.pop(1)
        with tempfile.TemporaryDirectory() as folder:
            FOLDER = Path(folder)
            ENGINE = lodmem.open(FOLDER / "store.lod", embedder="none", background=False)
            fill(ENGINE)
            atheris.Setup(sys.argv, TARGETS[name])
            atheris.Fuzz()
    parser = argparse.ArgumentParser(description="Fuzz every target in turn.")
    parser.add_argument("--seconds", type=int, default=20, help="for each target")
    sys.exit(every_target(parser.parse_args().seconds))
