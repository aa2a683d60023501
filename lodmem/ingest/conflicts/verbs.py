"""Verbs of statements in the present, as data: what people and things do again and again, or are set to do. English."""

from __future__ import annotations

_TEXT = """
accept act add admit advise aim allow answer appear apply arrive ask attend avoid bake bank begin belong berth bike
bill bind block book boot brew bring browse brush build bundle burn buy call cap carry catch change charge check
choose clean clear climb close collect combine come commit commute compare compile compose compress conduct confirm
connect consist consume contain control convert cook copy correct cost count cover create cross cut cycle date deal
decide declare decline defend deliver demand deny depart depend deploy detect determine differ distribute divide dock
document double download draft draw drink drive drop duplicate earn eat echo edit emit employ enable encode encrypt
end enforce enter escape estimate evict exclude execute expect expire export extend extract face fail fall favor
favour feed fetch file filter finish fire fit flag flow fly follow forbid force format forward generate get give go
govern grind group grow guard handle hang happen hash hate have head heat help hold honour host house identify ignore
import include indent index infer inform inherit initialise inject insist inspect install intend invoice invoke issue
iterate join keep knit know label lack land last lead learn leave lend let license lie lift like limit link lint list
listen live lock lodge log look love mail maintain make manage march mark match measure meet mend mention merge
message mind mirror monitor moor mount move mute name need nest notify oblige occupy occur offer omit open operate
optimise order override overwrite own pack paint park parse pass pay perform permit phone pick pin pipe place plan
play point poll populate post pour practice practise pray preach prefer present prevent print process produce prohibit
promise protect prove provide proxy prune publish pull purge push put queue quote raise rank reach read rebuild
receive recommend record recycle redirect redo refer refresh refuel refuse register rehearse reject release rely
remain remind remove render rent repeat replace reply report represent require reserve resolve respond rest restart
restore restrict retain retry return revert review rewrite ride ring rinse rise rotate round route run sail sample
save say scan schedule score seat see seed seek sell send serve set settle shard share shave ship shop show shut sign
sing sit skip sleep smell smoke sort speak spell spend split sponsor squash stand start stay stick stock stop store
stream strip study submit subscribe suck suffer suggest suit supply support suppose suspend swap swim switch sync tag
take talk target taste tea teach tell tend test think throttle tick tie time title tolerate track trade train travel
treat trigger trim trust try tune tunnel turn tutor type upload use vacuum validate vary verify visit volunteer vote
wait wake walk want warn wash watch water wear weigh welcome win wind wipe wish work worry wrap write yield zip
"""
VERBS = frozenset(_TEXT.split())
