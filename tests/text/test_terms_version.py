"""What a store's index terms are, by version of the text rules: whoever changes them must raise the version.

When this fails, `index_terms`, `date_terms`, `passages` or `sentences` gives something else than before for the same text. If
that is meant, raise TERMS_VERSION in lodmem/text/tokens.py and add a line here: stores then know that their terms are
outdated, and `lodmem doctor --repair` makes them anew. No line ever changes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from lodmem.ingest.pipeline import passages_of
from lodmem.model.memory import to_us
from lodmem.text.tokens import TERMS_VERSION
from tests.conftest import START

SAMPLES = Path(__file__).parents[1] / "golden" / "levels"
MORE = (
    "C++ and .net, foo_bar, a/b.py --dry-run, 1.2.3, ORA-00942, getUserName, O'Brien's e-mail, won't, 1,234,567",
    "The Who played in the US. THE END: IT IS ALL CAPITALS. who asked?",
    "Die Brücke am Hafen ist gesperrt; der Umweg führt über die Gärtnerei. Les élèves étaient déjà partis."
    " Mañana compraré panes.",
    "港の橋は月曜日から通れません。パンは隣の店で買えます。我们星期三在图书馆见面。다음 주에 서울에서 만나요.",
    "Мосты в порту закрыты с понедельника. الجسر مغلق يوم الاثنين",
    " \u200bsoft\u00adhyphen ﬁne ＦＵＬＬ ١٢٣ カタカナ \U0001f950 x",
    "word " * 700 + "end.",
)
# Version of the text rules -> digest of what they make of the samples.
DIGESTS = {1: "298458ae491c776eaed0a5902bdfe617e51c60db3ea2244eaddfa74cc9f7fc6a"}


def digest() -> str:
    texts = [path.read_text(encoding="utf-8") for path in sorted(SAMPLES.glob("*.in.txt"))] + list(MORE)
    made = [(p.start, p.stop, *p.terms) for text in texts for p in passages_of(text, to_us(START))]
    return hashlib.sha256(repr(made).encode()).hexdigest()


def test_other_terms_are_another_version() -> None:
    assert digest() == DIGESTS[TERMS_VERSION]
