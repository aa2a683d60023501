"""Facing: with a query, the sentences that answer it are shown, within the same length."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lodmem.ports import TokenCounter
from lodmem.text.compress import SEPARATOR
from lodmem.text.facing import face_headline, face_summary
from lodmem.text.tokens import index_terms, query_terms

CHAT = (
    "Nadia: Hey Oskar! So good to hear from you. How was your week?\n"
    "Oskar: Hi Nadia! I started my pottery course at the Kiln House on Tuesday. My teacher Ilse says the first ten collapse.\n"
    "Nadia: I spent the weekend in Porto with my sister Renata, and we finally saw the tile museum.\n"
    "Oskar: Is Renata still working as a vet?\n"
    "Nadia: Yes, she opened her own clinic for parrots in March. She already has forty patients.\n"
    "Oskar: I can't imagine the noise. The course costs 180 euros for eight evenings.\n"
)


def ask(question: str) -> dict[str, float]:
    return dict.fromkeys(query_terms(question), 2.0)


def test_summary_shows_what_answers_the_query(counter: TokenCounter) -> None:
    for question, answer in (
        ("What does the pottery course cost?", "180 euros"),
        ("Where was Nadia with her sister?", "Porto"),
        ("Which animals does the clinic treat?", "parrots"),
    ):
        summary = face_summary(CHAT, ask(question), max_tokens=45, counter=counter)
        assert summary is not None
        assert answer in summary


def test_a_reply_is_shown_with_the_question_it_answers(counter: TokenCounter) -> None:
    shelves = [
        f"Ana: There is plenty of bread and cheese on shelf {n}.\nRui: Good, that will do for tonight." for n in range(20)
    ]
    text = "\n".join(["Ana: Which instrument did you learn as a child?", "Rui: The oboe, mostly.", *shelves])
    summary = face_summary(text, ask("which instrument did Rui learn"), max_tokens=40, counter=counter)
    assert summary is not None
    assert "The oboe, mostly." in summary


def test_summary_keeps_order_and_names_the_speakers(counter: TokenCounter) -> None:
    summary = face_summary(CHAT, ask("clinic parrots pottery"), max_tokens=60, counter=counter)
    assert summary is not None
    assert summary.index("pottery") < summary.index("clinic")
    assert "Nadia: Yes, she opened her own clinic for parrots in March." in summary


def test_new_terms_come_before_terms_already_covered(counter: TokenCounter) -> None:
    text = "The boat is red and fast. The boat is red and long. The boat is red and old. The horse eats hay in the rain. " * 2
    summary = face_summary(text, {"boat": 1.0, "red": 1.0, "hors": 1.2}, max_tokens=24, counter=counter)
    assert summary is not None
    assert "boat" in summary
    assert "horse" in summary


def test_headline_is_the_answering_sentence_with_matching_words(counter: TokenCounter) -> None:
    headline = face_headline(CHAT, ask("When did Renata open the parrot clinic?"), max_tokens=40, counter=counter)
    assert headline is not None
    lead, _, words = headline.partition(SEPARATOR)
    assert lead == "Nadia: she opened her own clinic for parrots in March."
    assert words == "Renata"


def test_a_long_sentence_is_cut_around_the_matching_words(counter: TokenCounter) -> None:
    text = (
        "We walked "
        + "past houses and gardens " * 30
        + "until the owl of Mrs. Tjaden cried "
        + "over roofs and walls " * 30
        + "at dawn."
    )
    headline = face_headline(text, ask("owl of Mrs Tjaden"), max_tokens=30, counter=counter)
    assert headline is not None
    assert "owl of Mrs. Tjaden" in headline
    assert headline.startswith("…")
    assert len(headline.split()) <= 20


def test_chinese_is_cut_around_the_matching_characters(counter: TokenCounter) -> None:
    text = "天气很冷" * 40 + "馆长王女士讲了茶叶的历史" + "湖面没有风" * 40
    headline = face_headline(text, ask("茶叶"), max_tokens=60, counter=counter)
    assert headline is not None
    assert "茶叶" in headline


@pytest.mark.parametrize("face", [face_headline, face_summary])
def test_nothing_in_common_gives_none(face, counter: TokenCounter) -> None:  # type: ignore[no-untyped-def]
    assert face(CHAT, ask("submarine"), max_tokens=50, counter=counter) is None
    assert face(CHAT, {}, max_tokens=50, counter=counter) is None
    assert face("", ask("submarine"), max_tokens=50, counter=counter) is None


@pytest.mark.parametrize("face", [face_headline, face_summary])
def test_a_long_text_is_searched_in_all_its_length(face, counter: TokenCounter) -> None:  # type: ignore[no-untyped-def]
    filler = "Nothing of note happened on the road that day. " * 4000
    text = filler + "The astrolabe was found under the stairs. " + filler
    shown = face(text, ask("where was the astrolabe"), max_tokens=30, counter=counter)
    assert shown is not None
    assert "The astrolabe was found under the stairs." in shown


WORDS = st.sampled_from(
    ["harbour", "Anna:", "boats,", "painted", "the", "7", "May.", "so!", "知道", "C++", "Why?", "\n", "x" * 30]
)
TEXTS = st.lists(WORDS, max_size=120).map(" ".join) | st.text(max_size=300)


@given(
    TEXTS, st.lists(st.sampled_from(["harbour", "boat", "paint", "7", "知道", "c++", "anna"]), max_size=4), st.integers(1, 60)
)
@settings(deadline=None)
def test_the_ceiling_holds_and_what_is_shown_matches(
    counter: TokenCounter, text: str, terms: list[str], max_tokens: int
) -> None:
    weights = {term: 1.0 + number for number, term in enumerate(terms)}
    for face in (face_summary, face_headline):
        shown = face(text, weights, max_tokens=max_tokens, counter=counter)
        assert shown == face(text, weights, max_tokens=max_tokens, counter=counter)
        if shown is None:
            continue
        assert shown
        assert counter.count(shown) <= max_tokens
        assert weights.keys() & set(index_terms(shown))
        if face is face_headline:
            assert "\n" not in shown
            assert len(shown.partition(SEPARATOR)[0].split()) <= 24
