"""The sentences of an episode that state a preference, a rule, a decision, a habit or a fact. Pure; English, no model.

Each is judged alone, so it must stand alone: no question, no greeting, no advice, nothing that points back ("it", "that"). What
a machine says counts only where it reports (a decision, a failure), never what it recommends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lodmem.text.echo import without_echo
from lodmem.text.stopwords import CHATTER, COMMON, FIRST_PERSON, LABELS, STOP
from lodmem.text.units import split

MAX_A_EPISODE = 6
MIN_WORDS, MAX_WORDS = 4, 45
_MOST_SYMBOLS, _LEAST_LETTERS = 0.05, 0.7  # of the characters; beyond is code, a table, a log
_MACHINES = frozenset({"assistant", "ai", "bot", "agent", "system", "tool", "model", "claude", "chatgpt", "codex", "gpt"})
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence, who says it ('' not known), and the cues it holds (few of CUES); without any it counts only when repeated."""

    text: str
    speaker: str
    cues: frozenset[str]


def _cue(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


CUES: dict[str, re.Pattern[str]] = {
    "preference": _cue(
        r"prefers?|preferred"
        r"|(?:i|we|they|she|he|who) (?:really |also |both )?(?:likes?|loves?|hates?|dislikes?|enjoys?)\b"
        r"(?! (?:it|that|how|all|this|these|those|you|your)\b)"
        r"|(?-i:[A-Z]\w+) (?:really |also )?(?:likes|loves|hates|dislikes|enjoys)"
        r"|favou?rite|rather than|allergic|vegetarian|vegan|can(?:['’]t|not) stand"
        r"|do(?:es)?(?: not|n['’]t) (?:like|eat|drink|want|use|drive|fly|speak)|never (?:eats?|drinks?|uses?|works?)"
    ),
    "rule": _cue(
        r"always|never|must(?:n['’]t| not)?(?! have| be\b)|ha(?:s|ve) to|only (?:when|if|on|after|before|with)"
        r"|not allowed|forbidden|requires?|required|by default|policy|the rule"
        r"|needs? (?:two|three|an?|the) (?:\w+ )?(?:approvals?|reviews?|sign-?offs?)"
    ),
    "decision": _cue(
        r"decided?|decision|agreed|chose|chosen|settled on|going with|(?:we(?:['’]ll| will)) use|switched|moved (?:to|from)"
        r"|approved|picked|migrated|replaced|renamed|adopted|postponed|cancell?ed|no longer|instead of|moved the \w+"
        r"|is going to be|will (?:launch|ship|release|replace|lead|move|join|start)"
    ),
    "habit": _cue(
        rf"usually|often|every (?:time|day|week|month|year|morning|evening|night|{_DAYS}|other)"
        r"|each (?:time|day|week|month)"
        rf"|keeps? \w+ing|again and again|regularly|most (?:days|weeks)|tends? to|on (?:{_DAYS})s|all the time"
        r"|(?:once|twice) a (?:day|week|month|year)"
    ),
    "trouble": _cue(
        r"because|caused by|root cause|turned out|turns out|fails? when|failed|broke|crash(?:es|ed)|outage|fixed by|the reason"
    ),
}
_VERBS = (
    "is|are|was|were|has|have|owns?|lives?|works?|runs?|uses?|costs?|speaks?|studies|plays|manages?|leads?|belongs?|expires?"
    "|starts?|ends?|closes?|opens?|takes?|depends?|moved|born|named|called|located|listens?|stores?|responsible|bought|joined"
    "|married|owes?|teaches|sits?|hosts?|weighs?|contains?|holds?"
)
_STATES = re.compile(rf"\b(?:{_VERBS})\b")
# What somebody says of his own; not how he feels.
_OWN = re.compile(
    rf"\b(?:[Mm]y|[Oo]ur) (?:[\w'’-]+ ){{1,4}}?(?:{_VERBS})\b"
    r"|\bI(?:['’]m| am) (?:an?|from|the|in|at|on|\d+|allergic|married|based|responsible|using|working|\w+ years)\b"
    r"|\bI (?:work|live|have|own|play|study|speak|use|run|teach|drive|grew|moved|was born)\b"
)
_NAMED = re.compile(r"\d|(?<=[\w,;] )[A-Z][\w.-]+|^[A-Z][\w-]+(?:['’]s\b| [A-Z])")
_SUBJECT = re.compile(r"([A-Z][\w-]+) (?:is|has|lives|works|owns|leads|runs|uses|plays|teaches|starts|closes|opens)\b")
_ADVICE = re.compile(
    r"\b(?:you (?:should|could|can|might|may)|try (?:to|\w+ing|an?|the)|consider|should|recommend(?:ed|s)?|suggest(?:ed|s)?"
    r"|let['’]?s|let (?:me|us)|how about|why not|feel free|next time|if you|could you|can you|would you|i can|i hope"
    r"|(?:it['’]?s|it is) (?:best|better|important|worth|a good idea)|here (?:is|are)|here['’]s|(?:i['’]?d|i would) \w+)\b",
    re.IGNORECASE,
)
# Orders: with "always" or "never" somebody states a rule, otherwise it is something to be done once.
_ORDER = re.compile(
    r"\b(?:you (?:need|want|must|have to)|make sure|be sure|please|remember to|don['’]t forget|you['’]ll|i['’]ll|i will)\b",
    re.IGNORECASE,
)
_MEANT = re.compile(r"\b(?:always|never)\b", re.IGNORECASE)
_VAGUE = frozenset(
    {
        *(
            "it",
            "that",
            "this",
            "these",
            "those",
            "they",
            "he",
            "she",
            "him",
            "her",
            "them",
            "there",
            "here",
            "nope",
            "must",
            "so",
            "then",
            "which",
            "who",
            "what",
            "maybe",
            "perhaps",
            "if",
            "when",
        ),
        *("unless", "until", "gonna", "really", "glad"),
    }
)
_PASSING = re.compile(
    r"I(?:['’]m| am) (?:\w+ly )?(?:also )?(?:trying|looking|thinking|considering|wondering|having|struggling|getting|seeing"
    r"|going|not|encountering|experiencing|facing|preparing)\b"
    r"|I(?:['’]ve been| have been) \w+ing\b|I (?:also |really |just )?(?:want|need|hope|wonder|would like)\b",
    re.IGNORECASE,
)
_REPORT = re.compile(
    r"(?<!been )(?<!be )\b(?:failed|broke|crashed|turned out"
    r"|(?:was|were) (?:caused|fixed|replaced|moved|renamed|cancelled|postponed)|root cause was"
    r"|decided|agreed|switched|migrated|moved|postponed|no longer works)\b"
)
_TO_YOU = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_UNSURE = re.compile(
    r"\b(?:maybe|perhaps|might|i guess|not sure|i wonder|imagine|suppose|probably|hopefully|would be)\b", re.IGNORECASE
)
_LEAD_IN = re.compile(
    r"(?:(?:(?:note that|and|but|so|also|plus|actually|anyway|however|additionally)\b[,:]?"
    r"|(?:well|oh|yes|yeah|no|ok|okay|btw|by the way|fyi|honestly|right|sure|great|thanks|note|remember|again"
    r"|as i said|for the record|important)[,:!.])\s+)+",
    re.IGNORECASE,
)
_LISTED = re.compile(r"^\d\.\d\d  #\d+  .*$", re.MULTILINE)  # a line of `lodmem knowledge`
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_LABEL = re.compile(r"([A-Z][\w.'-]*(?: [A-Z][\w.'-]*)?): +(?=\S)")
_DECORATION = re.compile(r"^(?:[-*+•>#\s]|\d{1,3}[.)]\s|\[[ xX]\]\s)+|[*_`]{2,}")
_SYMBOL = re.compile(r"[=(){}\[\]<>;\\|@_$^&*+/]")
_FIRST = re.compile(r"\b(?:I|I['’]\w+|[Mm]e|[Mm]y|[Mm]ine|[Ww]e|[Ww]e['’]\w+|[Uu]s|[Oo]ur|[Oo]urs)\b")


def sayings(text: str, speaker: str = "") -> list[Saying]:
    """Sentences that could be patterns, in the text's order; `speaker` said all of it, '' not known. At most six hold cues."""
    found: list[Saying] = []
    cued = 0
    for unit in split(_LISTED.sub("", _CODE.sub("\n", without_echo(text)))):
        listed = _DECORATION.match(unit.text) is not None
        who, said = speaker or unit.speaker, cleaned(unit.text)
        if not speaker and not listed and not _is_machine(who):
            who, said = _labelled(who, said)
        if not _stands_alone(said) or not _is_whole(said, listed=listed or _is_machine(who)):
            continue
        cues = (None if listed else _reported(said)) if _is_machine(who) else _cues(said)
        if cues is None or (cues and cued >= MAX_A_EPISODE):
            continue
        cued += bool(cues)
        found.append(Saying(_spoken(said, who), who, cues))
    return found


def _is_machine(who: str) -> bool:
    return who.lower() in _MACHINES


def _labelled(who: str, said: str) -> tuple[str, str]:
    """A speaker who is named at the beginning of a sentence in the midst of a text, and what is said."""
    label = _LABEL.match(said)
    if label is None or label[1].lower() in LABELS:
        return who, said
    return label[1], cleaned(said[label.end() :])


def _is_whole(said: str, *, listed: bool) -> bool:
    """Whether it ends like a sentence. People leave the full stop out, but not where they write lists and headings."""
    return said.endswith((".", "!", ".)", '."', "。", "！")) or not listed


def cleaned(sentence: str) -> str:
    """The sentence without list signs, emphasis and words that only lead in; its first letter is large again."""
    text = " ".join(_DECORATION.sub("", sentence).split()).strip("\"“”'‘’ ")
    led = _LEAD_IN.match(text)
    if led is not None and len(text) - led.end() > 10:
        text = text[led.end() :]
    return text[:1].upper() + text[1:]


def advises(text: str) -> bool:
    """Whether a sentence recommends something rather than stating it; a rule ("always", "never") is a statement."""
    return bool(_ADVICE.search(text) or (_ORDER.search(text) and not _MEANT.search(text)))


def _spoken(said: str, who: str) -> str:
    """With its speaker where the sentence speaks of itself: "I" means nobody without one."""
    return f"{who}: {said}" if who and _FIRST.search(said) else said


def _stands_alone(said: str) -> bool:
    words = said.split()
    if not MIN_WORDS <= len(words) <= MAX_WORDS or said.endswith(("?", "？", ":", "…", '?"')):
        return False
    first = words[0].lower().strip(",.!;").replace("’", "'").partition("'")[0]
    if first in _VAGUE or (first in CHATTER and first not in FIRST_PERSON):
        return False
    letters = sum(char.isalpha() or char == " " for char in said)
    return len(_SYMBOL.findall(said)) <= _MOST_SYMBOLS * len(said) and letters > _LEAST_LETTERS * len(said)


def _is_specific(said: str) -> bool:
    """Whether it holds a number or a name; a capital at the beginning alone says little."""
    if _NAMED.search(said):
        return True
    subject = _SUBJECT.match(said)
    return subject is not None and not subject[1].endswith("ing") and subject[1].lower() not in COMMON | STOP


def _reported(said: str) -> frozenset[str] | None:
    """The cues of what a machine says: of itself it has no preferences, it mostly recommends and explains. What it reports is
    worth keeping where it names something."""
    if advises(said) or _ORDER.search(said) or _TO_YOU.search(said) or _FIRST.search(said):
        return None
    reports = _REPORT.search(said) is not None and _is_specific(said) is not None
    return frozenset({"report"}) if reports else None


def _cues(said: str) -> frozenset[str] | None:
    """The cues of a sentence; None: it must not become a pattern, not even when it is repeated."""
    if advises(said) or _UNSURE.search(said):
        return None
    cues = {name for name, pattern in CUES.items() if pattern.search(said)}
    if cues == {"trouble"} and not _is_specific(said):
        cues = set()
    if _PASSING.match(said):
        # What somebody is about to do is over tomorrow, whatever else the sentence explains.
        return frozenset(cues & {"preference", "rule", "decision", "habit"})
    if _OWN.search(said) or (_STATES.search(said) and _is_specific(said)):
        cues.add("fact")
    if _TO_YOU.search(said):
        cues &= {"rule", "decision"}
        if not cues:
            return None
    return frozenset(cues)
