"""Tags by row, against a dictionary."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lodmem.scan.labels import Labels

TAGS = st.lists(st.sampled_from(["home", "work", "draft"]), unique=True, max_size=3)


@given(steps=st.lists(st.tuples(st.integers(0, 9), TAGS, st.booleans()), max_size=30))
def test_what_was_set_last_holds(steps: list[tuple[int, list[str], bool]]) -> None:
    labels, held = Labels(), dict[int, list[str]]()
    for row, tags, into_a_block in steps:
        labels.set(row, tags, fresh=row not in held)
        held[row] = tags
        if into_a_block:
            labels = Labels(*labels.block())
        assert labels.of(row) == tuple(sorted(tags))
    for tag in ("home", "work", "draft", "never"):
        assert labels.holding(tag).tolist() == sorted(row for row, tags in held.items() if tag in tags)
