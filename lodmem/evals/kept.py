"""Results of questions kept in a folder as they come, so that a run that was stopped goes on where it was.

One line of JSON a question. It refuses to know what a result says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lodmem.errors import StorePathError

QUESTIONS, SETTINGS = "questions.jsonl", "settings.json"
Line = dict[str, Any]


class Kept:
    """Results in `folder` under `settings`. Results that were kept under other settings are not taken: they are replaced.

    A question stands once; results of questions that are not asked this time stay. Raises StorePathError when the folder
    cannot be written.
    """

    def __init__(self, folder: Path, settings: Mapping[str, object]) -> None:
        self._path = folder / QUESTIONS
        self._lines: dict[str, Line] = {}
        wanted = json.dumps(settings, indent=2, sort_keys=True) + "\n"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            told = folder / SETTINGS
            if told.is_file() and told.read_text(encoding="utf-8") == wanted:
                self._lines = _read(self._path)
            # Written anew: the last line of a run that was killed may be torn.
            self._path.write_text("".join(map(_dumped, self._lines.values())), encoding="utf-8")
            told.write_text(wanted, encoding="utf-8")
        except OSError as error:
            raise _unwritable(folder, error) from error

    def get(self, question: str) -> Line | None:
        """The result of a question, None when there is none yet."""
        return self._lines.get(question)

    def add(self, question: str, line: Line) -> None:
        """Keep a result; it is on its way to the disk when this returns."""
        self._lines[question] = line
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_dumped(line))
        except OSError as error:
            raise _unwritable(self._path.parent, error) from error


def _dumped(line: Line) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


def _read(path: Path) -> dict[str, Line]:
    found: dict[str, Line] = {}
    if not path.is_file():
        return found
    for raw in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            line = json.loads(raw)
            found[line["question"]] = line
        except (ValueError, TypeError, KeyError):
            continue
    return found


def _unwritable(folder: Path, error: OSError) -> StorePathError:
    return StorePathError(f"results cannot be kept in {folder}: {error.strerror or error}", hint="name another with --out")
