"""Short notes: the same sentence with another value, what says that something is over, and what only looks like it."""

from __future__ import annotations

import pytest

from lodmem.ingest.conflicts.find import find_conflict
from lodmem.ingest.conflicts.notes import notes
from lodmem.model.conflict import Reason

pytestmark = pytest.mark.req("R5.25")

ONE_PLACE = [
    ("number", "The ferry timetable service listens on port 8412.", "The ferry timetable service listens on port 8977."),
    ("number", "There are 4 lanterns on the east mole.", "There are 6 lanterns on the east mole."),
    (
        "date",
        "The keel of the Sandpiper is laid on 3 June, in the small dock.",
        "The keel of the Sandpiper is laid on 17 June.",
    ),
    ("time", "Evening watch begins at 19:30, bring a lamp.", "Evening watch begins at 20:15, bring a lamp."),
    ("name", "The slipway is run by Odalys.", "The slipway is run by Bertrand."),
    ("state", "Charts are printed on linen paper.", "Charts are printed on waterproof film."),
    ("name", "Radio logs are kept in Cormorant, one page per watch.", "Radio logs are kept in Albatross, one page per watch."),
    ("state", "The north crane is broken, use the other one.", "The north crane is working, use the other one."),
    ("negation", "Visitors are allowed on the slipway.", "Visitors are not allowed on the slipway."),
    ("negation", "The foghorn answers calls at night.", "The foghorn does not answer calls at night."),
]
OVER = [
    ("name", "Our tide tables come from Marlin, twice a year.", "We replaced Marlin: our tide tables come from Petrel.", True),
    ("name", "The harbour office books berths in Quayside.", "The harbour office moved from Quayside to Berthold.", True),
    (
        "number",
        "The dredger may take 40 tonnes a day.",
        "The limit of the dredger has been raised from 40 to 55 tonnes a day.",
        True,
    ),
    ("negation", "The pilot boat sails on Sundays.", "The pilot boat no longer sails on Sundays.", True),
    ("place", "The spare anchors are in the old boathouse.", "The spare anchors have been moved to Pier 7.", False),
    ("state", "The dredging permit is pending at the ministry.", "The dredging permit was granted by the ministry.", False),
    ("name", "Lifeboat drills are led by Ingmar.", "Ingmar has left, lifeboat drills are led by Solveig.", False),
]
ALIKE = [
    ("another thing", "The east mole has 4 lanterns.", "The west mole has 6 lanterns."),
    ("another of its kind", "Sailing 14 leaves on 3 June.", "Sailing 15 leaves on 17 June."),
    ("its subject", "The backup of the tide database is on port 5400.", "The backup of the log database is on port 5401."),
    (
        "its owner",
        "Picture night: Odalys's choice, the one with whales.",
        "Picture night: Bertrand's choice, the one with whales.",
    ),
    ("beside each other", "Odalys likes smoked mackerel.", "Odalys likes pickled herring."),
    ("an event", "The crane dropped 3 crates.", "The crane dropped 5 crates."),
    ("one day", "The wind at the mole today is 6 Beaufort.", "The wind at the mole today is 3 Beaufort."),
    ("history", "The ferry carries 300 cars.", "Back in 1990 the ferry carried 120 cars."),
    ("a target", "The goal is 500 berths in the new harbour.", "The new harbour has 420 berths."),
    ("the same in other words", "Watch begins at 7 pm.", "Watch begins at 19:00."),
    ("where else it holds", "Dogs are welcome in the chandlery in Roskvik.", "Dogs are welcome in the chandlery in Tornby."),
    ("somebody else", "Ingmar smokes on the slipway.", "Solveig no longer smokes on the slipway."),
    ("something else is over", "The pilot boat prints its log.", "The pilot boat no longer prints its chart."),
    ("a condition", "Use the horn when it is foggy.", "Use the bell when it is calm."),
    ("the unit", "The harbour plan allows 50 boats.", "The harbour plan allows 3 jetties."),
    ("its kind", "The early watch has three people.", "The late watch has two people."),
    ("a part", "The fleet has 12 boats.", "Three boats of the fleet are from Tornby."),
    ("making up one's mind", "user: I think I'll go with the blue buoy.", "user: I think I'll go with the brass lamp."),
    ("asking for something", "user: I'm looking for a book on knots.", "user: I'm looking for a film on whales."),
    ("told elsewhere of whom", "He lives on Pier 4.", "He lives on Pier 9."),
    ("who moved", "Odalys sails to customers in Roskvik.", "Odalys moved to the office in Tornby."),
]


@pytest.mark.parametrize(("reason", "older", "newer"), ONE_PLACE)
def test_the_same_sentence_with_another_value_is_a_conflict(reason: str, older: str, newer: str) -> None:
    finding = find_conflict(older, newer)
    assert finding is not None
    assert finding.reason is Reason(reason)
    assert not finding.explicit


@pytest.mark.parametrize(("reason", "older", "newer", "explicit"), OVER)
def test_what_is_said_to_be_over_is_a_conflict(reason: str, older: str, newer: str, *, explicit: bool) -> None:
    finding = find_conflict(older, newer)
    assert finding is not None
    assert (finding.reason, finding.explicit) == (Reason(reason), explicit)


@pytest.mark.parametrize(("why", "one", "other"), ALIKE)
def test_what_only_looks_alike_is_none(why: str, one: str, other: str) -> None:
    assert find_conflict(one, other) is None, why
    assert find_conflict(other, one) is None, why


@pytest.mark.parametrize("speaker", ["assistant: ", "Odalys: ", "user: "])
def test_who_says_it_must_be_the_same_and_no_talk(speaker: str) -> None:
    older, newer = "Charts are printed on linen paper.", "Charts are printed on waterproof film."
    assert find_conflict(older, newer) is not None
    assert find_conflict(older, speaker + newer) is None
    assert (find_conflict(speaker + older, speaker + newer) is None) == (speaker != "user: ")


def test_a_long_text_and_one_that_asks_are_no_notes() -> None:
    assert notes("The ferry carries 300 cars, does it not?") == ()
    assert notes("The ferry carries 300 cars. " * 20) == ()
    assert notes("The ferry\ncarries 300 cars.") == ()
    assert notes("[shares a photo of a ferry in a harbour]") == ()
    (note,) = notes("The ferry's crane now lifts 12 tonnes, on calm days.")
    assert (note.low[note.verb or 0], note.subject) == ("lifts", frozenset({"ferri", "crane"}))
