"""Who stands beside whom, against sorting everything anew."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lodmem.lod.relevance import NEIGHBOUR_OFFSETS
from lodmem.scan.sources import Placing, Sources

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("join"), st.integers(0, 2), st.integers(0, 9)),
        st.tuples(st.just("leave"), st.integers(0, 40), st.just(0)),
        st.tuples(st.just("rank all"), st.just(0), st.just(0)),
    ),
    max_size=40,
)


def sorted_anew(members: list[tuple[int, int, int, int]], rows: int) -> list[list[int]]:
    """`beside` from (source, sequence, id, row) of all that are there."""
    beside = [[-1] * len(NEIGHBOUR_OFFSETS) for _ in range(rows)]
    for source in {m[0] for m in members}:
        order = [row for _, _, _, row in sorted(m for m in members if m[0] == source)]
        for place, row in enumerate(order):
            for column, offset in enumerate(NEIGHBOUR_OFFSETS):
                if 0 <= place + offset < len(order):
                    beside[row][column] = order[place + offset]
    return beside


@given(steps=STEPS)
def test_joining_and_leaving_in_any_order(steps: list[tuple[str, int, int]]) -> None:
    count = 50
    placing = Placing(np.zeros(count, np.int64), np.arange(1, count + 1), np.full((count, 4), -1, np.int32))
    source, alive = np.full(count, -1, np.int32), np.zeros(count, np.bool_)
    sources = Sources()
    for name in "abc":
        sources.number(("main", "chat", name))
    members: list[tuple[int, int, int, int]] = []
    row = 0
    for step, first, second in steps:
        if step == "join":
            placing.sequence[row], source[row], alive[row] = second, first, True
            members.append((first, second, row + 1, row))
            sources.join(first, (second, row + 1, row), placing)
            row += 1
        elif step == "leave" and members:
            gone = members.pop(first % len(members))
            alive[gone[3]] = False
            sources.leave(gone[0], gone[1:], placing)
        elif step == "rank all":
            sources.rank_all(source, alive, placing)
        there = sorted(m[3] for m in members)
        assert placing.beside[there].tolist() == [sorted_anew(members, count)[r] for r in there]
