"""Invented memories for the plane's tests: topics that keep together, two years of dates, use, floors, and hostile texts."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from lodmem.model.memory import Draft, Kind, Source, to_us

TOPICS: dict[str, tuple[str, ...]] = {
    "signing keys": ("release signing key", "hardware token", "key ceremony", "certificate", "expiry date"),
    "deploys": ("staging cluster", "rollback", "canary", "deploy pipeline", "release train"),
    "garden": ("tomato bed", "compost heap", "rain barrel", "apple tree", "greenhouse"),
    "billing": ("March invoice", "payment provider", "VAT number", "dunning letter", "annual plan"),
    "sailing": ("mainsail", "harbour fee", "tide table", "anchor winch", "night watch"),
    "databases": ("index bloat", "replica lag", "schema migration", "connection pool", "backup window"),
    "baking": ("sourdough starter", "rye flour", "oven stone", "proofing basket", "crust"),
    "hiring": ("phone interview", "reference call", "offer letter", "onboarding buddy", "trial day"),
    "cycling": ("rear derailleur", "brake pads", "mountain pass", "saddle height", "winter tyres"),
    "music": ("cello lesson", "string quartet", "metronome", "concert hall", "second violin"),
    "networks": ("firewall rule", "VPN tunnel", "DNS record", "load balancer", "packet loss"),
    "travel": ("night train", "visa form", "hotel deposit", "hiking map", "ferry ticket"),
}
PEOPLE = ("Nadia", "Tomas", "Ines", "Bo", "Yusuf", "Marta", "Ola", "Pia")
SHAPES = (
    "{who} moved the {thing} to {day} because the {other} was not ready.",
    "We agreed that the {thing} comes before the {other}; {who} keeps the list.",
    "{who} prefers to check the {thing} twice before touching the {other}.",
    "The {thing} failed again on {day}. {who} thinks that the {other} is the cause.",
    "How to handle the {thing}: ask {who}, look at the {other}, then write down what was done.",
)
LONG = (
    "It had come up twice before, and each time the notes were lost.",
    "Nobody objected, but two people wanted to see numbers first.",
    "The old way took about forty minutes, the new one five.",
    "It is written down in the handbook, on the page about {topic}.",
    "If it happens again, the {thing} should be looked at before anything else.",
    "{who} will report in two weeks.",
)
# Each finds something in full.
ASKS = (
    "sourdough starter", "night train", "the release signing key", "harbour fee", "compost heap", "cello lesson", "rye flour",
    "ferry ticket", "proofing basket", "replica lag", "tomato bed", "oven stone",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
HOSTILE = (
    "Release note <img src=x onerror=window.pwned=1> <script>window.pwned=1</script> about the release signing key",
    "Invoice \u202egnp.exe\u202c for the annual plan \u2066and the March invoice",
    "{{constructor.constructor('window.pwned=1')()}} ${window.pwned=1} cello lesson",
    "zero\u200bwidth \ufeffspaces in the tide table, a bell \x07 and a null-like \u0001 too",
)


def invented(count: int, now: datetime, seed: int = 11) -> list[Draft]:
    """`count` drafts by rising date, all before `now`; the same for the same arguments. The last ones are hostile."""
    chance = random.Random(seed)
    days = sorted(chance.betavariate(1.6, 1.1) * 700 for _ in range(count))
    return [_draft(chance, i, now - timedelta(days=700 - day), hostile=count - i <= len(HOSTILE)) for i, day in enumerate(days)]


def _draft(chance: random.Random, i: int, when: datetime, *, hostile: bool) -> Draft:
    topic = chance.choice(list(TOPICS))
    thing, other = chance.sample(TOPICS[topic], 2)
    words = {"who": chance.choice(PEOPLE), "thing": thing, "other": other, "day": chance.choice(DAYS), "topic": topic}
    text = chance.choice(SHAPES).format(**words) + f" Entry {i}."
    if chance.random() < 0.25:
        text += " " + " ".join(line.format(**words) for line in chance.sample(LONG, 5))
    if hostile:
        text = f"{HOSTILE[i % len(HOSTILE)]} Entry {i}."
    return Draft(
        full=text,
        space=chance.choice(("main", "main", "main/research", "home")),
        agent=chance.choice(("default", "writer")),
        kind=chance.choice((Kind.EPISODIC, Kind.EPISODIC, Kind.SEMANTIC, Kind.PROCEDURAL)),
        created_us=to_us(when),
        tags=(topic.replace(" ", "-"), *(("foundational",) if chance.random() < 0.01 else ())),
        source=Source(f"notes/{topic.replace(' ', '-')}.md", f"{when:%Y-%m}", i),
        importance=round(chance.random(), 2),
    )
