"""Index terms and query terms: stems, CJK bigrams, technical tokens. Knows no store, no statistics, no grammar.

A text is read chunk by chunk (between white space). Each chunk gives its words, stemmed by the script they are written in, and
beside them the technical tokens that plain words would tear apart: `C++`, `.net`, `--dry-run`, `foo_bar`, `a/b.py`, `1.2.3`,
`ORA-00942`, dotted names, addresses; camelCase gives the whole and its parts. Scripts without spaces between words give
single characters and overlapping pairs to the index; a query uses the pairs, and the single character only when it stands
alone. Katakana counts as hiragana, digits of any script as ASCII, invisible characters as nothing.

Short words tied to another by hyphen or apostrophe give the joined word too: e-mail is email, O'Brien is obrien.

Stop words stay out of index and query. They are kept where they are written as a name ("The Who", "US", capital inside a
sentence), and where nothing else would be left. Those of other languages, and what questions ask with, leave queries alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache, partial
from itertools import chain

from lodmem.model.memory import to_datetime
from lodmem.text.remembered import ROOM, Remembered
from lodmem.text.stems import MAX_TERM, MINOR, Reading, fold, language_of, plain, stems
from lodmem.text.stopwords import ASKING_DENSE, ASKING_KOREAN, STOP

TERMS_VERSION = 1
LATIN_END = "\u0250"

_LONG_CHUNK = 256
_QUERY_ROOM = 1 << 12
_DAY_US = 86_400_000_000
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

# Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han, Hangul.
DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\u1100-\u11ff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Combining marks that belong to a word but are not word characters to `re`: vowel signs, points, accents left by NFKC.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983"
    "\u09bc-\u09cd\u0a01-\u0a03\u0a3c-\u0a51\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04"
    "\u0c3c-\u0c56\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d82\u0d83\u0dca-\u0ddf\u200c\u200d"
)
_LETTER = f"[^\\W_{DENSE}]"
_CHAR = f"[^\\W{DENSE}]"
_WORD = re.compile(f"([{DENSE}]+)|{_LETTER}(?:{_LETTER}|[{_MARKS}])*")
_ASCII_WORD = re.compile("()[A-Za-z0-9]+")
_COMPOUND = re.compile(f"{_CHAR}+(?:(?:://|::|->|[./\\\\@:-]){_CHAR}+)*")
_TECHNICAL = re.compile(r"\w(?:[./\\@:_-]|->)+\w|\w(?:\+\+|#)|(?<![\w.])[.-]-?[^\W\d_]|__|\d,\d")
_AFFIXED = re.compile(
    rf"(?<!\w){_CHAR}*[^\W\d_{DENSE}](?:\+\+|\#)(?!\w)|(?<![\w.])\.[^\W\d_{DENSE}]{_CHAR}*|(?<![\w-])--?[^\W\d_](?:{_CHAR}|-)*"
)
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])")
# Always stop words, and torn apart they would be others: "won't" is not the past of win.
_NEGATED = re.compile(r"(?i)\b[a-z]{2,6}n['’]t\b")
_OUTER = re.compile(r"://|[/\\@]|->")
_INNER = re.compile(r"[.:]+")
_CAMEL = re.compile(r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAME = re.compile(r"[^\W\d_]{2,}[\W_]*\Z")
_SENTENCE_END = frozenset(".!?:;…。！？")
NO_WORDS: frozenset[str] = frozenset()
_PLAIN_END = ".,;:!?"  # after a word of letters these say nothing

# Two words where one has at most two letters; 's, 't, 'll and the like are no words of their own.
_JOINED = re.compile(
    rf"(?<![\w'’-])(?:{_LETTER}{{1,2}}(?:-{_LETTER}|['’]{_LETTER}{{2}}){_LETTER}+|{_LETTER}{{2,}}-{_LETTER}{{1,2}})(?![\w-])"
)
_LONGEST_FIRST = "|".join(sorted(ASKING_DENSE, key=len, reverse=True))
_ASKING = re.compile(f"{_LONGEST_FIRST}|(?<![\uac00-\ud7a3])(?:{'|'.join(ASKING_KOREAN)})(?![\uac00-\ud7a3])")
# Soft hyphen, zero-width space, word joiner and byte order mark; the hyphens that look like one; digits; katakana.
_SPELLING: dict[int, str | int | None] = {
    **dict.fromkeys((0x00AD, 0x200B, 0x2060, 0xFEFF)),
    **dict.fromkeys((0x2010, 0x2011), "-"),
    **{zero + digit: str(digit) for zero in (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50) for digit in range(10)},
    **{katakana: katakana - 0x60 for katakana in range(0x30A1, 0x30F7)},
}


def index_terms(text: str) -> list[str]:
    """Terms of a text for the index, in order, with repeats, each of 1 to 64 characters, without white space, quotes and NUL.

    A text of stop words alone keeps them; a text without any word character has no terms.
    """
    reading = Reading(False, False, language_of(text))
    return _chunks(text, reading, names=True) or [
        term for chunk in text.split() for term in _analyse(chunk, reading._replace(stop_words=True))
    ]


def query_terms(text: str) -> list[str]:
    """Terms to look for, each once, in order, without stop words; with them where nothing else remains.

    Without stop words every term is one that `index_terms` gives for the same text. Names among stop words are looked for only
    in a query that has lower-case words too.
    """
    chunks = text.split()
    capitals = sum(chunk[0].isupper() for chunk in chunks)
    names = 2 * capitals <= len(chunks) or any(chunk.islower() and chunk not in STOP for chunk in chunks)
    reading = Reading(True, False, language_of(text), len(chunks) == 1)
    terms = dict.fromkeys(_chunks(text, reading, names=names))
    return list(terms or dict.fromkeys(term for chunk in chunks for term in _analyse(chunk, reading._replace(stop_words=True))))


def is_latin(text: str) -> bool:
    """Whether at least half of the letters are Latin; true where there is none."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(char < LATIN_END for char in letters) >= len(letters)


