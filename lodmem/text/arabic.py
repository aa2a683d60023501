"""Arabic words brought to one spelling and stemmed lightly. Knows the outside of a word, neither roots nor broken plurals.

Source: the normalisation and the affixes of light10 (Larkey, Ballesteros and Connell 2007), and the pronouns that hang on
nouns. The article is looked for before spellings are made one, so that a word beginning with alef hamza and lam keeps them.
"""

from __future__ import annotations

import re

_UNWRITTEN = re.compile("[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
_SPELLING = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ئ": "ي", "ؤ": "و", "ک": "ك", "ة": "ه"})
_ARTICLE = re.compile("(?!والد[تي])(?:[وف]?(?:[بك]?ال|لل))(?=...)|ال(?=..)")
_ATTACHED = re.compile("[ولب](?=...)")
_PRONOUN = re.compile("(?<=...)(?:ها|هم|هن|نا|كم|كن)$|(?<=...)ي$")
_ENDING = re.compile("(?<=...)ي?(?:ات|ان|ون|ين|[اه])$|(?<=...)ي$|(?<=..)ه$")


def bare(word: str) -> str:
    """The word without vowel points and without the stroke that only stretches it."""
    return _UNWRITTEN.sub("", word)


def light_stem(word: str) -> str:
    """The word without article, hanging pronoun and ending, in one spelling; never empty for a word of letters."""
    word = bare(word)
    if match := _ARTICLE.match(word):
        word = word[match.end() :]
    word = word.translate(_SPELLING)
    owned = _PRONOUN.sub("", word)
    if owned != word and len(owned) > 3 and owned.endswith("ت"):
        return owned[:-1]  # taa marbuta before a pronoun
    return _ENDING.sub("", owned)


def without_attached(word: str) -> str:
    """The word without a first letter that may be a conjunction or preposition (and, for, in), '' where there is none."""
    word = bare(word)
    return word[1:] if _ATTACHED.match(word) and not _ARTICLE.match(word) else ""
