"""Secrets that show by the name they are given: `DB_PASSWORD=...`, `"api_key": "..."`, `Authorization: Bearer ...`.

The text is searched for the few stems that such names end in; what follows a stem is matched from there, within bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lodmem.text.secrets import plausible

STEMS = ("pass", "pwd", "secret", "token", "key", "credential", "bearer", "authorization", "identified by")
LOOK_BACK = 48

# What makes a key secret; "key" alone is too often a dictionary's.
_SECRET_KEY = (
    *("api", "app", "access", "secret", "private", "sign", "signing", "encrypt", "encryption", "auth", "account"),
    *("master", "storage", "licence", "license", "service", "client", "shared", "deploy", "webhook", "subscription"),
    *("admin", "bot", "server", "session", "jwt", "hmac", "root", "write", "read", "maps", "project"),
)
_HARMLESS_TOKEN = (
    *("page", "next", "prev", "previous", "sync", "continuation", "pad", "eos", "bos", "unk", "sep", "cls", "mask", "max"),
    *("cancellation", "stop"),
)
_NAME = re.compile(r"[\w.-]{1,48}")

_SUFFIX = r"(?:[_-]?(?:value|prod(?:uction)?|dev|test|staging|live|main|old|new|primary|secondary|default|base|v?\d{1,2}))?"
_TYPE = r"""[ \t]{0,2}:[ \t]{0,2}(?:&?(?:'\w{1,9} )?)(?:str|string|String|SecretStr|Optional\[str\]|str \| None)[ \t]{0,2}="""
_SIGN = rf"(?:{_TYPE}|[ \t]{{0,4}}(?:=>|:=|={{1,3}}|:|->)|[ \t]{{1,9}}\|(?=[ \t])|>(?=[^<\n]{{1,256}}</))(?:\*\*)?[ \t]{{0,4}}"
_QUOTED = r"""[bfruBFRU@$]{0,2}(?P<q>\\?["'`])(?P<quoted>(?:(?!(?P=q))(?:\\.|[^\n\\])){1,4096}+)(?P=q)"""
_BARE = r"""["'`]?(?P<bare>[^\s"'`]{1,256}+)"""
_VALUE = f"(?:{_QUOTED}|{_BARE})"
_ASSIGNED = re.compile(rf"""{_SUFFIX}(?:\\?["'`]|\*\*)?[\])]?{_SIGN}{_VALUE}""")
_FLAG = re.compile(rf"[ \t]{{1,3}}{_VALUE}")
_TOLD = re.compile(
    r"""(?:[ ](?!is\b|was\b)[A-Za-z'-]{1,14}){0,4}+[ ](?:is|was)(?: now| still)?:?[ ]["'`]?(?P<told>[^\s"'`]{6,200}+)"""
    r"""|(?:[ ][A-Za-z'-]{1,14}){0,3}?[ ]to:?[ ]["'`]?(?P<to>[^\s"'`]{6,200}+)"""
)
_PASS = re.compile(r"word|wd|phrase|code|(?![a-z])")
_ENDING = {"pass": _PASS, "credential": re.compile(r"s?"), "identified by": re.compile(r"")}
_OF_NAMES = ("pass", "pwd", "secret", "token", "key", "credential")
_NAME_END = {
    stem: re.compile((f"(?:{_ENDING[stem].pattern})" if stem in _ENDING else "") + _SUFFIX, re.IGNORECASE) for stem in _OF_NAMES
}
_BEARER = re.compile(r"[ \t]{1,3}(?P<bare>[A-Za-z0-9._~+/=-]{12,}+)")
_HEADER = re.compile(
    r"""(?:\\?["'`])?[ \t]{0,3}[:=][ \t]{0,3}(?:\\?["'`])?(?:basic|bearer|token|bot|digest|apikey)[ \t]{1,3}"""
    r"""(?P<bare>[^\s"'`,\\\[]{8,}+)""",
    re.IGNORECASE,
)
_QUERY = re.compile(r"[?&][\w.\[\]-]*\Z")
_CUT = re.compile(r"\[secret: |\\[nrt]|</|[;,](?=[\w ]{1,24}[=:])")
_CUT_TOLD = re.compile(r"\\[nrt]|\[secret: ")
_CUT_QUERY = re.compile(r"[&#]|\[secret: ")
_REST = re.compile(r"""[^\s"'`]*+""")
_NESTING = re.compile(r"[(\[{&,;?]")
# What ends a value is not told from what follows it; a "!" is rather the end of a password than of a sentence.
_PLAIN_END = ".,;:?)]}>|*\\"
_SENTENCE_END = ".,;:?)]}>*\\"

Found = tuple[int, int, str]


def find(text: str, lowered: str) -> Iterator[Found]:
    """(start, stop, kind) of values that their names make secrets. `lowered` is the text in lower case, of the same length."""
    for stem in STEMS:
        at = lowered.find(stem)
        while at >= 0:
            found = _at(text, lowered, stem, at)
            if found is not None and found[2]:
                yield found
            at = lowered.find(stem, at + len(stem) if found is None else found[1])


def _at(text: str, lowered: str, stem: str, at: int) -> Found | None:
    """The secret that the stem at this place names. Without a kind: there is none up to `stop`, nor another name."""
    after = at + len(stem)
    if stem in ("bearer", "authorization"):
        return _header(text, stem, after)
    ending = _ENDING.get(stem)
    if ending is not None:
        more = ending.match(lowered, after)
        if more is None:
            return None
        after = more.end()
    before = lowered[max(0, at - LOOK_BACK) : at]
    kind = kind_of(before, stem)
    if kind is None:
        return None
    if match := _ASSIGNED.match(text, after):
        return _assigned(text, match, kind, at)
    if (match := _FLAG.match(text, after)) and _is_flag(before, stem):
        return _assigned(text, match, kind, at)
    return _told(text, kind, after)


def _header(text: str, stem: str, after: int) -> Found | None:
    match = (_BEARER if stem == "bearer" else _HEADER).match(text, after)
    if match is None or plausible.stands_in(match["bare"]) or plausible.wordy(match["bare"]):
        return None
    if stem == "bearer" and not plausible.key(match["bare"], quoted=True):
        return None
    return (*match.span("bare"), "authorization header")


def _told(text: str, kind: str, after: int) -> Found | None:
    """A value that a sentence names: "the password is ...", "changed the password to ..."."""
    match = _TOLD.match(text, after)
    if match is None:
        return None
    group = "told" if match["told"] else "to"
    value = _ended(match[group], _CUT_TOLD).rstrip(_SENTENCE_END)
    return (match.start(group), match.start(group) + len(value), kind) if plausible.told(value) else None


def kind_of(before: str, stem: str) -> str | None:
    """What a name that ends in the stem holds, None where it is no secret. `before`: what stands in front, in lower case."""
    if stem == "key":
        if not _joined(before).endswith(_SECRET_KEY):
            return None
        name = _name_at_end(before) or before
        if "aws" in name or "secretaccess" in name or "secret_access" in name:
            return "aws secret key"
        return "api key"
    if stem == "token":
        if _joined(before).endswith(_HARMLESS_TOKEN):
            return None
        return "twilio token" if "twilio" in before else "token"
    if stem == "pass" and before.endswith(("com", "tres", "sur")):
        return None
    return {"secret": "secret", "credential": "credential"}.get(stem, "password")


def _name_at_end(before: str) -> str:
    """The word that a text ends in, '' where it ends in none."""
    # Read backwards it is matched where it begins; forwards it would be tried from each place.
    match = _NAME.match(before[::-1])
    return match[0][::-1] if match else ""


def _joined(before: str) -> str:
    """What stands before a stem, without the one sign that joins them."""
    return before[:-1] if before[-1:] in (" ", "_", ".", "-") else before


def of_name(name: str) -> str | None:
    """The kind of secret that a field of this name holds, None where it holds none."""
    lowered = name[-LOOK_BACK:].lower()
    for stem in _OF_NAMES:
        at = lowered.rfind(stem)
        if at >= 0:
            rest = lowered[at + len(stem) :]
            if _NAME_END[stem].fullmatch(rest):
                return kind_of(lowered[:at], stem)
    return None


def _is_flag(before: str, stem: str) -> bool:
    """Whether the name is an option (--password VALUE), a netrc's or an SQL clause, after which a value needs no sign."""
    if stem == "identified by":
        return True
    name = _name_at_end(before)
    return name.startswith("--") or (stem == "pass" and "login " in before and " " in before[-1:])


def _assigned(text: str, match: re.Match[str], kind: str, at: int) -> Found | None:
    quoted = match["quoted"] is not None
    start, stop = match.span("quoted" if quoted else "bare")
    if not quoted and text.startswith("[secret: ", start):
        return None
    value = text[start:stop]
    if quoted:
        return (start, stop, kind) if "[secret: " not in value and worth(value, kind, quoted=True) else None
    cut = _CUT_QUERY if _QUERY.search(text, max(0, at - LOOK_BACK), at) else _CUT
    value = _ended(value, cut)
    if value.endswith(("(", "[")) or not worth(value.rstrip(_PLAIN_END), kind, quoted=False):
        return None if _NESTING.search(value) else (start, start + len(value), "")
    if start + len(value) == stop:  # a long one goes on
        value = _ended(value + _REST.match(text, stop)[0], cut)  # type: ignore[index]  # it matches the empty text too
    return start, start + len(value.rstrip(_PLAIN_END)), kind


def _ended(value: str, cut: re.Pattern[str]) -> str:
    """The value up to where something else begins."""
    match = cut.search(value)
    return value[: match.start()] if match else value


def worth(value: str, kind: str, *, quoted: bool) -> bool:
    """Whether the value of a name of this kind is a secret."""
    if kind in ("password", "credential"):
        return plausible.password(value, quoted=quoted)
    return plausible.key(value, quoted=quoted)
