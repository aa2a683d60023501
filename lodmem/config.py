"""Settings, parsed once from what the caller gave and a mapping of variables. Opens nothing, reads no environment itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypedDict

from lodmem.errors import BadParameter
from lodmem.model.memory import DEFAULT_AGENT, DEFAULT_SPACE, MAX_TEXT_BYTES, check_space
from lodmem.model.spend import DEFAULT_DAY_TOKENS, MILLION, Caps, Price, Rate, parse_caps, parse_most, parse_prices

EMBEDDERS = ("auto", "minilm", "openai-compatible", "none")
# Where a language model comes from, and the variable that holds its maker's key. That key goes to the maker's own address only.
# litellm looks for each maker's key by itself.
LLM_KEYS: Mapping[str, str] = MappingProxyType({"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "litellm": ""})
DEFAULT_LLM_TIMEOUT_S = 120.0
# What a language model is asked only where somebody wants it.
LLM_TASKS = ("class", "importance", "conflict")
STORE_NAME = "memory.db"
MAX_LIMIT_BYTES = 1024**3

VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "store": "LODMEM_STORE",
        "agent": "LODMEM_AGENT",
        "space": "LODMEM_SPACE",
        "profile": "LODMEM_PROFILE",
        "embedder": "LODMEM_EMBEDDER",
        "zone": "LODMEM_ZONE",
        "openai_base_url": "LODMEM_OPENAI_BASE_URL",
        "openai_api_key": "LODMEM_OPENAI_API_KEY",
        "openai_model": "LODMEM_OPENAI_MODEL",
        "openai_c0": "LODMEM_OPENAI_C0",
        "openai_c1": "LODMEM_OPENAI_C1",
        "max_text_bytes": "LODMEM_MAX_TEXT_BYTES",
        "principles": "LODMEM_PRINCIPLES",
        "llm": "LODMEM_LLM",
        "llm_url": "LODMEM_LLM_URL",
        "llm_api_key": "LODMEM_LLM_API_KEY",
        "llm_summary": "LODMEM_LLM_SUMMARY",
        "llm_headline": "LODMEM_LLM_HEADLINE",
        "llm_cap": "LODMEM_LLM_CAP",
        "llm_cap_cost": "LODMEM_LLM_CAP_COST",
        "llm_prices": "LODMEM_LLM_PRICES",
        "llm_rpm": "LODMEM_LLM_RPM",
        "llm_tpm": "LODMEM_LLM_TPM",
        "llm_timeout": "LODMEM_LLM_TIMEOUT",
        "llm_stream": "LODMEM_LLM_STREAM",
        "llm_tasks": "LODMEM_LLM_TASKS",
    }
)


class LanguageSettings(TypedDict, total=False):
    """The settings of a language model beside its name, as text, for callers that pass them on."""

    llm_url: str | None
    llm_api_key: str | None
    llm_summary: str | None
    llm_headline: str | None
    llm_cap: str | None
    llm_cap_cost: str | None
    llm_prices: str | None
    llm_rpm: int | None
    llm_tpm: int | None
    llm_timeout: float | None
    llm_stream: bool | None
    llm_tasks: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an engine is made from. `profile` None: the one its agent points to. `zone`: an IANA name.

    `llm`: 'none', 'openai:MODEL', 'anthropic:MODEL' or 'litellm:PROVIDER/MODEL'; `llm_summary` and
    `llm_headline`: other models of the same server.
    `llm_tasks`: what they are asked beyond summary and headline, of LLM_TASKS.
    `principles`: a file of the person served; None: principles.md beside the store, if it is there.
    `llm_cap` in tokens and `llm_cap_cost` in millionths of money, by period; `llm_rpm` requests and `llm_tpm` tokens a minute;
    `llm_timeout` in seconds; `llm_stream`: whether answers are asked for in pieces.

    Raises BadParameter for a value that cannot be used.
    """

    store: Path
    agent: str = DEFAULT_AGENT
    space: str = DEFAULT_SPACE
    profile: str | None = None
    embedder: str = "auto"
    zone: str = "UTC"
    openai_base_url: str | None = None
    openai_api_key: str | None = field(default=None, repr=False)
    openai_model: str | None = None
    openai_c0: float | None = None
    openai_c1: float | None = None
    max_text_bytes: int = MAX_TEXT_BYTES
    principles: Path | None = None
    llm: str = "none"
    llm_url: str | None = field(default=None, repr=False)  # may hold a password
    llm_api_key: str | None = field(default=None, repr=False)
    llm_summary: str | None = None
    llm_headline: str | None = None
    llm_cap: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({"day": DEFAULT_DAY_TOKENS}))
    llm_cap_cost: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    llm_prices: Mapping[str, Price] = field(default_factory=lambda: MappingProxyType({}))
    llm_rpm: int | None = None
    llm_tpm: int | None = None
    llm_timeout: float = DEFAULT_LLM_TIMEOUT_S
    llm_stream: bool = True
    llm_tasks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_space(self.space)
        if not self.agent.strip() or len(self.agent) > 255 or not self.agent.isprintable():
            raise BadParameter(f"{self.agent!r} is not an agent's name", hint="use a short printable name such as researcher")
        if self.embedder not in EMBEDDERS:
            raise BadParameter(f"{self.embedder!r} is not an embedder", hint="one of " + ", ".join(EMBEDDERS))
        if not 1 <= self.max_text_bytes <= MAX_LIMIT_BYTES:
            raise BadParameter(f"the text limit must be 1 to {MAX_LIMIT_BYTES} bytes, got {self.max_text_bytes}")
        _check_zone(self.zone)
        if not 0 < self.llm_timeout <= 3600:
            raise BadParameter(f"a language model's time-out must be 1 to 3600 seconds, got {self.llm_timeout:g}")
        self._check_llm()

    @property
    def llm_models(self) -> dict[str, str]:
        """Names of the language models by task, '' for any other; empty: none."""
        if self.llm == "none":
            return {}
        name = self.llm.partition(":")[2]
        return {"": name, "summary": self.llm_summary or name, "headline": self.llm_headline or name}

    @property
    def llm_caps(self) -> Caps:
        """What language models may cost, and how fast they may be asked."""
        rate = Rate(self.llm_rpm, self.llm_tpm)
        return Caps(tokens=self.llm_cap, cost=self.llm_cap_cost, prices=self.llm_prices, rate=rate)

    def _check_llm(self) -> None:
        maker, _, model = self.llm.partition(":")
        if self.llm != "none" and (maker not in LLM_KEYS or not model.strip() or not model.isprintable()):
            raise BadParameter(
                f"{self.llm!r} is not a language model", hint="none, openai:MODEL, anthropic:MODEL or litellm:PROVIDER/MODEL"
            )
        caps = self.llm_caps  # refuses unknown periods
        unpriced = sorted({name for name in self.llm_models.values() if name not in caps.prices})
        if caps.cost and unpriced:
            raise BadParameter(
                f"a cap on money needs the price of {', '.join(unpriced)}",
                hint=f"{VARIABLES['llm_prices']}={unpriced[0]}=IN/OUT, for a million tokens",
            )


