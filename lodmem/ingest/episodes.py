"""What an episode is good for, without a model: noise, constitutional or neither, and how important it looks. Pure; English.

Both are cautious: a text in another language, or in doubt, is uncategorized and of middling importance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lodmem.text.sentences import sentences

NOISE, CONSTITUTIONAL, UNCATEGORIZED = "noise", "constitutional", "uncategorized"
EPISODE_CLASSES = (NOISE, CONSTITUTIONAL, UNCATEGORIZED)

MAX_READ = 20_000  # characters; what a text is shows in its beginning
_LONGEST_TALK, _LONGEST_TALK_CHARS = 14, 200  # words and characters of an acknowledgement
_RULE_SHARE = 0.2  # of the sentences that have to state a rule or a value


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SPEAKER = re.compile(r"\s*\**(\w[\w .'-]{0,40}?)\**\s*:\**\s+")
_MACHINES = frozenset({"assistant", "ai", "bot", "agent", "system", "tool", "claude", "codex", "chatgpt", "gpt", "model"})
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d[\d.,:/-]*")

_TALK = _words(
    """
    a about again ah aha all alright am amazing and any anything awesome be bye cheers congrats congratulations continue
    cool day done evening everyone everything excellent exactly fair fine for glad go good goodbye goodnight got gotcha great
    haha happy have hello help helpful hey hi hmm how i i'll i'm indeed is it it's just later let lgtm lol lot love lovely ma
    makes maybe me mind morning much my naturally never nice night no nope noted now of off oh ok okay okey on one oops
    perfect perfectly please pleasure problem proceed really right roger same see sense so soon sorry sounds super sure take
    thank thanks that that's thats the there thing this to today too true tomorrow understood very wait we weekend welcome well
    what what's will wonderful works worries would wow yay yeah yep yes you you'll you're your yours yup
    """
)
# An acknowledgement holds at least one of these; "it is so" alone is none.
_TALK_CORE = _words(
    """
    ah aha alright amazing awesome bye cheers congrats congratulations continue cool excellent exactly fine glad good
    goodbye goodnight got gotcha great haha hello hey hi hmm indeed lgtm lol lovely naturally nice no nope noted oh ok okay
    okey oops perfect please proceed right roger sorry sounds super sure thank thanks true understood welcome wonderful
    worries wow yay yeah yep yes yup done
    """
)
_ACTIONS = re.compile(r"assistant did:\s*\n", re.IGNORECASE)
_BOILERPLATE = re.compile(
    r"[\[(<{*_\s]*(?:request interrupted(?: by user)?(?: for tool use)?|no (?:content|output|response(?: requested)?|changes"
    r"(?: made)?|results?(?: found)?)|empty(?: (?:message|response))?|n/?a|none|null|nil|undefined|todo|tbd|untitled|test|ping"
    r"|pong|heartbeat(?:_ok)?|continue|(?:image|file|audio|video|attachment|media|gif|sticker) omitted|message deleted"
    r"|this message was deleted|caveat: the messages below.*|done|ok|loading|please wait|typing)[\])>}*_.!…\s]*\Z",
    re.IGNORECASE,
)
_MACHINE_LINE = re.compile(
    r"\s*(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*.*"  # a log's line
    r"|\[?\d\d:\d\d:\d\d[\].,]?.*"
    r"|\[?(?:DEBUG|INFO|TRACE|NOTICE)\b.*"
    r"|[$#>%] \S.*"  # a command
    r"|(?:[-dlbcps][rwxsStT-]{9})[+@.]?\s.*"  # ls -l
    r"|.*\b\d{1,3}(?:\.\d+)?\s?%.*(?:[|█▓#=>]{3,}|ETA|[kMG]i?B/s).*"  # a progress bar
    r"|(?:Downloading|Downloaded|Collecting|Installing|Unpacking|Preparing|Compiling|Building|Resolving|Requirement already"
    r"|Using cached|Get:\d+|Hit:\d+|remote:|Receiving objects|Fetching|added \d+ packages)\b.*"
    r"|[{}\[\]()<>,;:|+=\-_*#~/\\\"'`.]*"  # only signs
    r"|[{\[]?\s*\"[\w .-]+\"\s*:.*[,{\[}\]]?"  # JSON
    r"|</?[\w:-]+[^>]*>(?:[^<]*</[\w:-]+>)?"  # a tag
    r"|at [\w.$<>]+\(.*\)|File \".*\", line \d+.*"  # a stack
    r"|\s*\d+(?:[:|→\t].*)?"  # numbered lines
    r")\s*\Z"
)
_TROUBLE = re.compile(
    r"\b(?:\w*(?:Error|Exception)|ERROR|FATAL|CRITICAL|WARN(?:ING)?|FAIL(?:ED)?|panic|[Ff]ail(?:ed|ure)|[Ee]rror)\b"
)
_MACHINE_SHARE = 0.8
_MACHINE_LINES = 4
_SENTENCE_WORDS = 5  # a line of so many words is something that somebody says

_LEAD = (
    r"(?:(?:please|and|also|but|so|remember(?: to)?|note|rules?|my rule|house rule|important|from now on|in (?:the )?future"
    r"|going forward|as a rule|you (?:must|should|have to|need to|are to)|we (?:must|should)|make sure(?: to| you)?"
    r"|be sure to|i want you to|i need you to|i expect you to)[:,]?\s+)*"
)
# After "always" or "never" these make no rule.
_NO_RULE = _words(
    """
    mind again been had seen saw before happy good glad nice a an the i you we he she it they that this there in at on of to for
    so as knew was were said went got gone came took made thought felt heard liked loved wanted tried did done forgot known met
    mine yours too more much really quite very up down right wrong fun great busy late early ready able ever gave ate drank
    here around
    """
)
_RULE = re.compile(
    rf"{_LEAD}(?:(?:always|never(?: ever)?|do not ever|don['’]t ever)\s+(?!give up\b)(?!(?:{'|'.join(sorted(_NO_RULE))})\b)"
    r"(?!\w+(?:ed|ing)\b(?! to))[a-z][\w'-]*\s+\S"
    r"|under no circumstances\b.{4,}|it is (?:never|not) (?:ok|okay|acceptable|negotiable)\b.*)",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?:(?:for me|to me|above all|first of all|and|but|so)[, ]+)?(?:"
    r"my (?:(?:core|own|most important|deepest|guiding|basic|first|highest) )*(?:values?|principles?|rules?|beliefs?|ethics"
    r"|priority in life|motto|creed)\b(?: \w+){0,4}? (?:is|are|say|says)\b"
    r"|(?:our|the team's|the house) (?:(?:core|guiding|basic|first) )*(?:values|principles?|rules?)\b"
    r"(?: \w+){0,3}? (?:is|are)\b"
    r"|i (?:deeply |really |truly |strongly )?value \w+"
    r"|what (?:matters|counts) (?:most )?to me\b.*\b(?:is|are)\b"
    r"|(?:it|this|that|\w+) (?:is|are) (?:a )?non-negotiable\b"
    r"|i (?:strongly |firmly |deeply |truly )?believe in (?!(?:you|your|us|him|her|his|them|their|it|this|that|myself)\b)\w+"
    r"|i (?:stand for|live by|refuse to|will never)\s+\w+|on principle\b)",
    re.IGNORECASE,
)
# Without one of these no sentence can state a rule or a value; most texts have none, and this is quick.
_MAY_STATE = (
    *("ever", "always", "circumstances", "acceptable", "negotiable", "not ok", "value", "principle", "rule", "belief", "ethic"),
    *("priority in life", "motto", "creed", "matters", "counts", "believe in", "stand for", "live by", "refuse to"),
)

_WEIGHTY = re.compile(
    r"\b(?:important|importantly|remember|critical|crucial|urgent|essential|vital|deadline|decided|decision|agreed|promised?"
    r"|must(?: not)?|never|always|allerg(?:y|ic)|diagnos\w+|hospital|pregnant|married|wedding|divorc\w+|died|death|born|birth"
    r"|funeral|moved|moving|hired|fired|quit|resign\w*|promot(?:ed|ion)|contract|password|emergency|outage|incident|root cause"
    r"|launch(?:ed)?|released?|breaking change|legal|lawsuit|budget|salary)\b",
    re.IGNORECASE,
)
_PERSONAL = re.compile(
    r"\b(?:my|i (?:am|live|work|prefer|like|love|hate|want|need|plan|own|play|study|speak)|i['’]m"
    r"|we (?:use|prefer|decided|agreed|plan|need))\b",
    re.IGNORECASE,
)
_LEARNED = re.compile(
    r"\b(?:because|turns out|turned out|learned|lesson|the reason|caused by|fixed by|works? only|instead of|no longer)\b",
    re.IGNORECASE,
)
_EXACT = re.compile(r"\d|\b[A-Z][a-z]+ [A-Z][a-z]+\b")


def episode_class_of(text: str) -> str:
    """noise, constitutional or uncategorized. Noise: acknowledgements, greetings, what tools print, empty boilerplate.

    Constitutional: a person states what they value, or a rule ("always ...", "never ..."). In doubt uncategorized.
    """
    text = text[:MAX_READ]
    speaker, said = _spoken(text)
    if _ACTIONS.match(text) or _is_noise(said):
        return NOISE
    if speaker not in _MACHINES and _states_rules(said):
        return CONSTITUTIONAL
    return UNCATEGORIZED


def importance_of(text: str) -> float:
    """How important a text looks, 0..1 in hundredths; the same text gets the same number.

    Noise .10; what is constitutional .90; others .40, and more for decisions and events that change a life or a plan, for the
    speaker's own facts, for reasons and lessons, for exact names and numbers; less for a lone question. At most .80.
    """
    found = episode_class_of(text)
    if found != UNCATEGORIZED:
        return 0.1 if found == NOISE else 0.9
    said = _spoken(text[:MAX_READ])[1]
    weighty = len({match.lower() for match in _WEIGHTY.findall(said)})
    score = 40 + 12 * min(weighty, 2)
    score += 8 * bool(_PERSONAL.search(said)) + 8 * bool(_LEARNED.search(said)) + 5 * bool(_EXACT.search(said))
    spoken = [said[start:stop].strip() for start, stop in sentences(said)]
    if spoken and all(one.endswith(("?", "？")) for one in spoken):
        score -= 15
    return min(score, 80) / 100


def _spoken(text: str) -> tuple[str, str]:
    """Who says it, in lower case ('' where nobody is named), and what."""
    match = _SPEAKER.match(text)
    if match is None or len(match[1].split()) > 3 or match[1].lower() in _NOT_SPEAKERS:
        return "", text
    return match[1].lower(), text[match.end() :]


_NOT_SPEAKERS = frozenset({"rule", "rules", "note", "important", "remember", "todo", "my rule", "house rule", "p.s."})


def _is_noise(said: str) -> bool:
    if not any(char.isalnum() for char in said) or _BOILERPLATE.match(said):
        return True
    return _is_talk(said) or _is_printed(said)


def _is_talk(said: str) -> bool:
    """Whether it is only an acknowledgement or a greeting."""
    if len(said) > _LONGEST_TALK_CHARS:
        return False
    words = [word.lower().replace("’", "'") for word in _WORD.findall(said)]
    if not words or len(words) > _LONGEST_TALK:
        return False
    return _TALK.issuperset(words) and not _TALK_CORE.isdisjoint(words) and not said.rstrip().endswith("?")


def _is_printed(said: str) -> bool:
    """Whether nearly all of it is what programs print, with no sentence beside it, and no word that something went wrong."""
    lines = [line for line in said.splitlines() if line.strip()]
    if len(lines) < _MACHINE_LINES or _TROUBLE.search(said):
        return False
    others = [line for line in lines if _MACHINE_LINE.match(line[:500]) is None]
    if len(lines) - len(others) < _MACHINE_SHARE * len(lines):
        return False
    return all(len(_WORD.findall(line)) < _SENTENCE_WORDS for line in others)


def _states_rules(said: str) -> bool:
    if not any(map(said.lower().__contains__, _MAY_STATE)):
        return False
    whole = [said[start:stop].strip(" \t\n-*•>\"'“”") for start, stop in sentences(said)]
    return _share(whole) >= _RULE_SHARE


def _share(whole: Sequence[str]) -> float:
    stated = [one for one in whole if not one.endswith(("?", "？")) and (_RULE.match(one) or _VALUE.match(one))]
    return len(stated) / len(whole) if whole else 0.0
