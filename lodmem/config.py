"""Settings, parsed once from what the caller gave and a mapping of variables. Opens nothing, reads no environment itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from lodmem.errors import BadParameter
from lodmem.model.memory import DEFAULT_AGENT, DEFAULT_SPACE, MAX_TEXT_BYTES, check_space

EMBEDDERS = ("auto", "minilm", "openai-compatible", "none")
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
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an engine is made from. `profile` None: the one its agent points to. `zone`: an IANA name.

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

    def __post_init__(self) -> None:
        check_space(self.space)
        if not self.agent.strip() or len(self.agent) > 255 or not self.agent.isprintable():
            raise BadParameter(f"{self.agent!r} is not an agent's name", hint="use a short printable name such as researcher")
        if self.embedder not in EMBEDDERS:
            raise BadParameter(f"{self.embedder!r} is not an embedder", hint="one of " + ", ".join(EMBEDDERS))
        if not 1 <= self.max_text_bytes <= MAX_LIMIT_BYTES:
            raise BadParameter(f"the text limit must be 1 to {MAX_LIMIT_BYTES} bytes, got {self.max_text_bytes}")
        _check_zone(self.zone)


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
        openai_c0=_number("openai_c0", text.get("openai_c0")),
        openai_c1=_number("openai_c1", text.get("openai_c1")),
        max_text_bytes=_bytes(text.get("max_text_bytes")),
    )


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


def _number(name: str, text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        raise BadParameter(f"{text!r} is not a number", hint=f"set {VARIABLES[name]} to a cosine such as 0.3") from None


def _bytes(text: str | None) -> int:
    if text is None:
        return MAX_TEXT_BYTES
    try:
        return int(text.replace("_", ""))
    except ValueError:
        raise BadParameter(
            f"{text!r} is not a number of bytes", hint=f"set {VARIABLES['max_text_bytes']} to a whole number"
        ) from None
