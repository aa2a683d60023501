"""Arguments as language models really write them: what is clear is accepted, what is not is refused in useful words."""

from __future__ import annotations

import pytest

from lodmem.errors import BadParameter
from lodmem.mcp_server.arguments import MAX_IDS, Arguments


def args(**given: object) -> Arguments:
    return Arguments(given, ("a", "b"))


def test_an_unknown_argument_is_named_with_the_known_ones() -> None:
    with pytest.raises(BadParameter, match="'z'") as caught:
        Arguments({"z": 1, "a": 2}, ("a", "b"))
    assert caught.value.hint == "known: a, b"


def test_null_is_absent_even_for_an_unknown_name() -> None:
    empty = Arguments({"a": None, "z": None}, ("a",))
    assert empty.text("a") is None
    assert empty.words("a") == ()
    assert empty.number("a") is None
    assert empty.whole("a", low=1) is None
    assert Arguments(None, ("a",)).word("a") is None


def test_text_is_kept_byte_for_byte_and_words_are_trimmed() -> None:
    assert args(a="  x\n").text("a") == "  x\n"
    assert args(a="").text("a") == ""
    assert args(a="  x\n").word("a") == "x"
    assert args(a="   ").word("a") is None


@pytest.mark.parametrize("value", [1, True, [], ["x"], {"x": 1}])
def test_text_must_be_a_string(value: object) -> None:
    with pytest.raises(BadParameter, match="a must be a string"):
        args(a=value).text("a")


@pytest.mark.parametrize(
    ("value", "want"),
    [("cats", ("cats",)), (["cats", " dogs "], ("cats", "dogs")), ([], ()), ("", ()), (["", " "], ()), (["x", ""], ("x",))],
)
def test_one_string_stands_for_a_list(value: object, want: tuple[str, ...]) -> None:
    assert args(a=value).words("a") == want


@pytest.mark.parametrize("value", [0, 5, False, {"x": 1}, [1], ["x", None], [["x"]]])
def test_a_list_of_strings_holds_strings(value: object) -> None:
    with pytest.raises(BadParameter, match="a must be a list of strings"):
        args(a=value).words("a")


def test_a_choice_ignores_case_and_lists_what_there_is() -> None:
    assert args(a="Full").choice("a", ("full", "none")) == "full"
    assert args(a="").choice("a", ("full", "none")) is None
    with pytest.raises(BadParameter, match="full, none"):
        args(a="fuller").choice("a", ("full", "none"))


@pytest.mark.parametrize(("value", "want"), [(7, 7), ("7", 7), (7.0, 7), ("7.0", 7), (" 7 ", 7)])
def test_a_whole_number_in_any_clear_form(value: object, want: int) -> None:
    assert args(a=value).whole("a", low=1, high=7) == want


@pytest.mark.parametrize("value", [0, 8, -1, 1.5, "1.5", 1e300, 10**400])
def test_a_whole_number_outside_its_range_is_refused(value: object) -> None:
    with pytest.raises(BadParameter, match="from 1 to 7"):
        args(a=value).whole("a", low=1, high=7)


@pytest.mark.parametrize("value", [True, "many", [1], {}, float("nan"), float("inf"), "nan", "1e999"])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(BadParameter, match="a must be a number"):
        args(a=value).number("a")


@pytest.mark.parametrize(
    "value", [482, "482", "#482", " #482 ", [482], ["#482"], "[482]", "#482, #482", [482, "482"], ["482", ""]]
)
def test_an_id_in_any_clear_form(value: object) -> None:
    assert args(a=value).ids("a") == (482,)


def test_several_ids_keep_their_order() -> None:
    assert args(a="9, #3 7").ids("a") == (9, 3, 7)
    assert args(a=[9, "#3", 9]).ids("a") == (9, 3)


@pytest.mark.parametrize("value", [0, -4, 1.5, True, "x", "4x", [None], [[4]], {"id": 4}, 2**63, "9" * 30])
def test_what_is_no_id_is_refused(value: object) -> None:
    with pytest.raises(BadParameter, match="not a memory id"):
        args(a=value).ids("a")


@pytest.mark.parametrize("value", [None, [], "", " "])
def test_ids_must_be_there(value: object) -> None:
    with pytest.raises(BadParameter, match="a is missing"):
        args(a=value).ids("a")


def test_too_many_ids_are_refused() -> None:
    assert len(args(a=list(range(1, MAX_IDS + 1))).ids("a")) == MAX_IDS
    with pytest.raises(BadParameter, match=f"{MAX_IDS + 1} ids"):
        args(a=list(range(1, MAX_IDS + 2))).ids("a")