def date_terms(created_us: int) -> list[str]:
    """Day, month name and year (UTC) as index terms, e.g. those of "8 May 2023"."""
    return list(_day_terms(created_us // _DAY_US))


@lru_cache(maxsize=1 << 10)
def _day_terms(day: int) -> tuple[str, ...]:
    when = to_datetime(day * _DAY_US)
    return tuple(index_terms(f"{when.day} {_MONTHS[when.month - 1]} {when.year}"))


def _chunks(text: str, reading: Reading, *, names: bool) -> list[str]:
    chunks = text.split()
    known = _of_chunks(reading)
    if max(map(len, chunks), default=0) <= MAX_TERM:
        found = list(map(known.__getitem__, chunks))
    else:
        found = [known[chunk] if len(chunk) <= MAX_TERM else _analyse(chunk, reading) for chunk in chunks]
    if names:
        for at, terms in enumerate(found):
            if not terms and chunks[at][0].isupper() and _is_written_as_name(chunks[at], chunks[at - 1] if at else "."):
                found[at] = _analyse(chunks[at], reading._replace(stop_words=True))
    return list(chain.from_iterable(found))


def _is_written_as_name(chunk: str, before: str) -> bool:
    """Whether a chunk with a capital is a word that stands inside a sentence, in capitals, or as a speaker."""
    if not _NAME.match(chunk):
        return False
    return before[-1] not in _SENTENCE_END or chunk[1:2].isupper() or chunk[-1] == ":"


@cache
def _of_chunks(reading: Reading) -> Remembered[tuple[str, ...]]:
    """Terms of chunks. There are few readings, and texts repeat words more than queries do."""
    return Remembered(partial(_analyse, reading=reading), _QUERY_ROOM if reading.query else ROOM)


@cache
def _of_words(reading: Reading) -> Remembered[tuple[str, ...]]:
    return Remembered(partial(_word_terms, reading=reading), _QUERY_ROOM if reading.query else ROOM)


def _analyse(chunk: str, reading: Reading) -> tuple[str, ...]:
    if chunk.isascii() and (bare := chunk.rstrip(_PLAIN_END)).isalpha():
        return _of_words(reading)[bare[:MAX_TERM]]
    if not chunk.isascii():
        chunk = unicodedata.normalize("NFKC", chunk).translate(_SPELLING)
    if not reading.stop_words:
        if "'t" in chunk or "’t" in chunk:
            chunk = _NEGATED.sub(" ", chunk)
        if reading.query and not chunk.isascii():
            chunk = _ASKING.sub(" ", chunk)
    terms: list[str] = []
    if not chunk.isalpha() and len(chunk) <= _LONG_CHUNK:
        if _TECHNICAL.search(chunk):
            if "," in chunk:
                chunk = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), chunk)
            terms.extend(_technical(chunk))
        for match in _JOINED.finditer(chunk):
            terms.extend(_of_words(reading)[re.sub(r"\W", "", match[0]).lower()])
    for match in (_ASCII_WORD if chunk.isascii() else _WORD).finditer(chunk):
        if match[1]:
            terms.extend(_dense(match[0], single=not reading.query))
        else:
            terms.extend(_of_words(reading)[match[0][:MAX_TERM]])
    return tuple(terms)


def _word_terms(word: str, reading: Reading) -> tuple[str, ...]:
    minor = MINOR[reading.language] if reading.query else NO_WORDS
    noun = word[0].isupper() and not word.isupper()
    folded = [fold(word), *map(fold, _camel_parts(word))]
    return tuple(
        term
        for part in folded
        if part and (reading.stop_words or not (part in STOP or part in minor))
        for term in stems(part, reading, noun=noun)
    )


def _technical(chunk: str) -> Iterator[str]:
    """Tokens longer than a word: the whole, then its parts that still hold more than one word."""
    for match in _AFFIXED.finditer(chunk):
        yield plain(fold(match[0]))[:MAX_TERM]
    for match in _COMPOUND.finditer(chunk):
        whole = match[0]
        pieces = [whole]
        outer = _OUTER.split(whole)
        if len(outer) > 1:
            pieces += outer
        for piece in outer:
            inner = _INNER.split(piece)
            if len(inner) > 1:
                pieces += inner
        for piece in pieces:
            bare = piece.strip("_-.:")
            if _is_compound(bare):
                yield plain(fold(bare))[:MAX_TERM]


def _is_compound(token: str) -> bool:
    """Whether a token is more than one word; hyphens alone count only with a digit, 'self-care' is two plain words."""
    if "-" in token and not any(char.isdigit() for char in token):
        token = token.replace("->", ".").replace("-", "")
    return not token.isalnum() and len(token) > 2 and any(char.isalnum() for char in token)


def _dense(run: str, single: bool) -> list[str]:
    if len(run) == 1:
        return [run]
    pairs = [run[i : i + 2] for i in range(len(run) - 1)]
    return [*run, *pairs] if single else pairs


def _camel_parts(word: str) -> list[str]:
    if word.islower() or word.isupper() or len(word) < 4 or word[1:].islower():
        return []
    parts = _CAMEL.split(word)
    return parts if 1 < len(parts) <= 12 else []
