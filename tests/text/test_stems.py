"""Stems by script and language, and which language a text is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.text import stems as module
from lodmem.text.stems import Reading, fold, language_of, plain, stem, stems

QUERY, INDEX = Reading(True, False, ""), Reading(False, False, "")
GERMAN = Reading(False, False, "german")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wo ist der Hund?", "german"),
        ("Im Garten stehen die alten Bäume", "german"),
        ("Bücher für Jörg", "german"),
        ("où est le chat du voisin", "french"),
        ("¿dónde está el perro de mi hermana?", "spanish"),
        ("Where is the dog?", ""),
        ("How did they die in the war with a man on the hat", ""),
        ("I was in an hour so I am on it", ""),
        ("Jörg Müller signed for the parcel and for the letter", ""),
        ("Hund", ""),
        ("книга на столе", ""),
        ("", ""),
    ],
)
def test_function_words_tell_the_language(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("CAFÉ", "cafe"),
        ("Łódź", "lodz"),
        ("İzmir", "izmir"),
        ("Æther", "aether"),
        ("Straße", "strasse"),
        ("tiếng", "tieng"),
        ("Й", "й"),
        ("ёлка", "ёлка"),
        ("Ή", "ή"),
        ("が", "が"),
    ],
)
def test_accents_come_off_latin_words_only(word: str, expected: str) -> None:
    assert plain(fold(word)) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("häuser", "haus"), ("töchter", "tocht"), ("drew", "draw"), ("abc12", "abc12"), ("книгами", "книг"), ("malmö", "malmo")],
)
def test_the_script_and_the_umlaut_choose_the_stemmer(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("zahnarzttermin", {"zahnarzt", "termin"}),
        ("wohnungsschlüssel", {"wohnung", "schlussel"}),
        ("zahnarztterminen", {"zahnarzt", "zahn", "arzt", "termin"}),
        ("versicherungsnummern", {"versicher", "numm"}),
        ("haselnüsse", {"hasel", "nuss"}),
        ("geburtstagsgeschenk", {"geburtstag", "geschenk"}),
        ("umgebungsvariablen", {"umgeb", "variabl"}),
        ("brüderstrasse", {"strass"}),
    ],
)
def test_german_compounds_give_their_parts(word: str, parts: set[str]) -> None:
    assert parts <= set(stems(word, QUERY))
    assert set(stems(word, QUERY)) <= set(stems(word, INDEX))


@pytest.mark.parametrize(
    "word",
    [
        "manifest",
        "specialist",
        "refrigerate",
        "exaggerate",
        "conversion",
        "hoffmann",
        "heidelberg",
        "deliberate",
        "information",
        "antwort",
    ],
)
def test_other_words_are_left_whole(word: str) -> None:
    assert len(stems(word, QUERY)) == 1


def test_the_index_holds_what_a_query_without_a_language_looks_like() -> None:
    assert set(stems("müller", INDEX)) == {"mull", "muller", "mueller"}
    assert set(stems("müller", QUERY)) == {"mull"}
    assert {"katz", "katzen"} <= set(stems("katze", GERMAN, noun=True))
    assert "katzen" not in stems("katze", GERMAN)
    assert {"peter", "pet"} <= set(stems("peter", GERMAN))


LETTERS = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyzaeounr"), min_size=4, max_size=20)


@given(LETTERS | st.sampled_from([fold(head) for head in module._HEADS.split()]))
def test_a_german_stem_keeps_the_first_two_letters(word: str) -> None:
    """Which is why a cut is passed over whose rest begins like no last part."""
    if word.isascii() and word[:2] not in {"ae", "oe", "ue"}:
        assert module._german(word)[:2] == word[:2]


@given(LETTERS, st.sampled_from([fold(head) for head in module._HEADS.split()]), st.sampled_from(["", "n", "en", "s"]))
def test_no_last_part_is_passed_over(first: str, last: str, ending: str) -> None:
    word = first + last + ending
    if word.isascii() and len(word) <= module._LONGEST:
        cuts = (word[at:] for at in range(module._LEAST_PART, len(word) - module._LEAST_PART + 1))
        assert bool(module._parts(word, INDEX)) == any(module._german(rest) in module._heads() for rest in cuts)
