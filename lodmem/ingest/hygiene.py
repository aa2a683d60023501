"""A draft without secrets: they are masked in its text, metadata, tags and source before anything else sees it. SPEC 5.1."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from lodmem.errors import BadParameter
from lodmem.model.memory import Draft, Source
from lodmem.text.secrets import mask, mask_json

# Tags and sources come again with every memory of an import.
_mask_name = lru_cache(maxsize=256)(mask)


def masked(draft: Draft) -> tuple[Draft, tuple[str, ...]]:
    """The draft with its secrets masked, and their kinds, one entry a secret; the same draft where there is none.

    Raises BadParameter when the metadata is nested too deeply to be looked through.
    """
    full, kinds = mask(draft.full)
    if draft.meta:
        try:
            meta, more = mask_json(dict(draft.meta))
        except RecursionError:
            raise BadParameter("meta is nested too deeply", hint="keep metadata flat") from None
        if more and isinstance(meta, dict):
            kinds, draft = kinds + more, replace(draft, meta=meta)
    if draft.tags:
        tags = [_mask_name(tag) for tag in draft.tags]
        if more := tuple(kind for tag in tags for kind in tag.kinds):
            kinds, draft = kinds + more, replace(draft, tags=tuple(sorted({tag.text for tag in tags})))
    if draft.source is not None:
        uri, session = _mask_name(draft.source.uri), _mask_name(draft.source.session)
        if more := uri.kinds + session.kinds:
            kinds, draft = kinds + more, replace(draft, source=Source(uri.text, session.text, draft.source.sequence))
    return (replace(draft, full=full) if full != draft.full else draft), kinds
