"""Sixty-odd invented turns of several days, and what somebody who read them would keep. Every name and number is made up."""

from __future__ import annotations

from lodmem.model.memory import Draft, Source

DAYS: tuple[tuple[str, ...], ...] = (
    (
        "Nora: Hi there!",
        "assistant: Hello! How can I help you today?",
        "Nora: I am planning the move of our bakery to the new shop in Lindau.",
        "assistant: That sounds exciting. You should make a list of everything you need to move first.",
        "Nora: Good idea, thanks!",
        "Nora: Our oven is a Kessler 40 and it needs a socket with three phases.",
        "assistant: Got it. Consider asking an electrician before the move.",
        "Nora: We decided to keep the shop closed on Mondays, as Jonas has asked for it.",
        "assistant: Ok, noted.",
        "Nora: Jonas is my brother and he runs the bakery's accounts.",
        "assistant: Understood. Would you like me to draft a plan?",
        "Nora: Yes please.",
        "assistant: 1. Measure the shop. 2. Ask for offers. 3. Try to book a van early.",
        "Nora: lol that was quick",
        "Nora: I prefer short lists to long texts, so keep it like this.",
    ),
    (
        "Nora: Good morning!",
        "assistant: Good morning, Nora. What can I do for you?",
        "Nora: The rye dough failed again because the cellar was below 16 degrees.",
        "assistant: Maybe you could put a heater there. Let me know if it helps.",
        "Nora: Did you know that sourdough is alive?",
        "assistant: Yes! It is a culture of wild yeast and bacteria.",
        "Nora: My apprentice Tilda is allergic to hazelnuts.",
        "assistant: Thanks for telling me. You should label everything with nuts.",
        "Nora: We never sell yesterday's bread at full price.",
        "assistant: Understood.",
        "Nora: hmm",
        "Nora: Who was that customer with the green hat?",
        "assistant: I don't know, you have not told me about that person.",
        "Nora: ok",
        "Nora: The supplier Mehlmann delivers flour every Thursday at 5:30.",
        "assistant: Great, I will remember that.",
    ),
    (
        "Nora: hey",
        "assistant: Hey! What is on your mind?",
        "Nora: The rye dough failed again because the cellar was below 16 degrees.",
        "assistant: Sorry to hear that. How about a proofing box?",
        "Nora: Maybe. I guess it would be too expensive.",
        "Nora: We have switched from paper orders to the tablet by the till.",
        "assistant: Nice, that should save you time!",
        "Nora: It does.",
        "Nora: The rent of the shop in Lindau is 1,850 a month.",
        "assistant: Noted. Is that with heating?",
        "Nora: No.",
        "Nora: haha the cat was in the flour store again",
        "assistant: Oh no! Cats love warm places.",
        "Nora: I usually get up at 2:45 and go to bed at 19:00.",
        "assistant: That is early! Make sure to get enough rest.",
        "Nora: thanks, bye",
        "assistant: Bye!",
    ),
    (
        "Nora: Morning. Jonas moved the opening in Lindau from May 2 to May 16.",
        "assistant: Thanks, I have noted the new date. Do you want me to write to the landlord?",
        "Nora: Yes.",
        "assistant: The first print of the flyers failed because the printer Olivetti 7 had no yellow ink.",
        "Nora: oh well",
        "Nora: The rye dough failed again because the cellar was below 16 degrees.",
        "assistant: That is the third time. Try to measure it every evening.",
        "Nora: Tilda starts her exam in baking on June 21.",
        "assistant: I wish her luck!",
        "Nora: Always answer me in English, even when I write in German.",
        "assistant: Will do.",
        "Nora: What is the weather like?",
        "assistant: I cannot see the weather, sorry.",
        "Nora: My neighbour plays the trumpet all the time.",
        "Nora: cool",
        "assistant: Anything else?",
        "Nora: no, good night",
    ),
)

# A few words of each thing worth keeping: a pattern that holds all of them has it.
KNOWN = (
    ("oven", "Kessler 40"),
    ("closed on Mondays",),
    ("Jonas", "brother"),
    ("prefer short lists",),
    ("rye dough failed", "16 degrees"),
    ("Tilda", "hazelnuts"),
    ("never sell yesterday's bread",),
    ("Mehlmann", "Thursday", "5:30"),
    ("tablet",),
    ("rent", "1,850"),
    ("2:45",),
    ("opening in Lindau", "May 16"),
    ("Tilda", "June 21"),
    ("answer me in English",),
    ("trumpet",),
    ("move of our bakery", "Lindau"),
    ("Olivetti 7",),
)


def drafts(space: str = "main") -> list[Draft]:
    """Each turn as an episode; a day is a session."""
    return [
        Draft(full=turn, space=space, source=Source("chat", f"day {day}", n), meta={"speaker": turn.partition(":")[0]})
        for day, turns in enumerate(DAYS)
        for n, turn in enumerate(turns)
    ]