def read_settings(variables: Mapping[str, str], **given: object) -> Settings:
    """Settings from explicit values, then `variables` (see VARIABLES), then defaults. None and '' count as not given.

    Raises BadParameter for a value that cannot be used, or a name that is no setting.
    """
    if unknown := set(given) - set(VARIABLES):
        raise BadParameter(f"unknown settings: {', '.join(sorted(unknown))}", hint="one of " + ", ".join(VARIABLES))
    values = {
        name: (variables.get(variable) or None) if given.get(name) in (None, "") else given[name]
        for name, variable in VARIABLES.items()
    }
    text = {name: str(value) for name, value in values.items() if value is not None}
    store = Path(text["store"]).expanduser() if "store" in text else default_store()
    return Settings(
        store=store,
        agent=text.get("agent", DEFAULT_AGENT),
        space=text.get("space", DEFAULT_SPACE),
        profile=text.get("profile"),
        embedder=text.get("embedder", "auto"),
        zone=text.get("zone") or machine_zone(),
        openai_base_url=text.get("openai_base_url"),
        openai_api_key=text.get("openai_api_key"),
        openai_model=text.get("openai_model"),
        openai_c0=_number("openai_c0", text.get("openai_c0"), "a cosine such as 0.3"),
        openai_c1=_number("openai_c1", text.get("openai_c1"), "a cosine such as 0.3"),
        max_text_bytes=_bytes(text.get("max_text_bytes")),
        principles=Path(text["principles"]).expanduser() if "principles" in text else None,
        **_language(text, variables),
    )


