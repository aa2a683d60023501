"""Build the memory plane's page from web/ into the package; --check sees that what is committed is what web/ gives.

Needs Node 20.19 or newer, and npm. Nobody needs it to install or use lodmem: the built page is in the repository and the wheel.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
WEB = ROOT / "web"
STATIC = ROOT / "lodmem" / "http_api" / "static"
MOST_BYTES = 900_000


def run(*command: str, out: Path | None = None) -> None:
    environment = os.environ | ({} if out is None else {"LODMEM_WEB_OUT": str(out)})
    if subprocess.run(command, cwd=WEB, env=environment, check=False).returncode:
        sys.exit(f"failed: {' '.join(command)}")


def install() -> None:
    """Exactly what the lock file names, unless it is there already."""
    lock, mark = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    if not mark.is_file() or mark.stat().st_mtime < lock.stat().st_mtime:
        run("npm", "ci")


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def differences(kept: dict[str, bytes], fresh: dict[str, bytes]) -> list[str]:
    return sorted(name for name in kept.keys() | fresh.keys() if kept.get(name) != fresh.get(name))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; run svelte-check and the tests too")
    check = parser.parse_args().check
    install()
    if not check:
        run("npm", "run", "build")
    else:
        run("npm", "run", "check")
        run("npm", "test")
        with tempfile.TemporaryDirectory() as folder:
            run("npm", "run", "build", out=Path(folder))
            if wrong := differences(files(STATIC), files(Path(folder))):
                sys.exit(f"lodmem/http_api/static is not what web/ gives: {', '.join(wrong)}\nrun: make web")
    size = sum(len(content) for content in files(STATIC).values())
    print(f"the page: {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"more than {MOST_BYTES:,}")


if __name__ == "__main__":
    main()
