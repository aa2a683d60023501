"""Finding secrets and masking them. Each becomes `[secret: KIND]`, which holds nothing of it and is never masked again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from lodmem.text.secrets import assigned, plausible
from lodmem.text.secrets.patterns import INSIDE, KINDS, SHORTEST, SPACED, STARTING, Pattern

# Masking one secret can uncover another beside it; more rounds than this no text needs that was not made for it.
ROUNDS = 8


# Names of fields come again with every memory; one that is longer is not remembered.
_NAME = 64
# A short text is looked through once for what begins any form, a long one faster for each of them.
_SHORT = 256
_OPENINGS = re.compile("|".join(sorted({re.escape(literal) for form in (*STARTING, *INSIDE) for literal in form.literals})))

_PLACED = re.compile(rf"\[secret: (?:{'|'.join(sorted(KINDS, key=len, reverse=True))})\]")


class Secret(NamedTuple):
    """Characters [start, stop) of a text are a secret of this kind."""

    start: int
    stop: int
    kind: str


class Masked(NamedTuple):
    """A text without its secrets, and the kinds that were masked, one entry a secret."""

    text: str
    kinds: tuple[str, ...]


def placeholder(kind: str) -> str:
    """What stands where a secret was."""
    return f"[secret: {kind}]"


def told(kinds: Iterable[str]) -> str:
    """For a person: "1 secret masked (github token)", "3 secrets masked (jwt, password)"."""
    each = tuple(kinds)
    return f"{len(each):,} secret{'' if len(each) == 1 else 's'} masked ({', '.join(sorted(set(each)))})"


def find(text: str) -> list[Secret]:
    """The secrets of a text in order; those that overlap are one, of the kind that begins first and is longest."""
    lowered = text.lower()
    spaced = "://" in text or "-----BEGIN " in text
    worded = len(text) >= SHORTEST and max(map(len, text.split()), default=0) >= SHORTEST
    worded = worded and (len(text) > _SHORT or _OPENINGS.search(text) is not None)
    # Nearly every text ends here, so nothing is set up before it.
    if not (spaced or worded or _named(lowered)):
        return []
    found = [
        *(_starting_of(text, SPACED) if spaced else ()),
        *(_starting_of(text, STARTING) if worded else ()),
        *(_inside(text) if worded else ()),
        *(_by_name(text, lowered) if _named(lowered) else ()),
    ]
    if not found:
        return []
    found.sort(key=lambda secret: (secret.start, -secret.stop))
    apart = [found[0]]
    for secret in found[1:]:
        last = apart[-1]
        if secret.start < last.stop:
            # A token's own form tells more than the name it was given.
            apart[-1] = Secret(last.start, max(last.stop, secret.stop), min(last.kind, secret.kind, key=_vague))
        else:
            apart.append(secret)
    return apart


def mask(text: str) -> Masked:
    """The text with every secret masked; the same text, unchanged, where there is none."""
    secrets = find(text)
    if not secrets:
        return Masked(text, ())
    kinds: list[str] = []
    for _ in range(ROUNDS):
        kinds += (secret.kind for secret in secrets)
        text = _replaced(text, secrets)
        secrets = find(text)
        if not secrets:
            break
    return Masked(text, tuple(kinds))


def mask_json(value: object) -> tuple[object, tuple[str, ...]]:
    """A JSON value with the secrets of its texts and keys masked; what a name such as `password` stands before is one."""
    kinds: list[str] = []
    masked = _walk(value, None, kinds)
    return (masked, tuple(kinds)) if kinds else (value, ())


def _walk(value: object, kind: str | None, kinds: list[str]) -> object:
    """`kind`: what the name in front of the value says that it holds."""
    if isinstance(value, str):
        clean = mask(value)
        alone = bool(clean.kinds) and clean.text == placeholder(clean.kinds[0])
        if kind is not None and not alone and assigned.worth(value, kind, quoted=True):
            clean = Masked(placeholder(kind), (kind,))
        kinds += clean.kinds
        return clean.text
    if isinstance(value, dict):
        out: dict[object, object] = {}
        for name, inner in value.items():
            known: object = name
            if isinstance(name, str):
                (known, masked), kind = (_name if len(name) <= _NAME else _name.__wrapped__)(name)
                kinds += masked
            else:
                kind = None
            while known in out:
                known = f"{known} again"
            out[known] = _walk(inner, kind, kinds) if isinstance(inner, (str, dict, list, tuple)) else inner
        return out
    if isinstance(value, (list, tuple)):
        return [_walk(inner, kind, kinds) for inner in value]
    return value


@lru_cache(maxsize=1 << 10)
def _name(name: str) -> tuple[Masked, str | None]:
    """The name of a field without secrets, and the kind of secret that the field holds."""
    return mask(name), assigned.of_name(name)


def _vague(kind: str) -> bool:
    return kind in ("password", "credential", "secret", "token", "api key", "authorization header", "url password")


def _replaced(text: str, secrets: list[Secret]) -> str:
    parts = [text[: secrets[0].start], placeholder(secrets[0].kind)]
    for one, other in pairwise(secrets):
        parts += (text[one.stop : other.start], placeholder(other.kind))
    return "".join((*parts, text[secrets[-1].stop :]))


def _named(lowered: str) -> bool:
    """Whether any of the stems of `assigned` is there."""
    return any(map(lowered.__contains__, assigned.STEMS))


def _starting_of(text: str, patterns: Iterable[Pattern]) -> Iterator[Secret]:
    for pattern in patterns:
        for literal in pattern.literals:
            if literal in text:
                yield from _starting(text, pattern, literal)


def _inside(text: str) -> Iterator[Secret]:
    for pattern in INSIDE:
        if any(literal in text for literal in pattern.literals):
            groups = pattern.form.groupindex
            for match in pattern.form.finditer(text):
                if not plausible.stands_in(match["c" if "c" in groups else 0]):
                    yield Secret(*match.span("s" if "s" in groups else 0), pattern.kind)


def _starting(text: str, pattern: Pattern, literal: str) -> Iterator[Secret]:
    match_at, named = pattern.form.match, bool(pattern.form.groupindex)
    at = text.find(literal)
    while at >= 0:
        match = match_at(text, at)
        if match is None:
            at = text.find(literal, at + 1)
            continue
        if named:
            if plausible.in_url(match["s"]):
                yield Secret(*match.span("s"), pattern.kind)
        elif not (pattern.checked and plausible.stands_in(match[0][len(literal) :])):
            yield Secret(*match.span(), pattern.kind)
        at = text.find(literal, match.end())


def _by_name(text: str, lowered: str) -> Iterator[Secret]:
    if len(lowered) != len(text):  # a letter whose small form is two
        lowered = "".join(char.lower() if char.isascii() else char for char in text)
    if "[secret: " in lowered:  # a placeholder's own words name nothing
        lowered = _PLACED.sub(lambda mark: " " * len(mark[0]), lowered)
    for start, stop, kind in assigned.find(text, lowered):
        yield Secret(start, stop, kind)