class _Language(TypedDict):
    llm: str
    llm_url: str | None
    llm_api_key: str | None
    llm_summary: str | None
    llm_headline: str | None
    llm_cap: Mapping[str, int]
    llm_cap_cost: Mapping[str, int]
    llm_prices: Mapping[str, Price]
    llm_rpm: int | None
    llm_tpm: int | None
    llm_timeout: float
    llm_stream: bool
    llm_tasks: tuple[str, ...]


def _language(text: Mapping[str, str], variables: Mapping[str, str]) -> _Language:
    llm, url = text.get("llm", "none").strip(), text.get("llm_url")
    own = None if url else variables.get(LLM_KEYS.get(llm.partition(":")[0], ""))
    timeout = _number("llm_timeout", text.get("llm_timeout"), "seconds")
    return _Language(
        llm=llm,
        llm_url=url,
        llm_api_key=text.get("llm_api_key") or own or None,
        llm_summary=text.get("llm_summary"),
        llm_headline=text.get("llm_headline"),
        llm_cap=parse_caps(text["llm_cap"]) if "llm_cap" in text else {"day": DEFAULT_DAY_TOKENS},
        llm_cap_cost=parse_caps(text.get("llm_cap_cost", ""), scale=MILLION),
        llm_prices=parse_prices(text.get("llm_prices", "")),
        llm_rpm=parse_most(text.get("llm_rpm", "none")),
        llm_tpm=parse_most(text.get("llm_tpm", "none")),
        llm_timeout=DEFAULT_LLM_TIMEOUT_S if timeout is None else timeout,
        llm_stream=_switch("llm_stream", text.get("llm_stream", "on")),
        llm_tasks=_tasks(text.get("llm_tasks", "")),
    )


def _tasks(text: str) -> tuple[str, ...]:
    """Names between commas, each once."""
    named = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if unknown := [name for name in named if name not in LLM_TASKS]:
        raise BadParameter(f"{', '.join(unknown)}: no task of a language model", hint="of " + ", ".join(LLM_TASKS))
    return named


def default_store() -> Path:
    """Where a store lives when nobody says: the platform's data directory for this user."""
    from platformdirs import user_data_path

    return user_data_path("lodmem", appauthor=False) / STORE_NAME


def machine_zone() -> str:
    """IANA name of this machine's time zone; UTC where the machine cannot tell."""
    from tzlocal import get_localzone_name

    try:
        name = get_localzone_name() or "UTC"
        _check_zone(name)
    except (BadParameter, LookupError, ValueError, OSError):
        return "UTC"
    return name


def _check_zone(name: str) -> None:
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        raise BadParameter(f"{name!r} is not a time zone", hint="use an IANA name such as Europe/Berlin") from None


def _number(name: str, text: str | None, such_as: str) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        raise BadParameter(f"{text!r} is not a number", hint=f"set {VARIABLES[name]} to {such_as}") from None


def _switch(name: str, text: str) -> bool:
    known = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}
    if text.strip().lower() not in known:
        raise BadParameter(f"{text!r} is neither on nor off", hint=f"set {VARIABLES[name]} to on or off")
    return known[text.strip().lower()]


def _bytes(text: str | None) -> int:
    if text is None:
        return MAX_TEXT_BYTES
    try:
        return int(text.replace("_", ""))
    except ValueError:
        raise BadParameter(
            f"{text!r} is not a number of bytes", hint=f"set {VARIABLES['max_text_bytes']} to a whole number"
        ) from None
