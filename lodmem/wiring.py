"""The only place where settings become an engine: it picks the back end, the models, the clock."""

from __future__ import annotations

import os
import secrets
import socket
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from lodmem.care.derived import Derived, Stage
from lodmem.config import Settings
from lodmem.engine import Engine, Parts
from lodmem.errors import ModelUnavailable
from lodmem.ingest.distill.principles import FILE_NAME, read_principles
from lodmem.ingest.embed import mismatch
from lodmem.model.audit import AuditEntry
from lodmem.models.guarded import Bounds, GuardedModel
from lodmem.models.registry import make_chat, make_embedder
from lodmem.models.tokenizer import WordPieceCounter
from lodmem.ports import Clock, Embedder, EmbedderIdentity, Language, Progress, Store
from lodmem.scan import keeping, sidefile
from lodmem.stores.sqlite.restore import Restored, restore
from lodmem.stores.sqlite.store import SqliteStore

NO_EMBEDDER = "no embedding model is configured"


class SystemClock:
    """The machine's clock, never running backwards."""

    def __init__(self) -> None:
        self._latest = 0

    def now_us(self) -> int:
        self._latest = max(self._latest, time.time_ns() // 1000)
        return self._latest


def open_engine(
    settings: Settings,
    *,
    create: bool = True,
    read_only: bool = False,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    background: bool = True,
    reindexing: bool = False,
) -> Engine:
    """An engine on the store of the settings. `embedder` overrides the configured one.

    `reindexing` lets a store made with another embedding model through, for `Engine.reindex` to repair.

    Raises:
        StoreError: the store cannot be opened; ModelMismatch is one of them.
        ModelUnavailable: the configured embedding model is not installed or not what it should be.
    """
    time_source = clock or SystemClock()
    model = embedder or embedder_of(settings)
    store = SqliteStore.open(Path(settings.store), create=create, read_only=read_only, now_us=time_source.now_us())
    try:
        if not reindexing:
            _agree(store, _identity(model), time_source, settings, read_only=read_only)
        name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        language = language_of(settings, store, time_source, run=name)
        return Engine(
            Parts(
                store=store,
                counter=WordPieceCounter(),
                embedder=model,
                clock=time_source,
                entropy=lambda: secrets.randbits(63),
                words_only="" if model is not None else NO_EMBEDDER,
                agent=settings.agent,
                space=settings.space,
                profile=settings.profile,
                zone=settings.zone,
                max_text_bytes=settings.max_text_bytes,
                side_file=keeping.beside(store.path),
                beside=(_side_file(keeping.beside(store.path)),),
                background=background,
                read_only=read_only,
                on_close=_closing(model if embedder is None else None, language),
                name=name,
                language=language,
                llm_tasks=settings.llm_tasks,
                principles=partial(
                    read_principles, settings.principles or store.path.with_name(FILE_NAME), asked_for=bool(settings.principles)
                ),
            )
        )
    except BaseException:
        store.close()
        raise


def _side_file(path: Path) -> Derived:
    """The columns' file as something that `doctor` looks after. It is made again by whoever searches next."""

    def repair(report: Stage | None) -> list[str]:
        if not sidefile.check(path):
            return []
        sidefile.clear(path)
        return [f"{path.name}: removed; the next search makes it anew"]

    return Derived(name="columns", check=lambda: sidefile.check(path), repair=repair, severe=False)


def restore_store(
    settings: Settings, backup: Path, *, keep: bool = True, clock: Clock | None = None, progress: Progress | None = None
) -> Restored:
    """Put a backup in the place of the settings' store, which stays beside it under a dated name unless `keep` is False.

    What was forgotten since stays forgotten, and no id is given again. The store must not be open anywhere.

    Raises:
        StoreBusy: somebody has the store open.
        UnknownPath, BadParameter, StoreError: the backup cannot be used, or the place cannot be written. Nothing was changed.
    """
    now = (clock or SystemClock()).now_us()
    entry = AuditEntry(
        at_us=now, space=settings.space, agent=settings.agent, verb="restore", detail={"from": backup.name, "kept": keep}
    )
    return restore(Path(settings.store), backup, now_us=now, audit=entry, keep=keep, progress=progress)


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that the settings name, nothing loaded or asked yet; None: by words alone. Raises BadParameter."""
    return make_embedder(settings.embedder, settings)


def language_of(settings: Settings, store: Store, clock: Clock, *, run: str) -> Language | None:
    """The language models that the settings name, nothing asked yet, within what may be spent; None: none.

    Raises BadParameter for an address or key that cannot be used.
    """
    if not settings.llm_models:
        return None
    bounds = Bounds(
        store=store,
        clock=clock,
        caps=settings.llm_caps,
        zone=ZoneInfo(settings.zone),
        run=run,
        sleep=time.sleep,
        chance=lambda: secrets.randbits(32) / 2**32,
    )
    maker = settings.llm.partition(":")[0]
    if maker == "litellm":
        from lodmem.models import chat_litellm

        for variable, value in chat_litellm.QUIET.items():
            os.environ.setdefault(variable, value)
    made = {
        name: GuardedModel(
            make_chat(
                maker,
                name,
                base_url=settings.llm_url,
                api_key=settings.llm_api_key,
                timeout_s=settings.llm_timeout,
                stream=settings.llm_stream,
            ),
            bounds,
        )
        for name in set(settings.llm_models.values())
    }
    models = {task: made[name] for task, name in settings.llm_models.items()}
    return Language(models=models, caps=settings.llm_caps, run=run, waiting=bounds.waits.first)


def _closing(*opened: object) -> Callable[[], None]:
    """Lets go of models that hold something open."""
    held = [model for part in opened for model in (part.models.values() if isinstance(part, Language) else (part,))]

    def close() -> None:
        for model in held:
            let_go = getattr(model, "close", None)
            if let_go is not None:
                let_go()

    return close


def _identity(model: Embedder | None) -> EmbedderIdentity | None:
    """None where there is no model, or where it cannot be asked just now: writing must not wait for it."""
    if model is None:
        return None
    try:
        return model.identity
    except ModelUnavailable:
        return None


def _agree(store: Store, identity: EmbedderIdentity | None, clock: Clock, settings: Settings, *, read_only: bool) -> None:
    """A new store takes the model; an old one must have been made with it."""
    if identity is None or store.active_model() == identity.key:
        return
    if store.active_model() == "" and store.stats().memories == 0 and not read_only:
        entry = AuditEntry(
            at_us=clock.now_us(), space=settings.space, agent=settings.agent, verb="model", detail={"model": identity.key}
        )
        store.activate_model(identity, audit=entry)
        return
    raise mismatch(store.active_model(), identity.key)
