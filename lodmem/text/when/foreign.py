"""Single dates in other languages than English, by `dateparser`: "15 mars 2024", "gestern", "2024年5月1日".

The library is loaded at the first such phrase. It is asked in a fixed order of languages, from a given moment, in UTC, so that
neither the system's clock nor its zone has a say. It refuses what only a short word makes look like a date.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from lodmem.model.memory import to_us
from lodmem.text.when.localtime import SECOND, LocalTime
from lodmem.text.when.spans import Phrase, Span, at, fixed, unit

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

# In this order: where a word is a date in two languages, the first one has it.
LANGUAGES: tuple[str, ...] = ("de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da", "nb", "fi", "cs", "tr", "ru", "uk", "el")
LANGUAGES += ("ro", "hu", "ja", "zh", "ko", "ar", "he", "hi", "id", "vi", "th")
MAX_CHARS = 48
_LETTERS = re.compile(r"[^\W\d_]+")


def foreign(text: str, clock: LocalTime) -> Phrase | None:
    """What a lower-case phrase stands for in the first language that knows it, None if none does.

    Raises BadDate, OverflowError.
    """
    words, numbers = _LETTERS.findall(text), any(char.isdigit() for char in text)
    # Short Latin words are dates in some language and everything else in the others: "set", "out", "man", "do".
    shortest = 3 if numbers else 4
    if len(text) > MAX_CHARS or not any(len(word) >= shortest or not word.isascii() for word in words):
        return None
    for parser in ("relative-time", "absolute-time"):
        # A number with a word that names no month is no date, whatever weekday the word may be.
        required = ["month"] if numbers and parser == "absolute-time" else []
        data = _parser(parser, required, clock.here).get_date_data(text)
        if data.date_obj is not None:
            return _phrase(data.date_obj, data.period, clock)
    return None


def _phrase(found: datetime, period: str, clock: LocalTime) -> Phrase:
    if period != "time":
        return unit(clock, period, found.date())
    if found.tzinfo is None:
        return fixed(at(clock, found.date(), found.time()))
    start = to_us(found)
    return fixed(Span(start, start + 60 * SECOND, start))


def _parser(name: str, required: list[str], now: datetime) -> DateDataParser:
    from dateparser.date import DateDataParser

    return DateDataParser(
        languages=list(LANGUAGES),
        use_given_order=True,
        try_previous_locales=False,
        settings={
            "PARSERS": [name],
            "REQUIRE_PARTS": required,
            "RELATIVE_BASE": now,
            "TIMEZONE": "UTC",
            "PREFER_DATES_FROM": "past",
            "PREFER_DAY_OF_MONTH": "first",
            "PREFER_MONTH_OF_YEAR": "first",
            "RETURN_TIME_AS_PERIOD": True,
        },
    )
