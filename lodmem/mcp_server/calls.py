"""What each tool does: arguments in, the engine's answer out as text. Knows nothing of the protocol; runs in any thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lodmem.errors import BadParameter
from lodmem.mcp_server.arguments import Arguments
from lodmem.mcp_server.reading import read_memories
from lodmem.mcp_server.tools import MAX_BUDGET, MAX_CHARS, PROMOTE_TO
from lodmem.model.memory import Kind
from lodmem.model.profile import MAX_K, MIN_BUDGET, Profile
from lodmem.model.query import Mode
from lodmem.text.secrets import told

if TYPE_CHECKING:
    from lodmem.engine import Engine
    from lodmem.model.landscape import Landscape

Given = Mapping[str, object]

CUT = "Cut here: this was too long for one answer."

_SEARCH = ("query", "mode", "exclude", "when", "since", "until", "budget", "alpha", "space", "k", "limit", "offset")


class Calls:
    """The tools over one engine. Every method takes a call's arguments and returns the text for the model.

    Raises BadParameter for arguments that cannot be used, and what the engine raises.
    """

    def __init__(self, engine: Callable[[], Engine], *, default_budget: int, read_only: bool) -> None:
        if not MIN_BUDGET <= default_budget <= MAX_BUDGET:
            raise BadParameter(f"the default budget must be from {MIN_BUDGET} to {MAX_BUDGET} tokens, got {default_budget}")
        self._engine = engine
        self._default_budget = default_budget
        self._touch = not read_only
        self.by_name: Mapping[str, Callable[[Given], str]] = {"memory_search": self.search, "memory_expand": self.expand}
        if not read_only:
            self.by_name = {**self.by_name, "memory_promote": self.promote, "memory_remember": self.remember}

    def search(self, given: Given) -> str:
        asked = Arguments(given, _SEARCH)
        look = _Look(asked)
        budget = asked.whole("budget", low=MIN_BUDGET, high=MAX_BUDGET)
        engine = self._engine()
        if budget is None:
            budget = default_budget(engine.profile, self._default_budget)
        return within(look.at(engine, budget=budget, touch=self._touch).rendering)

    def expand(self, given: Given) -> str:
        asked = Arguments(given, ("ids", "offset"))
        ids, offset = asked.ids("ids"), asked.whole("offset", low=0) or 0
        return within(read_memories(self._engine(), ids, offset=offset, touch=self._touch))

    def promote(self, given: Given) -> str:
        asked = Arguments(given, ("id", "to"))
        ids, to = asked.ids("id"), asked.choice("to", PROMOTE_TO)
        if len(ids) != 1:
            raise BadParameter("promote takes one id", hint="call it once for each memory")
        floor = self._engine().promote(ids[0], to=to)
        return (
            f"#{ids[0]} is now shown at {floor.label} or better."
            if floor
            else f"#{ids[0]} is shown as its score deserves again."
        )

    def remember(self, given: Given) -> str:
        asked = Arguments(given, ("text", "kind", "tags", "created_at", "importance"))
        text = asked.text("text")
        if text is None:
            raise BadParameter("text is missing", hint="pass what to remember")
        optional = {"kind": asked.choice("kind", [kind.value for kind in Kind]), "importance": asked.number("importance")}
        more: dict[str, Any] = {name: value for name, value in optional.items() if value is not None}
        added = self._engine().remember(text, tags=asked.words("tags"), created_at=asked.word("created_at"), **more)
        answer = f"Remembered as #{added.id}." if added.created else f"Already remembered as #{added.id}; nothing changed."
        return f"{answer} {told(added.masked)}." if added.masked else answer


class _Look:
    """One way of looking at the store, which can be repeated with another budget."""

    def __init__(self, asked: Arguments) -> None:
        self.query, self.when = asked.word("query"), asked.word("when")
        self.offset = asked.whole("offset", low=0)
        self.mode = Mode(asked.choice("mode", [mode.value for mode in Mode]) or self._likely_mode())
        since, until = asked.word("since"), asked.word("until")
        if self.when and (since or until):
            raise BadParameter("when stands for a whole range of time", hint="give either when, or since and until")
        if self.query and self.mode is not Mode.SEARCH:
            raise BadParameter(f"mode {self.mode.value} takes no query", hint="leave out the query, or the mode to search")
        if self.offset and self.mode in (Mode.SEARCH, Mode.RANDOM):
            raise BadParameter(f"mode {self.mode.value} has no pages", hint="raise the budget, or narrow the search")
        if self.when and self.mode is not Mode.WINDOW:
            since = until = self.when
        self._options: dict[str, Any] = {
            "since": since,
            "until": until,
            "exclude": asked.words("exclude"),
            "space": asked.word("space"),
            "limit": asked.whole("limit", low=1),
            "alpha": asked.number("alpha"),
            "k": asked.whole("k", low=1, high=MAX_K),
        }

    def _likely_mode(self) -> Mode:
        if self.query:
            return Mode.SEARCH
        return Mode.WINDOW if self.when else Mode.RECENT

    def at(self, engine: Engine, *, budget: int | None, touch: bool) -> Landscape:
        given = {name: value for name, value in self._options.items() if value not in (None, ())}
        options: dict[str, Any] = {**given, "budget": budget, "touch": touch}
        if self.offset:
            options["offset"] = self.offset
        match self.mode:
            case Mode.SEARCH:
                return engine.search(self.query or "", **options)
            case Mode.WINDOW:
                return engine.window(self.when, **options)
            case Mode.RECENT:
                return engine.recent(**options)
            case Mode.UNSEEN:
                return engine.unseen(**options)
            case Mode.IMPORTANT:
                return engine.important(**options)
            case Mode.RANDOM:
                return engine.random(**options)


def default_budget(profile: Profile, wanted: int) -> int | None:
    """The budget of a search that names none: the profile's own (None stands for it) if it has one that fits, else `wanted`
    as far as the profile's bounds allow."""
    if profile.budget is not None and profile.budget <= MAX_BUDGET:
        return None
    low, high = profile.bounds.get("budget", (MIN_BUDGET, MAX_BUDGET))
    return int(min(max(wanted, low), high, MAX_BUDGET))


def within(text: str) -> str:
    """The text cut after a line where it is longer than a client takes; tokens bound it already, unless it is mostly blank.

    What is ours starts in column 0 and data does not, so a cut cannot turn one into the other.
    """
    if len(text) <= MAX_CHARS:
        return text
    room = MAX_CHARS - len(CUT) - 1
    stop = text.rfind("\n", 0, room)
    return f"{text[: stop if stop > 0 else room]}\n{CUT}"
