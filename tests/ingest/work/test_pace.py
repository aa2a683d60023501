"""How long is waited after failures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lodmem.ingest.work.pace import FIRST_US, LONGEST_PAUSE_US, LONGEST_US, Pauses, wait_us

CHANCES = st.floats(0, 1)


def test_it_doubles_up_to_an_hour() -> None:
    assert [wait_us(n, 0.0) // 1_000_000 for n in (1, 2, 3, 4, 9, 10, 11, 99)] == [5, 10, 20, 40, 1280, 2560, 3600, 3600]
    assert wait_us(1, 1.0) == FIRST_US * 3 // 2


@given(st.integers(-1, 10_000), CHANCES, CHANCES)
def test_it_never_shrinks_and_chance_adds_half_at_most(failures: int, chance: float, other: float) -> None:
    here, next_ = wait_us(failures, chance), wait_us(failures + 1, 0.0)
    assert wait_us(failures, 0.0) <= here <= wait_us(failures, 1.0) <= LONGEST_US * 3 // 2
    assert next_ >= wait_us(failures, 0.0) >= FIRST_US
    assert (chance <= other) == (here <= wait_us(failures, other)) or here == wait_us(failures, other)


def test_a_pause_lasts_longer_each_time_until_a_success() -> None:
    pauses, ends = Pauses(), []
    for _ in range(9):
        pauses.failed("a", now_us=1000, chance=0.0)
        ends.append(pauses.next_us())
    assert ends[:3] == [1000 + FIRST_US, 1000 + 2 * FIRST_US, 1000 + 4 * FIRST_US]
    assert ends[-1] == 1000 + LONGEST_PAUSE_US
    assert pauses.holds("a", 1000 + LONGEST_PAUSE_US - 1)
    assert not pauses.holds("a", 1000 + LONGEST_PAUSE_US)
    assert not pauses.holds("b", 0)
    pauses.succeeded("a")
    assert pauses.next_us() is None
    pauses.failed("a", now_us=0, chance=0.0)
    assert pauses.next_us() == FIRST_US
