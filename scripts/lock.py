"""Resolve requirements/run.txt and dev.txt anew: every supported Python and platform in one file, with the hashes of all files.

No index address is written: whoever installs uses the index that their own pip is set up for. The resolver comes into a
throw-away environment and is no dependency of the project.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The larger one first: the other one takes its versions.
LOCKS: dict[str, list[str]] = {"dev": ["--group", "dev", "--extra", "eval"], "run": ["--constraint", "requirements/dev.txt"]}
OPTIONS = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--quiet", "--no-config"]
OPTIONS += ["--override", "requirements/override.txt"]
QUIET_ABOUT_WHERE = ["--no-emit-index-url", "--no-emit-find-links"]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
        subprocess.run([python, "-m", "pip", "install", "--quiet", "uv"], check=True)
        for name, extra in LOCKS.items():
            print(f"resolving requirements/{name}.txt", flush=True)
            sources = ["pyproject.toml", "requirements/build.in"]
            command = [python, "-m", "uv", "pip", "compile", *sources, *extra, *OPTIONS, *QUIET_ABOUT_WHERE]
            subprocess.run([*command, "-o", f"requirements/{name}.txt", *sys.argv[1:]], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
