"""Take the README's picture: one real command in a real terminal (a pty), as an SVG without outside fonts.

    python scripts/picture.py docs/images/landscape.svg -- lodmem search "..." --limit 9

The demo's store is looked at unless LODMEM_STORE names another. Looks only where the command does: pass --no-touch.
"""

from __future__ import annotations

import fcntl
import os
import pty
import shlex
import struct
import sys
import termios
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
COLUMNS, ROWS = 100, 60

# Readable on its own dark ground, whatever the page around it: all pairs have a contrast of at least 4.5.
NORMAL = "6e7681 ff7b72 56d364 e3b341 79c0ff d2a8ff 56d4dd c9d1d9"
BRIGHT = "8b949e ffa198 7ee787 f2cc60 a5d6ff e2c5ff b3f0ff f0f6fc"


def colours(codes: str) -> list[tuple[int, int, int]]:
    return [(int(code[:2], 16), int(code[2:4], 16), int(code[4:], 16)) for code in codes.split()]


THEME = TerminalTheme((13, 17, 23), (201, 209, 217), colours(NORMAL), colours(BRIGHT))

FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" class="rich-terminal" viewBox="0 0 {width} {height}">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px; white-space: pre;
}}
.{unique_id}-title {{ font-family: ui-sans-serif, system-ui, "DejaVu Sans", sans-serif; font-size: 18px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> int:
    target, separator, *command = sys.argv[1:]
    if separator != "--" or not command:
        print(__doc__, file=sys.stderr)
        return 2
    os.environ.setdefault("LODMEM_STORE", str(ROOT / ".demo" / "memory.db"))
    shown = " ".join(f'"{part}"' if " " in part else shlex.quote(part) for part in command)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(Text.assemble(("$ ", "bold cyan"), (shown, "bold")))
        console.print(Text.from_ansi(terminal(command)), end="")
        title = "lodmem, on its own history"
        svg = console.export_svg(title=title, theme=THEME, code_format=FRAME, unique_id="landscape")
    (ROOT / target).write_text(svg, encoding="utf-8")
    return 0


def terminal(command: list[str]) -> str:
    """What the command writes to a terminal of COLUMNS columns."""
    child, master = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", COLUMNS=str(COLUMNS))
        folder = Path(sys.executable).parent
        os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        os.execvp(command[0], command)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    written = b""
    try:
        while chunk := os.read(master, 65536):
            written += chunk
    except OSError:
        pass  # the terminal closes when the command ends
    _, status = os.waitpid(child, 0)
    if status:
        raise SystemExit(written.decode(errors="replace"))
    return written.decode().replace("\r\n", "\n")


if __name__ == "__main__":
    sys.exit(main())
