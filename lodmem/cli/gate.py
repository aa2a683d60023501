"""`gate`: what the gate decided and how alike the pairs were; or what it says of two texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from lodmem.cli.app import App, pass_app
from lodmem.cli.group import Verb
from lodmem.cli.safe import safe_line
from lodmem.errors import BadParameter
from lodmem.model.gate import What

if TYPE_CHECKING:
    from lodmem.care.judging import Compared, GateReport
    from lodmem.engine import Engine
    from lodmem.model.gate import GateCount

STEP = 5  # percent a line of the histogram
CELLS = 40
_ID = re.compile(r"#?\d{1,18}")
_NAMES = {What.EXPERIENCE: "experiences", What.PATTERN: "patterns"}


@click.command("gate", cls=Verb)
@click.argument("pair", metavar="[A B]", nargs=-1)
@pass_app
def gate(app: App, pair: tuple[str, ...]) -> None:
    """How alike new memories were to those that were there, what was decided, and which thresholds never fired.

    With A and B: what the gate says of two texts, or of the memories with these ids.

    \b
    lodmem gate
    lodmem gate 482 17
    lodmem gate "lunch is at 12:00" "lunch is at 13:00"
    """
    if len(pair) not in (0, 2):
        raise BadParameter("one text alone", hint="give two texts or ids, or none at all")
    if pair:
        _compare(app, *pair)
        return
    with app.engine() as engine:
        report = engine.gate_report()
    if app.as_json:
        app.print_json(_json(report))
    else:
        _page(app, report)


def _compare(app: App, one: str, other: str) -> None:
    if all(_ID.fullmatch(each) is None for each in (one, other)):
        with app.scratch() as engine:
            found = engine.gate_compare(one, other)
    else:
        with app.engine() as engine:
            found = engine.gate_compare(_text(engine, one), _text(engine, other))
    if app.as_json:
        app.print_json(asdict(found))
        return
    app.print(f"similarity  {found.similarity:.3f}")
    app.print(f"differs in  {', '.join(found.differs) or 'nothing exact'}")
    app.print(f"patterns    {found.verdict.value}{_why(found)}")
    app.print(f"experience  kept{', linked as a near copy' if found.near_copy else ''}")


def _text(engine: Engine, given: str) -> str:
    if _ID.fullmatch(given) is None:
        return given
    return engine.expand(int(given.lstrip("#")), touch=False)[0].full


def _why(found: Compared) -> str:
    if found.verdict.value == "add" and found.differs:
        return f": they differ in {' and '.join(found.differs)}"
    return ""


def _page(app: App, report: GateReport) -> None:
    from lodmem.cli import output

    if not report.counts:
        app.print("nothing was judged yet" + (f", {report.waiting:,} memories wait" if report.waiting else ""))
        return
    screen = output.console(app)
    for what in report.highest:
        counts = [each for each in report.counts if each.what is what]
        facts = {
            _NAMES[
                what
            ]: f"{sum(each.count for each in counts):,} judged, the highest similarity was {report.highest[what]:.3f}",
            "verdicts": _told(counts, lambda each: each.verdict.value),
        }
        blocked = [each for each in counts if each.blocked]
        if blocked:
            facts["kept apart by"] = _told(blocked, lambda each: each.blocked)
        for threshold in report.thresholds:
            if threshold.what is what:
                facts[f"{threshold.name} from {threshold.at:.2f}"] = _fired(threshold.fired, threshold.blocked)
        output.show_facts(screen, facts)
        app.print("")
        for line in _histogram(counts):
            app.print(line)
        app.print("")
    if report.waiting:
        app.note(f"{report.waiting:,} memories are still to be judged")


def _fired(fired: int, blocked: int) -> str:
    apart = f", {blocked:,} more differ in something exact" if blocked else ""
    return (f"{fired:,} times" if fired else "never fired") + apart


def _told(counts: Iterable[GateCount], name: Callable[[GateCount], str]) -> str:
    counter: Counter[str] = Counter()
    for each in counts:
        counter[name(each)] += each.count
    return ", ".join(
        f"{safe_line(key)} {count:,}" for key, count in sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    )


def _histogram(counts: Sequence[GateCount]) -> list[str]:
    bins: Counter[int] = Counter()
    for each in counts:
        bins[min(each.percent, 99) // STEP * STEP] += each.count
    most = max(bins.values())
    lines = []
    for start in range(min(bins), 100, STEP):
        length = -(-bins[start] * CELLS // most)
        lines.append(f"{start / 100:.2f}-{(start + STEP) / 100:.2f}  {'#' * length:<{CELLS}} {bins[start]:>9,}".rstrip())
    return lines


def _json(report: GateReport) -> dict[str, Any]:
    return {
        "decisions": [asdict(each) for each in report.counts],
        "thresholds": [asdict(each) | {"never_fired": not each.fired} for each in report.thresholds],
        "highest": {what.value: value for what, value in report.highest.items()},
        "waiting": report.waiting,
    }
