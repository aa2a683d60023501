"""LOD Memory: everything an agent experiences is kept, and comes back at the level of detail it deserves.

    import lodmem

    with lodmem.open("memory.db") as memory:
        memory.remember("Brian prefers tea, no sugar.")
        print(memory.search("what does Brian drink?"))

Importing this loads no model and no command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from lodmem._version import __version__
from lodmem.errors import LodmemError
from lodmem.model.landscape import BudgetAccount, Explanation, Landscape, Stats, View
from lodmem.model.memory import Added, Draft, Kind, Memory, Priority, Source, Status, Tier
from lodmem.model.profile import PRESETS, Profile

if TYPE_CHECKING:
    from os import PathLike

    from lodmem.config import LanguageSettings
    from lodmem.engine import Engine
    from lodmem.ports import Clock, Embedder

__all__ = [
    "PRESETS",
    "Added",
    "BudgetAccount",
    "Draft",
    "Explanation",
    "Kind",
    "Landscape",
    "LodmemError",
    "Memory",
    "Priority",
    "Profile",
    "Source",
    "Stats",
    "Status",
    "Tier",
    "View",
    "__version__",
    "open",
]


def open(  # noqa: A001  # the product's own verb, always called as lodmem.open
    path: str | PathLike[str] | None = None,
    *,
    agent: str = "default",
    space: str = "main",
    profile: str | None = None,
    embedder: str | Embedder = "auto",
    zone: str = "UTC",
    clock: Clock | None = None,
    create: bool = True,
    read_only: bool = False,
    background: bool = True,
    max_text_bytes: int | None = None,
    principles: str | PathLike[str] | None = None,
    openai_base_url: str | None = None,
    openai_api_key: str | None = None,
    openai_model: str | None = None,
    openai_c0: float | None = None,
    openai_c1: float | None = None,
    llm: str = "none",
    **language: Unpack[LanguageSettings],
) -> Engine:
    """An engine on the store at `path`, made if it is not there (None: this user's default store).

    embedder: "auto" or "minilm" (local, shipped), "openai-compatible" (with base URL and model), "none" (by words alone), or
    any object with the Embedder protocol. openai_c0, openai_c1: what `lodmem calibrate` found for a server's model. zone: IANA
    name in which natural dates are read. background: embed in a thread, and use the language model there in idle time.
    principles: a file of what the person served holds to; else principles.md beside the store. llm: "none", "openai:MODEL" or
    "anthropic:MODEL"; more about it is in docs/guides/language-models.md, with the variables' names in small letters (llm_url,
    llm_api_key, llm_cap).

    Raises:
        BadParameter: a setting cannot be used.
        StoreError: the store cannot be opened; ModelMismatch when it was made with another embedding model.
    """
    from lodmem.config import read_settings
    from lodmem.wiring import open_engine

    settings = read_settings(
        {},
        store=path,
        agent=agent,
        space=space,
        profile=profile,
        embedder=embedder if isinstance(embedder, str) else None,
        zone=zone,
        max_text_bytes=max_text_bytes,
        principles=principles,
        openai_base_url=openai_base_url,
        openai_api_key=openai_api_key,
        openai_model=openai_model,
        openai_c0=openai_c0,
        openai_c1=openai_c1,
        llm=llm,
        **language,
    )
    return open_engine(
        settings,
        create=create,
        read_only=read_only,
        clock=clock,
        embedder=None if isinstance(embedder, str) else embedder,
        background=background,
    )
