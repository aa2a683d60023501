"""Notes: short statements of what is so, cut into words, with the place of the verb. English; it compares nothing.

"Staging Postgres listens on port 5433, because ..." is the subject `staging postgres`, the verb `listens`, and the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lodmem.ingest.conflicts.clauses import CAPTION, terms_of, words
from lodmem.ingest.conflicts.verbs import VERBS
from lodmem.text.irregular import BASE
from lodmem.text.sentences import sentences
from lodmem.text.stopwords import STOP
from lodmem.text.tokens import index_terms

MOST_WORDS = 60  # a longer text is no note
LONGEST = 40  # words of a sentence of one
_LABEL = re.compile(r"\A\s*([\w.'’ -]{1,40}):\s")
_TOKEN = re.compile(r"->|→|'(?:s|re|m|ve|ll|d)\b|[£$€#]?\d[\w.,:/-]*[\w%]|[£$€]?\d%?|[\w@#$/+.&-]*[\w@#$/+&]|[,;:()—–=]")
_ROLES = frozenset(words("user human me assistant ai bot system tool agent model"))
USERS = frozenset(("", "user", "human", "me"))
_THIRD = frozenset(words("he she they it this that these those"))
_ARTICLES = frozenset(words("a an the"))
# What may be put into a sentence without making it another: "is now", "also has".
FILLERS = frozenset(words("now currently also just still already again always usually then therefore actually presently only"))
BORDERS = frozenset(
    words(
        ", ; : ( ) — – but because since so while whereas although though which who that if unless until when where as after"
        " before"
    )
)
PREPOSITIONS = frozenset(words("at in on to from with by under through for as about"))
NEGATIONS = frozenset(
    words("not no never n't without none nothing cannot don doesn isn aren won can't don't doesn't isn't aren't won't")
)
BE = frozenset(words("is are was were be been being am 's 're 'm isn aren wasn weren"))
AUXILIARY = BE | frozenset(
    words("has have had do does did can could may might must should shall will would 'll 've 'd cannot needs need gets get")
)
_NUMBERS = frozenset(
    words(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million half quarter dozen noon"
        " midnight"
    )
)
_NUMBER = re.compile(r"[£$€#]?\d+(?:[.,:/-]?\d+)*(?:st|nd|rd|th|[a-z]{0,2}|%|[£$€])?\Z", re.IGNORECASE)
SIGNS = frozenset(words(": = -> →"))  # stand for a verb
_DAYS = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december)"
)
_GENERIC = frozenset(words("user users we i my our us everyone somebody someone people"))


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What an older note says and what a newer one says instead. `denies`: that it is not so. `explicit`: it names the older
    value as over. `place`: something moved."""

    old: str
    new: str
    denies: bool = False
    explicit: bool = False
    place: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as words: `said` as written, `low` without capitals, both without articles and fillers. `verb`: where the
    first verb stands, None where none is known."""

    text: str
    said: tuple[str, ...]
    low: tuple[str, ...]
    verb: int | None

    @property
    def head(self) -> frozenset[str]:
        """The telling terms before the first verb of any form, past ones too."""
        for at, word in enumerate(self.low[: self.verb]):
            if at and (word in BASE or (word.endswith("ed") and len(word) > 4)):
                return telling(self.low[:at])
        return self.subject

    @property
    def past(self) -> bool:
        """Whether it tells of what happened or was: its first verb is a past form, "took", "had", "ordered"."""
        told = False
        for at, word in enumerate(self.low):
            if is_past(self.low, at):
                return True
            if word in (",", ";", "because", "so", "since") and told:
                return True
            if at and word not in SIGNS and verb_at(self.low, at):
                return False
            told = told or (word.endswith("ed") and len(word) > 4 and not self._after_auxiliary(at))
        return told

    def _after_auxiliary(self, at: int) -> bool:
        return any(word in AUXILIARY for word in self.low[max(0, at - 3) : at])

    @property
    def content(self) -> frozenset[str]:
        """The words of its first clause that are no numbers, no days and no function words, common ones too: `new`, `big`."""
        return _content(self.low)

    @property
    def content_of_subject(self) -> frozenset[str]:
        """Of these, those before the verb."""
        return _content(self.low[: self.verb or 0])

    @property
    def is_of_name(self) -> bool:
        """Whether what stands before the verb is a name alone."""
        return bool(self.verb) and all(word[:1].isupper() for word in self.said[: self.verb])

    @property
    def named(self) -> frozenset[str]:
        """Numbers, days and months before the first verb: which one of its kind is spoken of."""
        return frozenset(word for word in self.low[: self.verb or 0] if is_number(word) or is_day(word))

    @property
    def predicate(self) -> tuple[str, ...]:
        """The words after the verb."""
        return self.low[(self.verb or 0) + 1 :]

    @property
    def negated(self) -> bool:
        return not NEGATIONS.isdisjoint(self.low)

    @property
    def person(self) -> str:
        """'i' where the speaker speaks of himself, '?' where it is told elsewhere of whom, else ''."""
        first = self.low[0] if self.low else ""
        return "i" if first in ("i", "we", "my", "our") else "?" if first in _THIRD else ""

    @property
    def subject(self) -> frozenset[str]:
        """The telling terms before the verb."""
        if self.verb is None:
            return telling(self.low[: next((at for at, word in enumerate(self.low) if is_number(word)), 0)])
        return telling(self.low[: self.verb])


@lru_cache(maxsize=2048)
def notes(text: str) -> tuple[Sentence, ...]:
    """The sentences of a note; none of a longer text, of one that asks, and of what people say to each other."""
    speaker, label = spoken_by(text)
    if speaker not in USERS:
        return ()
    body = CAPTION.sub(" ", text[len(label) :])
    if len(body) > 12 * MOST_WORDS or len(body.split()) > MOST_WORDS or "\n" in body.strip() or "?" in body:
        return ()
    found = (sentence_of(body[start:stop]) for start, stop in sentences(body))
    return tuple(sentence for sentence in found if 3 <= len(sentence.low) <= LONGEST)


def spoken_by(text: str) -> tuple[str, str]:
    """Who says a note, in small letters, and the label with which it says so: "user", "user: ". Nobody where what stands before
    the colon is no name: "Package manager: pnpm"."""
    match = _LABEL.match(text[:60])
    if match is None or not (match[1].lower() in _ROLES or all(word[:1].isupper() for word in match[1].split())):
        return "", ""
    return match[1].strip().lower(), match[0]


def _content(low: Sequence[str]) -> frozenset[str]:
    clause = low[: next((at for at, word in enumerate(low) if at and word in BORDERS and word not in SIGNS), len(low))]
    kept = " ".join(
        word for word in clause if word not in STOP and word not in _GENERIC and not (is_number(word) or is_day(word))
    )
    return frozenset(index_terms(kept))


def telling(tokens: Sequence[str]) -> frozenset[str]:
    """The terms of words that say what is spoken of: no stop words, no numbers, no `user`."""
    return terms_of(" ".join(word for word in tokens if word not in STOP and word not in _GENERIC and not is_number(word)))


def is_number(word: str) -> bool:
    """Whether a word is a number, an amount or a time, in digits or as a word."""
    return word in _NUMBERS or _NUMBER.match(word) is not None


def is_day(word: str) -> bool:
    return _DAYS.fullmatch(word) is not None


def is_verb(word: str) -> bool:
    """Whether a word can be the verb of a statement in the present: `runs`, `are`, `must`."""
    if word in AUXILIARY or word in SIGNS:
        return True
    return word in VERBS or (
        word.endswith("s") and (word[:-1] in VERBS or word[:-2] in VERBS or (word.endswith("ies") and word[:-3] + "y" in VERBS))
    )


def is_past(tokens: Sequence[str], at: int) -> bool:
    """Whether the word there tells of something that happened: `took`, `visited`; not `is linted`, `was moved`."""
    word = tokens[at]
    if word in ("was", "were", "had", "did", "used"):
        return True
    past = (word in BASE and is_verb(BASE[word]) and not is_verb(word)) or word == "got"
    past = past or (word.endswith("ed") and at > 0 and tokens[at - 1] in ("i", "we", "he", "she", "they", "user"))
    return past and not any(before in AUXILIARY for before in tokens[max(0, at - 3) : at])


@lru_cache(maxsize=4096)
def sentence_of(text: str) -> Sentence:
    """A sentence in words."""
    said = (token.rstrip(".") or token for token in _TOKEN.findall(text.replace("’", "'")))
    kept = tuple(token for token in said if token.lower() not in _ARTICLES and token.lower() not in FILLERS)
    low = tuple(token.lower() for token in kept)
    return Sentence(text, kept, low, _verb(low))


def _verb(low: Sequence[str]) -> int | None:
    for at, word in enumerate(low):
        if (at or word in SIGNS) and verb_at(low, at):
            return at
    # "The gates of the school open at 8:40"
    for at in range(2, 0 if any(word.endswith("ed") for word in low) else len(low) - 1):
        if low[at] in VERBS and low[at + 1] in PREPOSITIONS and low[at - 1] not in _BEFORE_NOUNS:
            return at
    return None


def verb_at(low: Sequence[str], at: int) -> bool:
    """Whether the word there is likely the verb of a statement, by its form and the word before it."""
    word, before = low[at], low[at - 1] if at else ""
    if word == "'s" or (is_number(before) and "." not in before and not _is_label(low, at - 1)):  # a genitive; "9 May"
        return False
    if word in ("may", "march") and before in PREPOSITIONS:
        return False
    if word in AUXILIARY or word in SIGNS:
        return True
    return is_verb(word) and before not in _BEFORE_NOUNS and (word not in VERBS or _takes_base(before))


_BEFORE_NOUNS = frozenset(words("to 's my our her his of for"))


def _is_label(low: Sequence[str], at: int) -> bool:
    """Whether the number there belongs to the noun before it: "sailing 14 leaves", not "there are 14 leaves"."""
    return at > 0 and low[at - 1] not in AUXILIARY | PREPOSITIONS | SIGNS and not is_verb(low[at - 1])


def _takes_base(word: str) -> bool:
    """Whether a verb after this word has no ending: "we run", "tests run"; "test run" is a noun."""
    return word in ("i", "we", "they", "you", "people", "children") or (word.endswith("s") and word not in AUXILIARY)
