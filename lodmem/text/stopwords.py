"""Words that carry little meaning, as data. Knows nothing of texts.

STOP words, English, leave index and queries: function words, pronouns, auxiliaries, question words, quantifiers and the rests
that contractions leave behind. 'may' stays a word, it is also a month. RUSSIAN, GERMAN, FRENCH, SPANISH and ARABIC function
words leave queries in that language and tell Latin languages apart; ASKING_DENSE and ASKING_KOREAN leave queries too. COMMON
words, of everyday use, praise and feeling, are searched like any other; they are merely poor keywords. CHATTER words open
greetings, thanks and praise, which say nothing about what happened. FOREIGN and DENSE_FUNCTION are no keywords. DATING,
FIRST_PERSON and PAST words mark sentences that tell facts. ROLES are speakers that are nobody in particular; ASKING are those
of them whose turns say most about the person served. LABELS open a line and look like a speaker but are none.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP = _words(
    """
    a about after again ain all also am an and any are aren as at be been before being both but by can could couldn d
    did didn do does doesn doing done down each few for from get got had hadn has hasn have haven having he her
    here hers herself him himself his how i if in into is isn it its itself just ll m many me might mightn mine more
    most much must mustn my myself needn no not now of on once only or other ought our ours ourselves out over own re
    s same shall shan she should shouldn so some such t than that the their theirs them themselves then there these
    they this those to too up us ve very was wasn we were weren what when where which who whom whose why will with won
    would wouldn you your yours yourself yourselves
    """
)

COMMON = _words(
    """
    able above absolutely acceptance accomplishment accordingly achievement across act actually add additional
    additionally adorable against ages ago agree allow almost alone along already alright alternatively although
    always amazed amazing among amount angry annoyed annoying another answer anxious anybody anymore anyone anything
    anyway apart apparently appear apply appreciate appreciated around ask asked asking aspect assist available away
    awesome awhile back bad balance based basic basically beautiful became because become becomes becoming begin
    beginning behind belief believe below benefit besides best better between beyond big bit blast bless blessed
    bonding boost bored boring brave brighten brilliant bring bringing brings brought buddy bummer bunch busy call
    called calming came capture care careful carefully case catch cause certain certainly challenge challenging chance
    change changed charming chat check cheer cheering cherish chill choice choose clear clearly close come comes
    comfort comfortable coming commitment common compassion complete completely conclusion confidence confident
    connected connection consequently consider constantly consult contain content context continually conversely cool
    correctly couple courage course crazy create created creating creative creativity crucial curious current cute
    daily day days deal decide decided dedication deep deeply definitely delicious delight depend depending detail
    details determination determined develop difference different difficult disappointed discover dont dream dreams
    dude during early easier easily easy effect effective effectively efficiently effort efforts either element else
    embrace embracing emotional encourage encouraged encouragement encouraging end ended energy enjoy enjoyed enjoying
    enough ensure enthusiasm entire especially essential even eventually ever every everybody everyone everything
    evidently exactly example excellent excited exciting exhausted expect experience explain explore exploring express
    extraordinary extremely fabulous fact factor fair fall fantastic far fast feature features feel feeling feelings
    feels felt fill final finally find finding fine first firstly fit flourish focus folk folks follow following
    forget form forward found frankly free freedom frequently fresh front frustrated frustrating fulfilling
    fulfillment full fully fun funny further furthermore future gave general generally generous gently gets getting
    give given gives giving glad goal goals goes going gone gonna good gorgeous gotta gradually grateful gratitude
    great greatly grow growing growth guess guide guts guy guys half hand handle hanging happen happened happening
    happens happy hard hardly hardship hear heard heart heartwarming heck hectic held hello help helped helpful
    helping helps hence hey hi high highly hilarious hit hold honestly hope hopeful hopefully hoping hour hours
    however hug huge hugs huh hurdles idea ideas imagine immediately impact importance important impressive improve
    include including incredible incredibly indeed information inside insight insights inspiration inspire inspired
    inspiring instantly instead intense interested interesting involve involved issue jealous join journey joy joyful
    keep keeping keeps kept key kind kinda kindly kindness know knowing known knows lame large last lastly late lately
    later lead learn learned learning least leave led left less let lets level life light like liked likely likes
    likewise line list listen literally little live lives living loads lonely long longer look looked looking looks
    lose lot lots love loved lovely loves loving low luck lucky made magnificent main mainly major make makes making
    man manage marvelous mate matter maybe mean meaning meaningful means meant meanwhile meet memorable memories
    memory mention mentioned method mind mindset mins minute moment moments month months mood moreover morning mostly
    motivate motivated motivating motivation move moved moving name nearly neat necessary need needed needs neither
    nerve-wracking nervous never nevertheless new next nice night none nor normal normally note nothing notice noticed
    nowadays number obstacles obviously occasionally occur odd off offer often oh ok okay old one ones onto open
    opportunities opportunity optimistic option options order others otherwise outside outstanding overall overview
    overwhelming pal part particular particularly partly parts pass passion passionate past path pay peace peaceful
    people perfect perhaps perseverance persevere person personal perspective phenomenal pick place plan planning
    plans platform play pleasant please pleased pleasure plenty plus point points positive positivity possible
    possibly posted potential power powerful prefer present presumably pretty previous priceless priorities priority
    probably problem process progress properly proud provide pull purpose push put question questions quick quickly
    quite range rapidly rarely rather read ready real realize really reason recent recently recommend refreshing
    regarding regards related relax relaxed relaxing relevant relief remarkable remember remind report request require
    required resilience resilient respect response rest result rewarding right risks room rough roughly run sad safe
    said satisfied satisfying say saying says scared scary second secondly section see seeing seem seems seen seldom
    self send sense sent seriously set setbacks several share shared sharing shocked short show shows side silly
    similar similarly simple simply since sincerely single sit situation slightly slowly small smile solution somebody
    somehow someone something sometime sometimes somewhat somewhere soon sort soul sound sounds spark special specific
    specifically spend spent spirit splendid stand start started starting starts stay step steps still stoked stop
    strange strategy strength stressed stressful strong strongly struggle struggles stuff stunning sub success
    successfully suddenly suggest suggestion suggestions summary super superb support supportive suppose sure surely
    surprise surprised swamped sweet take taken takes taking talk talked talking tasty technique techniques tell
    telling tend terms terrific thank thankful thanks therefore thing things think thinking third though thought
    thoughtful thoughts three thrilled thrive through throughout thus time times tip tips tired today together told
    tomorrow ton tonight tons took tool top topic total totally touch tough tougher toward towards tried tries true
    truly trust try trying turn turned two type typically ultimately uncomfortable under understand understanding
    undoubtedly unforgettable unfortunately unique unless until unwind uplifting upon upset use used useful users uses
    using usual usually utterly value various via vibe vibes vibrant view virtually wait waiting walk wanna want
    wanted wanting wants warmly watch way ways week weekend weeks weird welcome well went whatever whenever wherever
    whether while whoever whole wide wild wisdom wish wishes within without woah wonder wonderful word words work
    worked working works world worries worry worth wow write wrong yea yeah year years yep yes yesterday yet yummy
    zero
    """
)

CHATTER = _words(
    """
    absolutely aw awesome aww bye cheers congrats congratulations cool goodbye great ha haha hello hey hi hiya lol
    nice ok okay please sorry sup sure thank thanks welcome woah wow yay yeah yep yes yup
    """
)

DATING = _words(
    """
    january february march april june july august september october november december jan feb aug sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays
    yesterday today tomorrow tonight ago last anniversary birthday christmas easter halloween thanksgiving
    """
)

FIRST_PERSON = _words("i my mine myself we our ours я мы мой моя мне ich mein meine wir je mon ma nous yo mi nosotros")

FIRST_PERSON_DENSE = _words("我 咱 私 僕 俺 나 저")

PAST = _words(
    """
    went got had was were did made took saw bought met won lost began found gave told left came ran wrote built felt kept taught
    caught sold spent drove flew broke chose fell grew held heard knew led paid read sent spoke thought slept swam sang wore
    """
)

RUSSIAN = _words(
    """
    и в во не на я с со что а то он она оно они как по но из у к ко за от до для о об при это этот эта эти тот так же
    бы был была было были быть есть уже ещё еще или если когда где кто мы вы ты мне меня нас вас их его её ее им ему
    мой моя мои твой наш ваш свой под над без через после перед очень тоже только чтобы всё все вот там тут здесь
    теперь потом вчера сегодня завтра него неё нее них нём нем ней ним нему ними ли сколько почему зачем какой какая
    какое какие каком какую куда откуда чего чему чем кого кому кем
    """
)

GERMAN = _words(
    """
    der die das den dem des ein eine einen einem einer eines und oder aber nicht ist sind war waren wird
    wurde wurden werden worden hat habe haben hatte hatten ich du er sie es wir ihr mich dich sich mir dir uns euch mit
    von vom zu zum zur im in ins am an ans auf aus bei beim nach über unter vor für um als wie wenn dass weil auch noch
    schon nur sehr so kein keine keinen keinem keiner mein meine meinen meinem meiner dein deine sein seine seinen ihre
    ihren ihrem ihrer unser unsere unseren unserem unserer dieser diese dieses diesem diesen was wer wen wem wo wohin
    woher wann warum wieso welche welcher welches welchen welchem viel viele darf muss kann soll da dann dort hier doch
    """
)

FRENCH = _words(
    """
    le la les un une de du des et ou où mais ne pas est sont était ont avait être je j tu il elle nous vous ils elles on
    me se ce c cette ces que qui qu quoi dans sur avec pour par à au aux en chez plus très mon ma mes notre nos votre vos
    son sa ses leur leurs l d n y quand comment pourquoi combien quel quelle quels quelles
    """
)

SPANISH = _words(
    """
    el la los las un una unos unas de del y o pero que qué quien quién en con por para a al es son era fue ser está están
    ha han yo él ella nosotros ellos me se le les lo muy más mi mis su sus nuestro nuestra cuando cuándo donde dónde
    como cómo cuánto cuánta cuántos cuántas cuál
    """
)

ARABIC = _words(
    """
    في من على إلى الى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا متى متي أين اين كيف هل كم لماذا أي أو او ثم لا لم لن قد
    كان كانت يكون تكون هو هي هم أنا نحن أنت كل إن أن ان لأن كما حتى عند عندما بين
    """
)

FOREIGN = RUSSIAN | GERMAN - STOP | FRENCH - STOP | SPANISH - STOP | ARABIC

# What questions ask with in scripts without spaces; Korean ones are whole words.
ASKING_DENSE = _words(
    """
    什么时候 什麼時候 为什么 為什麼 什么 什麼 甚麼 怎么样 怎麼樣 怎么 怎麼 哪里 哪裡 哪儿 哪兒 哪个 哪個 哪些 多少 多久
    几点 幾點 谁 誰 是不是 有没有 有沒有 吗 嗎 呢 いつ どこ だれ なぜ なに 何時 何人 何 いくら どんな どの どう
    でしょうか でしたか ですか ましたか ますか
    """
)
ASKING_KOREAN = _words(
    """
    언제 언제야 언제지 언제인가요 언제예요 어디 어디서 어디에 어디야 어디예요 누구 누가 누구야 뭐 뭐야 뭐지 무엇 무엇을
    무슨 왜 어떻게 얼마 얼마야 얼마지 얼마예요 몇
    """
)

CONNECTIVES = _words(
    """
    and but because so which who while when where since though although if after before und aber weil wenn dass и а но что
    который y pero porque et mais parce
    """
)

DENSE_FUNCTION = frozenset("的了是我你他她它们在有和就不都也很到说要去会着没这那吗呢吧啊但与及或被把给对从让向跟而且则，。、")

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
