"""Names and numbers that a text has and its source has not."""

from __future__ import annotations

import pytest

from lodmem.text.faithful import invented, support

SOURCE = (
    "Ada: The launch moved to June 3, 2025 at 14:00, since Brian's team needs 1,200 more tests.\n"
    "user: We have three servers in Berlin and version 2.5 of Tool-Y, from 10-12 o'clock. Thanks, Anna-Lena!"
)


@pytest.mark.parametrize(
    "text",
    [
        "Ada moved the launch to June 3 at 14:00.",
        "The launch moves to june 3, 2025.",
        "Brian’s team needs 1200 tests; 3 servers are in BERLIN.",
        "Discusses moving the launch. Releasing it waits for Brian.",
        "Version 2.5 of Tool-Y runs on three servers. However, Anna wrote “Thanks”.",
        "From 10 to 12 the servers of Ada's team rest; I'm told so.",
        "One of the servers is in Berlin.",
        "",
    ],
)
def test_what_the_source_has(text: str) -> None:
    assert invented(text, SOURCE) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The launch moved to June 4.", ["4"]),
        ("The launch moved to July 3.", ["July"]),
        ("The launch is at 15:00.", ["15:00"]),
        ("Version 2 runs.", ["2"]),
        ("Brian needs 12,000 tests.", ["12,000"]),
        ("Brian needs 1,201 tests.", ["1,201"]),
        ("It is 2025-06-03.", ["2025-06-03"]),
        ("Five servers are in Berlin.", ["Five"]),
        ("Paris has the servers.", ["Paris"]),
        ("Ada told Carla, and Carla told Dora.", ["Carla", "Dora"]),
        ("Ada uses AWS and iPhones.", ["AWS", "iPhones"]),
        ("Ada moved it. Dr. Jones agrees.", ["Dr", "Jones"]),
        ("- Müller moved the launch", ["Müller"]),
    ],
)
def test_what_the_source_lacks(text: str, found: list[str]) -> None:
    assert invented(text, SOURCE) == found


def test_other_scripts() -> None:
    source = "Анна перенесла запуск на 3 июня. 会议定于3月5日。"
    assert invented("Запуск перенесла Анна. 会议3月5日", source) == []
    assert invented("Запуск перенесла Мария.", source) == ["Мария"]
    assert invented("会议3月6日", source) == ["6"]


def test_support_is_the_share_of_words_that_the_source_has() -> None:
    assert support("Launching servers, teams, bananas", SOURCE) == 0.75
    assert support("会议定于3月5日", "会议定于3月5日。谢谢") == 1.0
    assert support("", SOURCE) == support("…", SOURCE) == 1.0
    assert support("bananas", SOURCE) == 0.0
    assert support("bananas", "") == 0.0


def test_a_text_is_true_to_itself() -> None:
    assert invented(SOURCE, SOURCE) == []
