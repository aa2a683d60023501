"""Sentence spans: invariants over any text, and where the borders fall."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.text.sentences import MAX_SENTENCE, sentences


def split(text: str) -> list[str]:
    return [text[start:stop] for start, stop in sentences(text)]


LINES = st.lists(
    st.sampled_from(
        [
            "It rained. We stayed in.",
            "- a list entry",
            "Anna: hello there! How are you?",
            "    return x(y)[0];",
            "```",
            "| a | b |",
            "2031-02-11 04:12 INFO started",
            "this line of plain prose has been wrapped at about seventy characters and",
            "goes on here until it ends.",
            "他来了。我走了！",
            "",
            " ",
            "x" * 700,
            "word " * 200,
        ]
    ),
    max_size=12,
).map("\n".join)


@given(st.text(max_size=400) | LINES)
def test_spans_are_ordered_disjoint_trimmed_bounded_and_complete(text: str) -> None:
    end = 0
    for start, stop in sentences(text):
        assert end <= start < stop <= len(text)
        assert stop - start <= MAX_SENTENCE
        assert not text[start].isspace()
        assert not text[stop - 1].isspace()
        assert not text[end:start].strip()
        end = stop
    assert not text[end:].strip()


def test_abbreviations_numbers_and_addresses_do_not_end_a_sentence() -> None:
    assert split("Dr. Reyes paid 3.50 for it. See https://a.example/b?c=d for more. Fine.") == [
        "Dr. Reyes paid 3.50 for it.",
        "See https://a.example/b?c=d for more.",
        "Fine.",
    ]


def test_titles_before_names_end_no_sentence() -> None:
    said = "The aide is Ms. Dolores, pickup at 2:45. Write to Mx. Hale and Mrs. Orr. Items. More."
    assert split(said) == ["The aide is Ms. Dolores, pickup at 2:45.", "Write to Mx. Hale and Mrs. Orr.", "Items.", "More."]


def test_full_stop_without_space_does_not_end_a_sentence() -> None:
    assert split("It raised ledger.errors.AccountMissing twice. Then it stopped.") == [
        "It raised ledger.errors.AccountMissing twice.",
        "Then it stopped.",
    ]


def test_marks_without_words_belong_to_the_sentence_before() -> None:
    assert split("We left early. We won! 🎉") == ["We left early.", "We won! 🎉"]
    assert split('He said "It is late." Then nothing.') == ['He said "It is late."', "Then nothing."]


def test_each_line_of_chat_list_log_and_table_stands_alone() -> None:
    lines = [
        "Anna: I found the old map in the attic and I think you should see it",
        "Ben: show me",
        "- passports and the blue folder with the reservations for both huts",
        "- harness",
        "2031-02-11T04:12:09Z INFO scheduler: starting nightly compaction now",
        "2031-02-11T04:12:10Z INFO scheduler: 3 segments queued",
        "| billing | Priya | eu-west-1 | 4,210 USD | yes | and a long cell |",
        "| search | Tomasz | us-east-2 | 11,870 USD | yes |",
    ]
    assert split("\n".join(lines)) == lines


def test_wrapped_prose_is_one_sentence() -> None:
    text = (
        "We decided to move the print server from the basement to the second floor, because the\n"
        "basement flooded twice. Marek will do it on 15 November after the payroll run and Gwen\n"
        "renews the certificate.\n"
    )
    assert [" ".join(sentence.split()) for sentence in split(text)] == [
        "We decided to move the print server from the basement to the second floor, because the basement flooded twice.",
        "Marek will do it on 15 November after the payroll run and Gwen renews the certificate.",
    ]


def test_code_is_split_by_line_with_and_without_fence() -> None:
    code = [
        "for key in store.list_keys_that_are_older_than_the_limit(max_age_days):",
        "    fresh = store.generate_key(algorithm='ed25519', owner=key.owner)",
        "    rotated.append(fresh.id)",
    ]
    assert [line.strip() for line in split("\n".join(code))] == [line.strip() for line in code]
    fenced = ["```", "some words that are long enough to look like wrapped prose and", "more words here", "```"]
    assert split("\n".join(fenced)) == fenced


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他来了。我走了！你呢？", ["他来了。", "我走了！", "你呢？"]),
        ("雨が降った。家にいた。", ["雨が降った。", "家にいた。"]),
        ("Он пришёл. Я ушла!", ["Он пришёл.", "Я ушла!"]),
        ("ذهبت إلى السوق. ثم عدت؟ نعم.", ["ذهبت إلى السوق.", "ثم عدت؟", "نعم."]),
    ],
)
def test_other_scripts(text: str, expected: list[str]) -> None:
    assert split(text) == expected


def test_a_very_long_sentence_is_cut_at_a_clause_else_at_a_space_else_hard() -> None:
    clauses = ", ".join(["one more thing that has to be said here"] * 40)
    assert all(piece.endswith((",", "here")) for piece in split(clauses))
    words = "word " * 400
    assert set(" ".join(split(words)).split()) == {"word"}
    assert [len(piece) for piece in split("x" * 1500)] == [600, 600, 300]


@pytest.mark.parametrize("text", ["", " ", "\n\n\r\n\t", "\u2028\u00a0"])
def test_blank_text_has_no_sentence(text: str) -> None:
    assert sentences(text) == []


@pytest.mark.parametrize(
    "chunk", ["a", "a. ", "\nx", "中", ".", "(", "word ", "A: b\n", "some plain words that go on and on to\n"]
)
def test_pathological_repetition_stays_linear(chunk: str) -> None:
    text = chunk * (500_000 // len(chunk))
    assert sentences(text)[-1][1] == len(text.rstrip())
