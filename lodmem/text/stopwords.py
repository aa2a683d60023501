"""Words that carry little meaning, as data. Knows nothing of texts; English only, other languages rely on idf alone.

STOP words leave index and queries: function words, pronouns, auxiliaries, question words, quantifiers and the rests that
contractions leave behind. 'may' stays a word, it is also a month. COMMON words are searched like any other; they are merely
poor keywords. CHATTER words open greetings, thanks and praise, which say nothing about what happened. ROLES are speakers that
are nobody in particular; ASKING are those of them whose turns say most about the person served. LABELS open a line and look
like a speaker but are none.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP = _words(
    """
    a about above after again against ain all also am an and any are aren as at be because been before being below
    between both but by can could couldn d did didn do does doesn doing don done down during each few for from further
    get got had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it
    its itself just ll m many me might mightn mine more most much must mustn my myself needn no nor not now of off on
    once only or other ought our ours ourselves out over own re s same shall shan she should shouldn since so some
    such t than that the their theirs them themselves then there these they this those through to too under until up
    us ve very was wasn we were weren what when where which while who whom whose why will with won would wouldn you
    your yours yourself yourselves
    """
)

COMMON = _words(
    """
    able absolutely across act actually add additional ago agree allow almost alone along already alright although
    always amazing among amount another answer anybody anymore anyone anything anyway apart appear apply appreciate
    around ask asked asking aspect assist available away awesome back bad based basic basically beautiful became
    become becomes becoming begin beginning behind believe benefit best better beyond big bit bring bringing brings
    brought call called came capture care careful case catch cause certain certainly chance change changed check
    choice choose clear clearly close come comes coming common complete completely conclusion consider consult contain
    content context cool couple course create created creating current cute daily day days deal decide decided
    definitely depend depending detail details develop difference different difficult dont early easier easily easy
    effective either element else end ended enjoy enjoyed enjoying enough ensure entire especially essential even ever
    every everybody everyone everything exactly example excellent excited exciting expect experience explain fact
    factor fair fall fantastic far fast feature features feel feeling feelings feels felt fill final finally find
    finding fine first fit focus follow following forget form forward found free fresh front full fun future gave
    general gets getting give given gives giving glad goal goals goes going gone gonna good gotta great group grow
    guess guide guy guys half hand handle happen happened happening happens happy hard hardly hear heard heck held
    hello help helped helpful helping helps hey hi high hit hold hope hopefully hoping hour hours however huge idea
    ideas imagine impact important impressive improve include including incredible indeed information inside inspire
    inspired inspiring instead interested interesting involve involved issue join keep keeping keeps kept key kind
    kinda know knowing known knows large last late lately later lead learn learned learning least leave led left less
    let lets level life light like liked likely likes line list listen little live lives living long longer look
    looked looking looks lose lot lots love loved lovely loves loving low made main major make makes making man manage
    matter maybe mean meaning means meant meet mention mentioned method mind minute moment moments month months
    morning mostly move moved moving name nearly necessary need needed needs neither never nevertheless new next nice
    night none normal note nothing notice number obviously occur offer often oh ok okay old one ones onto open
    opportunity option options order others otherwise outside overall overview part particular particularly parts pass
    passion past pay people perfect perhaps person personal pick place plan planning plans play please plenty plus
    point points possible possibly potential power powerful prefer present pretty previous probably problem process
    proud provide pull push put question questions quick quickly quite range rather read ready real realize really
    reason recent recently recommend regarding related relevant remember remind report request require required
    respect response rest result right room run safe said say saying says second section see seeing seem seems seen
    self send sense sent set several share shared sharing short show shows side similar simple simply sincerely single
    sit situation small solution somebody somehow someone something sometimes somewhere soon sort sound sounds special
    specific spend spent stand start started starting starts stay step steps still stop strategy stuff sub success
    suggest suggestion suggestions summary super support supportive suppose sure surprise take taken takes taking talk
    talked talking technique techniques tell telling tend terms test thank thankful thanks thing things think thinking
    third though thought thoughts three thrilled throughout time times tip tips today together told tomorrow tonight
    took tool top topic total totally touch toward towards tried tries true truly try trying turn turned two type
    understand understanding unfortunately unique unless upon use used useful users uses using usual usually value
    various via view wait waiting walk wanna want wanted wanting wants watch way ways week weekend weeks welcome well
    went whatever whenever wherever whether whoever whole wide wish within without woah wonder wonderful word words
    work worked working works world worry worth wow write wrong yea yeah year years yep yes yesterday yet zero
    """
)

CHATTER = _words(
    """
    absolutely aw awesome aww bye cheers congrats congratulations cool goodbye great ha haha hello hey hi hiya lol
    nice ok okay please sorry sup sure thank thanks welcome woah wow yay yeah yep yes yup
    """
)

DETERMINERS = _words("a an the my our your his her its their this that these those some any no each every")

ROLES = _words("user human assistant system ai bot agent model tool developer customer client support me you q a")

ASKING = _words("user human customer client me q")

LABELS = _words(
    """
    abstract action address answer author background cause caution cc changelog date deadline decision description due
    error example examples exception fatal fix fixes from goal hint important info input issue key language license
    location log memo message name note notes objective output owner page priority problem ps question reason
    reference remark result see severity solution source status step subject summary tags time tip title to todo topic
    type update usage version warning where who why
    """
)
