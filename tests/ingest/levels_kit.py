"""A text that is long enough for levels, a model's good answers about it, and waiting for what a thread does."""

from __future__ import annotations

import time
from collections.abc import Callable

FULL = (
    "Ada opened the meeting number {n} and asked where the launch stands. Brian said that his team still needs to run 1,200"
    " tests on the three servers in Berlin, because the old run failed on a full disk. Nobody had noticed it for 9 days. Ada"
    " then moved the launch from May 20 to June 3, and asked Brian to send a short note every Friday until then. Carla from"
    " finance was not happy with the delay, since the invoices of spring depend on it, but she agreed in the end."
)
SUMMARY = "Ada moved the launch from May 20 to June 3 because Brian still needs to run 1,200 tests in Berlin."
LEAD = "Ada moves the launch to June 3 because tests in Berlin failed."


def good(system: str, user: str) -> str:
    return LEAD if "headline" in user else SUMMARY


def until(done: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)
