"""Whether a value can be a secret, or only stands in for one: placeholders, names of variables, code, plain words."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

# In lower case. Substrings first: one search for all of these forms, whatever their case, takes five times as long.
_STAND_INS = (
    *("example", "placeholder", "dummy", "redacted", "xxxx", "***", "...", "\u2026", "<", ">", "${", "{{", "%(", "%s", "$("),
    *("insert", "replace", "sample", "mock", "todo", "lorem", "foobar"),
)
_STAND_IN_WORDS = ("change", "your", "fake", "real", "here")
_STAND_IN = re.compile(r"change.?me|change.?it|your[_-]|your(?:api|access|secret|token|pass|key)|fake[_-]|not.?a.?real|here\b")
_SEQUENCES = ("12345678", "abcdefgh", "01234567", "987654", "qwertyui", "deadbeef", "cafebabe")
_VARIABLE = re.compile(r"\$\{?\w+\}?|%\w+%|\{\w*\}|[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+|@\w+", re.ASCII)
_CODE = re.compile(r"[A-Za-z_]\w*[(\[]|[{}]|^[(\[|&*\\.,;:=<>!-]|^/[A-Za-z_.-]*(?:/|$)|^https?:|^[A-Za-z]:\\|^~/", re.ASCII)
_MOMENT = re.compile(r"\d{1,4}[-/.:]\d{1,2}(?:[-/.:T]\d{1,4}.*)?|v?\d+(?:\.\d+)+[\w.+-]*|[\d.,]+[a-zA-Z%]{0,8}")
_SHELL = re.compile(r"\$\{?\w+\}?|%\w*%?", re.ASCII)
_SEGMENT = re.compile(r"[-_./:@]")
_WORD = re.compile(r"(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,}+)++\d{0,4}|[A-Za-z]|\d{1,4}|[vV]\d{1,3}", re.ASCII)
_NAMED = re.compile(r"passw|pwd|secret|token|key|auth|credential|env|input|hash|user", re.IGNORECASE)
_KNOWN = frozenset(
    (
        *(
            "sha1",
            "sha224",
            "sha256",
            "sha384",
            "sha512",
            "md5",
            "argon2",
            "argon2id",
            "pbkdf2",
            "base64",
            "base32",
            "oauth2",
            "utf8",
        ),
        *("aes128", "aes256", "rs256", "hs256", "es256", "http2", "ed25519", "x25519", "rsa2048", "rsa4096", "pkcs8", "pkcs12"),
    )
)
# What is kept instead of a password.
_HASHED = re.compile(
    r"(?:pbkdf2|scrypt|bcrypt|argon2|sha\d|md5)\w*[:$]|\$(?:2[abxy]?|[156y]|argon2\w*|pbkdf2[\w-]*|scrypt)\$", re.ASCII
)
# What documentation puts where a password stands.
_DOCUMENTED = frozenset(
    (
        "password",
        "passwd",
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "user",
        "username",
        "key",
        "apikey",
        "api_key",
        "xxx",
        "pass123",
    )
)
_DIGIT, _LOWER, _UPPER = re.compile("[0-9]"), re.compile("[a-z]"), re.compile("[A-Z]")
_DIGIT_OR_SYMBOL = re.compile(r"[0-9!@#$%^&*+=~?|]")
_SYMBOL = re.compile(r"[!@#$%^&*+=~?|]")
MAX_CHECKED = 200  # a longer value holds any short word by chance


def stands_in(value: str) -> bool:
    """Whether the value says itself that it is none: YOUR_API_KEY, xxxx, <token>, ${TOKEN}, an example or a row of digits."""
    if len(value) > MAX_CHECKED:
        return len(set(value)) < 8
    return len(set(value)) < 5 or _says_so(value) or _is_sequence(value)


def _says_so(value: str) -> bool:
    low = value.lower()
    if any(map(low.__contains__, _STAND_INS)):
        return True
    return any(map(low.__contains__, _STAND_IN_WORDS)) and bool(_STAND_IN.search(low))


def _is_sequence(value: str) -> bool:
    return any(map(value.lower().__contains__, _SEQUENCES))


def entropy(value: str) -> float:
    """Shannon's entropy of the characters, bits a character."""
    # Of equal counts the logarithm is taken once: log2(total) - sum(n log2 n) / total.
    total = len(value)
    return math.log2(total) - sum(n * math.log2(n) * times for n, times in Counter(Counter(value).values()).items()) / total


