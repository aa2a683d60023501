"""Secrets: how well they are found on the labelled set, and what masking promises for every text."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.text.secrets import find, mask, mask_json, placeholder, told
from lodmem.text.secrets.patterns import KINDS
from tests.text.secret_cases import FORMS, Case, look_alikes, made, positives

SEED = 1
MINIMUM = 0.95
PARTS = {"tried": False, "held out": True}


def survives(case: Case, masked: str, length: int = 8) -> bool:
    """Whether any piece of the secret can still be read."""
    pieces = {case.secret[at : at + length] for at in range(max(1, len(case.secret) - length + 1))}
    return any(piece in masked for piece in pieces)


@pytest.mark.req("R5.4")
@pytest.mark.parametrize("part", PARTS)
def test_recall_and_precision_on_the_labelled_set(part: str) -> None:
    right = list(positives(held_out=PARTS[part], seed=SEED, rounds=7))
    wrong = list(look_alikes(held_out=PARTS[part], seed=SEED, rounds=10))
    assert len(right) >= 300
    assert len(wrong) >= 300
    assert len({case.kind for case in right}) >= 25
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for case in right:
        masked = mask(case.text)
        table[case.kind]["missed" if survives(case, masked.text) else "found"] += 1
        table[case.kind]["too much"] += max(0, len(masked.kinds) - 1)
    for case in wrong:
        table[case.kind]["taken for one" if mask(case.text).kinds else "left alone"] += 1
    sums = sum(table.values(), Counter[str]())
    recall = sums["found"] / (sums["found"] + sums["missed"])
    precision = sums["found"] / (sums["found"] + sums["too much"] + sums["taken for one"])
    print(f"\n{part}: recall {recall:.3f}, precision {precision:.3f}, {dict(sums)}")
    for kind, row in sorted(table.items()):
        print(f"  {kind:22} {dict(row)}")
    assert recall >= MINIMUM
    assert precision >= MINIMUM


def test_a_token_is_known_by_its_kind() -> None:
    rng = random.Random(SEED)
    got = {kind: {secret.kind for form in forms for secret in find(made(form, rng))} for kind, forms in FORMS.items()}
    assert got == {kind: {kind} for kind in FORMS}


PIECES = [case.text for case in positives(held_out=False, seed=5, rounds=1)]
PIECES += [case.secret for case in positives(held_out=True, seed=6, rounds=1)]
PIECES += [case.text for case in look_alikes(held_out=False, seed=7, rounds=1)]
PIECES += [
    "password",
    "=",
    ": ",
    '"',
    "'",
    "token",
    "&",
    ";",
    "https://a:",
    "@",
    "[secret: ",
    "]",
    "Bearer ",
    "\\n",
    "İ",
    " is ",
]
PIECES += ["&b=2", "x9!k2Wd", "]: ", "secret", " to ", made("<w:30>7", random.Random(9)), "--", "[secret: password]", "api key"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).flatmap(
    lambda pieces: st.sampled_from(["", " ", "\n", ","]).map(lambda between: between.join(pieces))
)


@given(TEXTS)
def test_masking_twice_is_masking_once(text: str) -> None:
    once = mask(text)
    assert mask(once.text) == (once.text, ())


@given(TEXTS)
def test_nothing_but_the_secrets_changes(text: str) -> None:
    secrets = find(text)
    rest, at = [], 0
    for secret in secrets:
        assert at <= secret.start < secret.stop <= len(text)
        rest.append(text[at : secret.start])
        at = secret.stop
    rest.append(text[at:])
    if not find("".join(part + placeholder("x") for part in rest)):
        marks = [placeholder(secret.kind) for secret in secrets]
        assert mask(text).text == "".join(part + mark for part, mark in zip(rest, [*marks, ""], strict=True))
    if not secrets:
        assert mask(text).text is text


@given(st.text(max_size=200))
def test_any_text_can_be_masked(text: str) -> None:
    assert mask(mask(text).text).kinds == ()


def test_no_placeholder_is_a_secret_whatever_stands_before_it() -> None:
    for kind in sorted(KINDS):
        mark = placeholder(kind)
        for before in ("", "password=", 'password: "', "the token is ", "https://ada:", "Authorization: Bearer ", "--api-key "):
            assert mask(f'{before}{mark}"@host and more').kinds == ()


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a=1&password=<w:9>7&b=2", "a=1&password=[secret: password]&b=2"),
        ('password="<w:9>7, x" and more', 'password="<w:9>7, x" and more'),  # a sentence in quotes is no password
        ("Pwd=<w:9>7;Database=shop", "Pwd=[secret: password];Database=shop"),
        ("(token: <w:30>7).", "(token: [secret: token])."),
        ("TOKEN=" + "ghp" + "_<w:36> # old", "TOKEN=[secret: github token] # old"),
        ('{\\"password\\": \\"<w:9>7\\"}', '{\\"password\\": \\"[secret: password]\\"}'),
        ("token=<w:300>7 end", "token=[secret: token] end"),
    ],
)
def test_where_a_value_ends(text: str, want: str) -> None:
    text = made(text, random.Random(SEED))
    assert mask(text).text == made(want, random.Random(SEED))


@pytest.mark.parametrize(
    "piece",
    [
        *("sk-", "password=", "eyJ", "eyJaaaaaaaaaa.eyJ", "://a:", "a:b@", "password password is ", 'api_key="', "token:"),
        *("M", "pat", "-----BEGIN A PRIVATE " + "KEY-----a\\n", "Authorization: Basic ", "SG.aaaaaaaaaaaaaaaa.", "secret_"),
        "password=" + "Ab" * 99 + "1_",
    ],
)
def test_hostile_repetition_is_looked_at_in_a_straight_line(piece: str) -> None:
    """What grows with the square of the length would not end here before the test's own time is over."""
    once = mask(mask(piece * (100_000 // len(piece))).text)
    assert once.kinds == ()


def test_json_is_masked_by_names_and_by_forms() -> None:
    rng = random.Random(SEED)
    key, word = made("ghp" + "_<w:36>", rng), made("<w:9>7", rng)
    value = {"db": {"password": word, "port": 5432, "hosts": ["a", None, True]}, "notes": [f"use {key}"], key: 1, "apiKey": key}
    clean, kinds = mask_json(value)
    assert clean == {
        "db": {"password": "[secret: password]", "port": 5432, "hosts": ["a", None, True]},
        "notes": ["use [secret: github token]"],
        "[secret: github token]": 1,
        "apiKey": "[secret: github token]",
    }
    assert sorted(kinds) == ["github token", "github token", "github token", "password"]
    again, none = mask_json(clean)
    assert again is clean
    assert none == ()


def test_names_that_become_the_same_keep_both_values() -> None:
    rng = random.Random(SEED)
    clean, _ = mask_json({made("ghp" + "_<w:36>", rng): 1, made("ghp" + "_<w:36>", rng): 2})
    assert isinstance(clean, dict)
    assert sorted(clean.values()) == [1, 2]


def test_it_is_told_in_words() -> None:
    assert told(["github token"]) == "1 secret masked (github token)"
    assert told(["jwt", "password", "jwt"]) == "3 secrets masked (jwt, password)"
