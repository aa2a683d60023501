"""Make .venv and install lodmem into it from the lock file. Needs nothing but Python >= 3.11; refuses to know what runs later.

    python3 scripts/setup.py          what running lodmem needs
    python3 scripts/setup.py --dev    and what `make test` needs

Every file is checked against the hashes in requirements/. A second run with an unchanged lock does nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LEAST = (3, 11)
NEWEST = (3, 14)


def main() -> int:
    parser = argparse.ArgumentParser(description="Make .venv and install lodmem into it from the lock file.")
    parser.add_argument("--dev", action="store_true", help="also install what the tests and checks need")
    dev = parser.parse_args().dev
    if sys.version_info < LEAST:
        return rerun_with_newer_python()
    lock = ROOT / "requirements" / ("dev.txt" if dev else "run.txt")
    python = venv_python()
    if python.exists() and is_current(lock):
        return 0
    began = time.monotonic()
    if not works(python):
        make_venv()
    install(python, lock)
    say("installing lodmem")
    # An editable install: what is in this checkout is what runs. Its build needs are in the lock, so nothing more is fetched.
    pip(python, "install", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    for stale in VENV.glob("installed-*"):
        stale.unlink()
    stamp(lock).write_text(fingerprint(lock), encoding="utf-8")
    say(f"ready in {time.monotonic() - began:.0f} s: {python.relative_to(ROOT)}", end="\n")
    return 0


def rerun_with_newer_python() -> int:
    """Hand over to a newer interpreter on PATH; explain when there is none."""
    for minor in range(NEWEST[1], LEAST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            return subprocess.call([found, *sys.argv])
    have = ".".join(str(part) for part in sys.version_info[:3])
    print(f"lodmem needs Python 3.11 or newer; {sys.executable} is {have}", file=sys.stderr)
    print("install one, then: make demo PYTHON=/path/to/python3.11", file=sys.stderr)
    return 1


def venv_python() -> Path:
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def works(python: Path) -> bool:
    """Whether the environment was made here and its interpreter still starts: its base may have gone, the folder have moved."""
    made_at = VENV / "made-at"
    if not python.exists() or not made_at.exists() or made_at.read_text(encoding="utf-8") != str(VENV):
        return False
    return subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def make_venv() -> None:
    say("making .venv")
    shutil.rmtree(VENV, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        shutil.rmtree(VENV, ignore_errors=True)
        fail(
            "python -m venv did not work", made.stdout + made.stderr, hint="on Debian and Ubuntu: apt-get install python3-venv"
        )
    (VENV / "made-at").write_text(str(VENV), encoding="utf-8")


def install(python: Path, lock: Path) -> None:
    """Install the lock with a line that shows how far it is."""
    say(f"fetching what {lock.relative_to(ROOT)} names")
    total = len(re.findall(r"^[a-z0-9][^ ]*==", lock.read_text(encoding="utf-8"), re.MULTILINE))
    # No resolver and no source builds: the lock is complete, and building would need compilers.
    command = ["install", "--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(lock)]
    pip(python, *command, total=total)


def pip(python: Path, *arguments: str, total: int = 0) -> None:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
    lines: list[str] = []
    collected = 0
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if total and line.startswith(("Collecting ", "Requirement already satisfied: ")):
            collected += 1
            name = line.split()[1 if line.startswith("C") else 3].split("==")[0]
            say(f"fetching {min(collected, total)}/{total}  {name}", passing=True)
        elif total and line.startswith("Installing collected packages"):
            say("unpacking")
    if process.wait() != 0:
        fail("pip could not install", "".join(lines[-30:]), hint="is the package index reachable? run it again, it goes on")


def stamp(lock: Path) -> Path:
    return VENV / f"installed-{lock.stem}"


def is_current(lock: Path) -> bool:
    """Whether .venv holds exactly this lock. What the tests need includes what running needs."""
    wider = ROOT / "requirements" / "dev.txt"
    return any(s.exists() and s.read_text(encoding="utf-8") == fingerprint(of) for of in {lock, wider} if (s := stamp(of)))


def fingerprint(lock: Path) -> str:
    # The folder belongs to it: an environment that was moved or copied points to the old place.
    parts = (str(VENV), lock.read_text(encoding="utf-8"), (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def say(text: str, *, end: str = "", passing: bool = False) -> None:
    """One line that overwrites itself on a terminal; elsewhere a plain line, unless it is only passing."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        print(f"\r{text[:width].ljust(width)}", end=end, flush=True)
    elif not passing:
        print(text, flush=True)


def fail(what: str, output: str, *, hint: str) -> None:
    print(f"\n{output.rstrip()}\n\n{what}\n{hint}", file=sys.stderr)
    raise SystemExit(1)


if __name__ == "__main__":
    raise SystemExit(main())