def wordy(value: str) -> bool:
    """Whether the value is made of words and small numbers: prod-db-password-v2, UserPassword1, 2024_backup."""
    return all(_WORD.fullmatch(part) for part in _SEGMENT.split(value) if part)


def password(value: str, *, quoted: bool) -> bool:
    """Whether a value named a password is one. Plain words are not: they describe one more often than they are one."""
    if len(value) < 5:
        return False
    if not _DIGIT_OR_SYMBOL.search(value):
        return _random_letters(value)
    if _unusable(value, quoted=quoted) or value.lower() in _KNOWN:
        return False
    if value.isdecimal():
        return len(value) >= 6
    if not any(map(str.isalpha, value)) or _MOMENT.fullmatch(value):
        return False
    return not (wordy(value) and _NAMED.search(value))


def key(value: str, *, quoted: bool) -> bool:
    """Whether a value named a key, a token or a secret is one: long, mixed, and no words."""
    if len(value) < 10:
        return False
    if not _DIGIT.search(value):
        return _random_letters(value)
    if _unusable(value, quoted=quoted) or _is_sequence(value):
        return False
    if value.isdecimal():
        return len(value) >= 16
    return not (wordy(value) or _MOMENT.fullmatch(value)) and entropy(value) >= 2.6


def told(value: str) -> bool:
    """Whether a value that a sentence names ("the password is ...") is a secret: only what no word or number looks like."""
    if len(value) < 8 or not _DIGIT.search(value) or _unusable(value, quoted=False) or _MOMENT.fullmatch(value):
        return False
    kinds = sum(bool(form.search(value)) for form in (_DIGIT, _LOWER, _UPPER, _SYMBOL))
    if kinds >= 3:
        return not (wordy(value) and _SEGMENT.search(value))
    return len(value) >= 16 and kinds >= 2 and not wordy(value)


def in_url(value: str) -> bool:
    """Whether what stands between ':' and '@' of an address is a password, not what documentation puts there."""
    return not (value.lower() in _DOCUMENTED or "{" in value or _SHELL.fullmatch(value) or _stands_in_short(value))


def _stands_in_short(value: str) -> bool:
    """As `stands_in`, for passwords, which may be short."""
    return _says_so(value) or (len(set(value)) < 3 and not value.isdecimal())


def _unusable(value: str, *, quoted: bool) -> bool:
    """Whether the value is code, a variable's name, a sentence or a stand-in. In quotes it cannot be code."""
    short = value[:MAX_CHECKED]
    if any(map(str.isspace, short)) or _says_so(short) or (len(set(short)) < 4 and not short.isdecimal()):
        return True
    if _HASHED.match(short):
        return True
    if _VARIABLE.fullmatch(short) and _mixtures(short) < 3:
        return True
    return "{" in short if quoted else bool(_CODE.search(short))


def _mixtures(value: str) -> int:
    """How often a digit is followed by a letter; in names hardly ever."""
    return sum(a.isdecimal() and b.isalpha() for a, b in pairwise(value))


def _random_letters(value: str) -> bool:
    """Letters alone that change their case as no name does."""
    if len(value) < 16 or not value.isalpha() or not value.isascii():
        return False
    changes = sum(a.islower() != b.islower() for a, b in pairwise(value))
    return changes >= len(value) * 0.35 and entropy(value) >= 3.2
