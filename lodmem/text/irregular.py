"""Irregular English forms and the word they belong to, which no stemmer finds: drew and drawn are draw, children are child.

Only forms that are hardly ever another word. Source: the usual grammar-book lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_FORMS = """
arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; become became; begin began begun; bend bent; bite
bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built; burn burnt; buy
bought; catch caught; choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug; draw drew drawn;
dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought;
find found; flee fled; fling flung; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave
forgiven; freeze froze frozen; give gave given; go went gone; grow grew grown; hang hung; hear heard; hide hid hidden;
hold held; keep kept; kneel knelt; know knew known; lay laid; lead led; learn learnt; leave left; lend lent; lose lost;
make made; mean meant; meet met; mistake mistook mistaken; overcome overcame; pay paid; prove proven; ride rode ridden;
ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew sewn; shake
shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep
slept; slide slid; speak spoke spoken; speed sped; spell spelt; spend spent; spin spun; spoil spoilt; spring sprang
sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck; strive strove striven; swear swore
sworn; sweep swept; swell swollen; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell
told; think thought; throw threw thrown; understand understood; undertake undertook undertaken; wake woke woken; wear
wore worn; weave wove woven; weep wept; win won; withdraw withdrew withdrawn; write wrote written; rewrite rewrote
rewritten; child children; man men; woman women; person people; foot feet; tooth teeth; goose geese; mouse mice; wife
wives; knife knives; life lives; leaf leaves; shelf shelves; half halves; wolf wolves; loaf loaves; thief thieves;
criterion criteria; analysis analyses; index indices; good better best; bad worse worst; far further furthest farther
farthest
"""

BASE: Mapping[str, str] = MappingProxyType(
    {form: words[0] for line in _FORMS.split(";") if (words := line.split()) for form in words[1:]}
)
