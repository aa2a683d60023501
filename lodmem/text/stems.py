"""Stems of words by script and language, accents off, German compounds taken apart. Knows no text but single words.

The script of a word chooses its stemmer, and Latin words are stemmed as English. A text whose function words are German, French
or Spanish has its words stemmed both ways, so that names and words without a language still match. A word with ä, ö, ü is
German wherever it stands.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import Stemmer

from lodmem.text import stopwords
from lodmem.text.arabic import bare, light_stem, without_attached
from lodmem.text.irregular import BASE

MAX_TERM = 64

# First code point, last code point, Snowball algorithm. Everything else is stemmed as English.
_STEMMERS = (
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x052F, "russian"),
    (0x0530, 0x058F, "armenian"),
    (0x0900, 0x097F, "hindi"),
    (0x0B80, 0x0BFF, "tamil"),
)
_LANGUAGES = {"german": stopwords.GERMAN, "french": stopwords.FRENCH, "spanish": stopwords.SPANISH}
_OWN = {name: words - stopwords.STOP for name, words in _LANGUAGES.items()}
_ENGLISH = {name: stopwords.STOP - words for name, words in _LANGUAGES.items()}
_ANY = frozenset().union(*_OWN.values())
_SCRIPTED = stopwords.RUSSIAN | stopwords.ARABIC | {f"و{word}" for word in stopwords.ARABIC}
# Function words that leave a query, by its language.
MINOR = {"": _SCRIPTED} | {name: _SCRIPTED | words for name, words in _LANGUAGES.items()}

_ARABIC = re.compile("[\u0620-\u06ff]")
_LATIN = re.compile("[a-z\u00df-\u024f\u1e00-\u1eff]")
_UMLAUT = re.compile("[äöü]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_UNDECOMPOSED = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})

# Last parts of German compounds that hardly any English word ends with.
_HEADS = """
abend adresse anlage anmeldung antrag arbeit arzt ärztin auftrag ausweis bahn baum befund behandlung beleg bericht bescheid
bestellung besuch bett bibliothek bild blume brief brot brücke buch buchung büro datei dienst drucker einstellung fahrt farbe
fehler fenster ferien film flasche flug frage garten gebühr geburtstag geld geschäft geschenk gespräch gruppe haus heft
heizung hilfe hund karte kasse katze keller kette kirche klasse kleid klinik koffer konfiguration konto kosten küche kuchen
kunde kündigung lehrer lehrerin leitung lieferung maschine meldung messer miete milch mittel monat nachbar nachricht nummer
nuss ordner papier passwort pflanze plan planung platz preis projekt prüfung punkt raum rechnung reifen reinigung reise
reparatur rezept saft salat schaden schein schlüssel schmerz schrank schuh schule seite server sicherung sitzung speicher
sprache stadt stelle steuer straße stuhl stunde suppe tabelle tarif tasche tasse telefon termin tisch tochter treffen
untersuchung unterlagen unterricht urlaub variable verein verkehr version versicherung vertrag verzeichnis vogel wasser werk
werkzeug woche wohnung zahl zahlung zahn zeichen zeit zeitung zettel zimmer zucker zugang
"""
_LEAST_PART, _LONGEST = 4, 40

_local = threading.local()


class Reading(NamedTuple):
    """How words are read: for a query or for the index, stop words kept or not, the language of the text as `language_of` says.
    `alone`: the word is the whole query."""

    query: bool
    stop_words: bool
    language: str
    alone: bool = False


def language_of(text: str) -> str:
    """'german', 'french' or 'spanish' when at least two of its function words are in the text, and more than English ones;
    else ''."""
    words = text.lower().split()
    if _ANY.isdisjoint(words):
        return ""
    counts = {name: sum(word in own for word in words) for name, own in _OWN.items()}
    counts["german"] += sum(not word.isascii() and _UMLAUT.search(word) is not None for word in words)
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] >= 2 and counts[best] > _count(words, _ENGLISH[best]) else ""


def _count(words: Sequence[str], known: frozenset[str]) -> int:
    return sum(word in known for word in words)


def fold(word: str) -> str:
    """The word in lower case, compatibility forms as plain ones, Arabic without vowel points. Accents stay."""
    if word.isascii():
        return word.lower()
    return bare(unicodedata.normalize("NFKC", word.casefold()))


def plain(word: str) -> str:
    """A folded word without accents where its script is Latin: café is cafe, łódź is lodz, ı is i."""
    if word.isascii() or not _LATIN.match(word):
        return word
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", word)).translate(_UNDECOMPOSED)[:MAX_TERM]


def stem(word: str) -> str:
    """The stem of a folded word, at most 64 characters: by the script of its first letter, German where it has ä, ö or ü.

    Irregular forms count as their base (drew is draw). A word with digits is its own stem.
    """
    word = word[:MAX_TERM]
    if word.isascii():
        return _snowball("english", word) if word.isalpha() else word
    if _ARABIC.match(word):
        return light_stem(word) or word
    if _LATIN.match(word):
        return _german(word) if _UMLAUT.search(word) else _snowball("english", plain(word))
    code = ord(word[0])
    return _snowball(next((name for first, last, name in _STEMMERS if first <= code <= last), "english"), word)


def stems(word: str, reading: Reading, *, noun: bool = False) -> dict[str, None]:
    """All terms of a folded word, in order: its stem, that of the text's language, its parts.

    The index has more of them than a query: spellings of an umlaut (muller, mueller), plurals of a German `noun` that a query
    of one word does not show to be German, Arabic words without a first letter that may be a preposition.
    """
    found = {stem(word): None}
    index = not reading.query
    if _ARABIC.match(word):
        shorter = without_attached(word)
        if shorter and (index or (word[0] != "ب" and not reading.alone)):
            found[light_stem(shorter)] = None
    elif _LATIN.match(word) and word.isalpha():
        found |= dict.fromkeys(_in_language(word, reading, noun))
        if index and not word.isascii() and _UMLAUT.search(word):
            found |= {_snowball("english", plain(word.translate(table))): None for table in ({}, _SPELLED_OUT)}
        if len(word) >= 2 * _LEAST_PART:
            found |= dict.fromkeys(_parts(word, reading))
    return found


def _in_language(word: str, reading: Reading, noun: bool) -> list[str]:
    if reading.language != "german":
        return [plain(_snowball(reading.language, word))] if reading.language else []
    return [_german(word), *(_plurals(word) if noun and not reading.query else ())]


def _plurals(word: str) -> list[str]:
    """What English stemming makes of the plurals of a German noun; those in -e and -s it strips by itself."""
    if word.endswith(("el", "er")):
        return [_snowball("english", f"{plain(word)}n")]
    found = _german(word)
    return [_snowball("english", found + ending) for ending in (("en", "nen") if found.endswith("in") else ("en", "er"))]


def _parts(word: str, reading: Reading) -> list[str]:
    """Parts of a German compound whose last part is a common one, down to the smallest; the index has more forms of each."""
    openings, ascii_only = _openings(), word.isascii()
    for cut in range(_LEAST_PART, min(len(word), _LONGEST) - _LEAST_PART + 1):
        if ascii_only and word[cut : cut + 2] not in openings:
            continue
        first, last = word[:cut], word[cut:]
        if last[:2] not in openings and last.isascii():
            continue
        if (head := _german(last)) in _heads():
            more = [] if reading.query else [*(_snowball("english", plain(part)) for part in (first, last)), *_plurals(last)]
            return [_german(first), head, *more, *_parts(first, reading)]
    return []


@cache
def _heads() -> frozenset[str]:
    """Stems of the last parts, those as long as a part must be."""
    return frozenset(head for word in _HEADS.split() if len(head := _german(fold(word))) >= _LEAST_PART)


@cache
def _openings() -> frozenset[str]:
    """First two letters that a last part may have. A German stem keeps them but for `ae`, `oe`, `ue`."""
    return frozenset(head[:2] for head in _heads()) | {"ae", "oe", "ue"}


@lru_cache(maxsize=1 << 14)
def _german(word: str) -> str:
    found = plain(_snowball("german", word))
    return found[:-1] if found.endswith("inn") else found  # Lehrerinnen are a Lehrerin each


def _snowball(name: str, word: str) -> str:
    """Stem by one algorithm; a stemmer a thread, since a stemmer object is not re-entrant."""
    stemmer: Stemmer.Stemmer | None = getattr(_local, name, None)
    if stemmer is None:
        stemmer = Stemmer.Stemmer(name, 0)
        setattr(_local, name, stemmer)
    if name == "english":
        word = BASE.get(word, word)
    found: str = stemmer.stemWord(word)
    return found[:MAX_TERM] or word
