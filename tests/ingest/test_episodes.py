"""Episode class and importance without a model: made-up examples of each, and what must hold for any text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.engine import Engine
from lodmem.ingest.episodes import (
    CONSTITUTIONAL,
    EPISODE_CLASSES,
    MAX_READ,
    NOISE,
    UNCATEGORIZED,
    episode_class_of,
    importance_of,
)
from tests.conftest import settled

pytestmark = pytest.mark.req("R5.14")

LOG = """2025-06-01 10:00:01 INFO starting worker 3
2025-06-01 10:00:02 INFO connected to db-4
2025-06-01 10:00:05 INFO 120 rows copied
2025-06-01 10:00:09 INFO done"""
LISTING = """total 48
-rw-r--r-- 1 ada staff  1204 Jun  1 10:00 notes.md
-rw-r--r-- 1 ada staff   312 Jun  1 10:01 tasks.md
drwxr-xr-x 2 ada staff  4096 Jun  1 10:02 people
drwxr-xr-x 2 ada staff  4096 Jun  1 10:02 rules"""
EXAMPLES = {
    NOISE: [
        "ok", "OK.", "Thanks!", "user: thank you so much", "Great, that works perfectly.", "yes please", "Hi!", "hello there",
        "Good morning everyone", "bye, see you tomorrow", "You're welcome",
        "lol", "haha nice", "👍", "...", "—", "Sounds good.",
        "assistant: Sure!", "Got it, thanks", "no worries", "yes", "No.", "Okay, continue please",
        "[Request interrupted by user]", "(no content)", "No output.", "null", "test", "HEARTBEAT_OK", "[image omitted]",
        "assistant did:\n- Bash: make test\n- Read: src/app.py", LOG, LISTING,
        '{\n  "id": 4,\n  "name": "row",\n  "ok": true\n}',
        "Collecting numpy\nDownloading numpy\nInstalling numpy\nUsing cached wheel",
    ],
    CONSTITUTIONAL: [
        "Always use tabs, never spaces.", "user: Please never deploy on Fridays.", "From now on, always answer in German.",
        "Rule: never commit to main without a review.", "Never ever share my address with anyone.",
        "Don't ever delete a backup.",
        "Under no circumstances send mail in my name.", "You must always ask before you buy something.",
        "My core values are honesty and patience.", "I value plain words over politeness.",
        "What matters most to me is that nobody is left behind.", "Privacy is non-negotiable.", "I believe in open source.",
        "I will never eat meat.", "Our principle is that the customer reads the bill first.",
        "Make sure to never log a password.",
        "Remember: always run the tests before a release.", "Always keep a copy.", "Always give the source of a number.",
    ],
    UNCATEGORIZED: [
        "Ada moved the launch to June 3.", "I've never been to Paris.", "I always forget my keys.", "Never saw it.",
        "Never mind the first one, take the blue one.", "Always happy to help you.", "Never been there before.", "Always late!",
        "assistant: Always use parameterised queries.", "Should I always use tabs?", "Brian said he always drinks tea.",
        "Thanks, that works. How do I install it on the second machine?", "ok, the launch is June 3", "What time is it?",
        "我喜欢喝茶。", "Danke, bis morgen am Bahnhof um 9 Uhr.", "We never found out why the server in Oslo failed.",
        f"Here is what the worker printed this morning:\n{LOG}", LOG.replace("INFO done", "ERROR disk is full"),
        "I believe in you!", "Always here to help!", "You can always count on me.", "Never give up, you are nearly there!",
        "The meeting is at three.", "Yes, I moved to Lisbon in March.",
        "The values in the table are wrong.", "I believe that it starts at nine.", "1984",
        "No, the second server.", "Good restaurants in Rome: Da Enzo, Armando.",
        "Our team shipped the new search. Brian measured it. Ada wrote the page. Carla paid the bill. Dora sang. Emil cooked."
        " Never skip lunch.",
    ],
}  # fmt: skip
PAIRS = [(text, expected) for expected, texts in EXAMPLES.items() for text in texts]


@pytest.mark.parametrize(("text", "expected"), PAIRS)
def test_the_class_of_examples(text: str, expected: str) -> None:
    assert episode_class_of(text) == expected


@pytest.mark.req("R5.15")
def test_importance_orders_texts_as_a_person_would() -> None:
    ordered = [
        "ok thanks",
        "What time is it?",
        "It rains.",
        "Brian drinks tea in the afternoon because coffee keeps him awake.",
        "We decided to move the launch from May 20 to June 3, because the tests failed.",
        "Never deploy on Fridays.",
    ]
    found = [importance_of(text) for text in ordered]
    assert found == sorted(set(found))
    assert (found[0], found[-1]) == (0.1, 0.9)
    assert importance_of("I am allergic to nuts.") > importance_of("I had nuts today.")


@given(st.text(max_size=300) | st.text(alphabet='always nevr.?!: \n-"{}[]%', max_size=400))
def test_any_text_has_a_class_and_an_importance_and_keeps_them(text: str) -> None:
    found, number = episode_class_of(text), importance_of(text)
    assert found in EPISODE_CLASSES
    assert 0.1 <= number <= 0.9
    assert number == round(number, 2)
    assert (episode_class_of(text), importance_of(text)) == (found, number)


@given(st.sampled_from(EXAMPLES[CONSTITUTIONAL] + EXAMPLES[NOISE][:20]), st.sampled_from(["assistant", "system", "tool"]))
def test_no_machine_lays_down_the_law(text: str, speaker: str) -> None:
    if not text.startswith("user: "):
        assert episode_class_of(f"{speaker}: {text}") != CONSTITUTIONAL


def test_only_the_beginning_is_read() -> None:
    assert episode_class_of("ok " + " " * MAX_READ + "Never deploy on Fridays.") == NOISE


def test_a_memory_is_marked_when_it_is_written_and_noise_is_kept(engine: Engine) -> None:
    thanks = engine.remember("ok thanks")
    rule = engine.remember("Never deploy on Fridays.")
    plain = engine.remember("Ada moved the launch to June 3.")
    pattern = engine.remember("Never deploy on Fridays, they say.", kind="semantic")
    marks = [settled(engine, added.id).episode_class for added in (thanks, rule, plain, pattern)]
    assert marks == [NOISE, CONSTITUTIONAL, UNCATEGORIZED, None]
    assert thanks.id in engine.search("thanks", touch=False).ids
    assert settled(engine, thanks.id).full == "ok thanks"


@pytest.mark.req("R5.15")
def test_importance_is_what_the_writer_said_or_the_default_or_judged_when_asked(engine: Engine) -> None:
    said, default, judged = (
        engine.remember("Ada decided to sell the house.", **more)  # type: ignore[arg-type]
        for more in ({"importance": 0.2}, {"tags": ["a"], "space": "other"}, {"importance": None, "space": "third"})
    )
    values = [settled(engine, added.id).importance for added in (said, default, judged)]
    assert values == [0.2, 0.5, importance_of("Ada decided to sell the house.")]
    assert values[2] > 0.5
