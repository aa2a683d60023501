"""Words that carry a number, a date or a negation, in several languages. Lower case; articles that also count are left out."""

from __future__ import annotations

_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
# By language: 0 to 12 in order, an empty place where the word is an article or another word too.
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen",
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn",
    "zéro - deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "cero - dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    "zero - due tre quattro cinque sei sette otto nove dieci undici dodici",
    "zero - dois três quatro cinco seis sete oito nove dez onze doze",
    "nul - twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    "zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście",
    "noll - två tre fyra fem sex sju åtta nio tio elva tolv",
    "sıfır - iki üç dört beş altı yedi sekiz dokuz",
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth",
    "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
    "ersten zweiten dritten vierten fünften sechsten siebten achten neunten zehnten",
    "premier deuxième troisième quatrième cinquième sixième",
    "primero segundo tercero cuarto quinto sexto",
)


def _words(text: str) -> list[str]:
    return text.split()


# Word -> what it says. A cardinal says its digits, so that "three" and "3" are one number.
NUMBERS: dict[str, str] = {
    **{w: str(n) for line in _COUNTED for n, w in enumerate(_words(line)) if w != "-"},
    **{w: str(n) for w, n in _TENS.items()},
    **{w: f"{n}th" for line in _ORDINALS for n, w in enumerate(_words(line), 1)},
    **{
        w: w
        for w in _words(
            """
            dozen half halves quarter double triple twice thrice once hundred thousand million billion
            hundreds thousands
            millions percent both neither hälfte halb halbe doppelt zweimal dreimal hundert tausend
            millionen prozent zwanzig
            dreißig vierzig fünfzig sechzig siebzig achtzig neunzig moitié double vingt trente quarante
            cinquante soixante cent
            mille pourcent fois mitad doble veinte treinta cuarenta cincuenta sesenta setenta ochenta
            noventa ciento mil millones
            metà doppio venti trenta quaranta cinquanta cento metade dobro vinte trinta quarenta cinquenta
            двадцать тридцать
            сорок пятьдесят сто тысяча тысяч миллион половина дважды
            """
        )
    },
}
# "12th" and "twelfth" are rarely mixed; "both" and "half" differ from nothing at all.

DATES = frozenset(
    _words(
        """
        january february march april june july august september october november december jan feb apr jun jul
        aug sep sept oct
        nov dec monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
        fridays saturdays
        sundays mon tue tues wed thu thur thurs fri weekday weekdays weekend weekends today tomorrow yesterday
        tonight midnight
        noon midday morning afternoon evening night mornings afternoons evenings nights dawn dusk daily weekly
        monthly quarterly
        yearly annually hourly nightly biweekly fortnightly spring summer autumn winter easter christmas
        before after until since
        next last previous ago later earlier am pm utc gmt cet cest est edt pst pdt quarter

        januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag
        sonnabend sonntag
        montags dienstags mittwochs donnerstags freitags samstags sonntags heute morgen gestern übermorgen
        vorgestern mittag
        mitternacht abend abends nacht nachts vormittag nachmittag mittags vormittags nachmittags täglich
        wöchentlich monatlich
        jährlich frühling sommer herbst vor nach bis seit nächste nächsten nächster letzte letzten letzter uhr früh

        janvier février mars avril juin juillet août septembre octobre novembre décembre lundi mardi mercredi
        jeudi vendredi
        samedi dimanche aujourd'hui aujourd hui demain hier matin midi soir nuit minuit avant après depuis
        prochain prochaine
        dernier dernière printemps été automne hiver

        enero febrero marzo mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes
        miércoles jueves viernes
        sábado domingo hoy mañana ayer tarde noche mediodía medianoche antes después desde hasta próximo
        próxima pasado pasada

        gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì
        giovedì venerdì sabato
        domenica oggi domani ieri mattina pomeriggio sera notte prima dopo

        janeiro fevereiro março abril maio junho julho setembro outubro novembro dezembro segunda-feira terça-feira
        quarta-feira quinta-feira sexta-feira segunda terça quarta quinta sexta hoje amanhã ontem manhã noite depois

        januari februari maart mei augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag vandaag
        gisteren ochtend
        middag avond

        января февраля марта апреля мая июня июля августа сентября октября ноября декабря понедельник вторник
        среда среду четверг
        пятница пятницу суббота субботу воскресенье понедельника вторника среды четверга пятницы субботы
        воскресенья сегодня
        завтра вчера утром днём вечером ночью утра дня вечера ночи до после

        styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień
        stycznia lutego marca
        kwietnia maja czerwca lipca sierpnia września października listopada grudnia poniedziałek wtorek środa
        środę czwartek
        piątek sobota sobotę niedziela niedzielę dziś dzisiaj jutro wczoraj

        måndag tisdag onsdag torsdag fredag lördag söndag idag imorgon igår
        pazartesi salı çarşamba perşembe cuma cumartesi pazar bugün yarın dün
        """
    )
)
DATES_IF_CAPITAL = frozenset({"may", "march", "mar", "sun", "sat", "mon", "wed", "mai", "hier", "est"})

# Word -> the negation it is; contractions in n't are found by their ending.
NEGATIONS = frozenset(
    _words(
        """
        not no never none nobody nothing nowhere neither nor cannot without hardly barely scarcely rarely
        seldom except unless
        lack lacks lacked lacking false off stopped stops quit refuses refused nope dont doesnt didnt isnt
        wasnt wont cant

        nicht kein keine keinen keinem keiner keines nie niemals nichts niemand ohne weder nirgends kaum falsch aus
        ne pas jamais rien personne sans aucun aucune ni
        nunca jamás sin nada nadie ningún ninguno ninguna tampoco
        non mai senza nessun nessuno nessuna niente nulla
        não nem sem ninguém nenhum nenhuma
        niet geen nooit zonder niets niemand
        не нет ни никогда без ничего никто нельзя
        nie nigdy bez nic nikt brak
        inte aldrig utan ingen inget inga ikke aldri ingen uten ej
        değil yok hiç asla
        لا ليس ليست لم لن ما بدون غير
        לא אין בלי אל
        नहीं मत ना बिना
        ❌ ✗ ✘ ☒ 👎 🚫
        """
    )
)
PLAIN_NOT = frozenset({"not", "cannot", "dont", "doesnt", "didnt", "isnt", "wasnt", "wont", "cant"})
AFFIRMED = frozenset({"✅", "✓", "✔", "☑", "👍"})
# "is available" and "is unavailable": the word without its prefix is in the other text.
NEGATING_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "mis", "de", "anti", "un-", "in-")

# Of two in one line the one says what the other denies.
_OPPOSITES = """
    enable disable / enables disables / enabled disabled / include exclude / includes excludes / included excluded
    increase decrease / increases decreases / increased decreased / allow deny / allows denies / allowed denied
    allow forbid / allows forbids / allowed forbidden / accept reject / accepts rejects / accepted rejected
    on off / in out / up down / open closed / opens closes / opened closed / start stop / starts stops / started stopped
    pass fail / passes fails / passed failed / success failure / true false / yes no / all some / all none / some none
    every no / everyone nobody / everything nothing / always never / always sometimes / more less / more fewer / most least
    best worst / high low / higher lower / maximum minimum / left right / like dislike / likes dislikes / loves hates
    with without / win lose / won lost / gain loss / agree disagree / agrees disagrees / before after / above below / over under
    public private
    an aus / immer nie / mehr weniger / mit ohne / auf zu / ein aus / alle keine / toujours jamais / avec sans / plus moins
    con sin / siempre nunca / más menos / con senza / sempre mai / com sem
"""


def _opposed() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in filter(None, map(str.split, _OPPOSITES.replace("\n", " / ").split("/"))):
        for word in pair:
            found[word] = found.get(word, frozenset()).union(pair) - {word}
    return found


OPPOSED = _opposed()

NEGATING_SIGNS = frozenset("不没沒無无非未别別勿")
NEGATING_ENDINGS = ("ない", "なく", "なかっ", "ません", "ず", "않", "못", "없", "아니", "안 ", "ไม่", "không")

COUNTING_SIGNS = {
    **{sign: str(n) for n, sign in enumerate("〇一二三四五六七八九")},
    "零": "0",
    "十": "十",
    "百": "百",
    "千": "千",
    "万": "万",
    "萬": "万",
    "億": "億",
    "亿": "億",
    "两": "2",
    "兩": "2",
    "半": "半",
}
DATING_SIGNS = frozenset("年月日時时点點分週周曜今明昨朝晩夜午前後后")

# Who somebody is, where the text does not say the name: a change from one to another is a change of person.
PERSONS = {
    **dict.fromkeys(_words("i me my mine myself"), "i"),
    **dict.fromkeys(_words("you your yours yourself"), "you"),
    **dict.fromkeys(_words("he him his himself"), "he"),
    **dict.fromkeys(_words("she her hers herself"), "she"),
    **dict.fromkeys(_words("we us our ours ourselves"), "we"),
    **dict.fromkeys(_words("they them their theirs"), "they"),
}

UNITS = frozenset(
    _words(
        """
        % ‰ ° °c °f c f k kg g mg t lb lbs oz km m cm mm mi mile miles ft feet inch inches l ml cl dl gb mb kb
        tb gib mib kib b
        ms s sec secs second seconds min mins minute minutes h hr hrs hour hours d day days week weeks month
        months year years
        usd eur gbp chf jpy dollar dollars euro euros pound pounds yen cent cents hz khz mhz ghz w kw mw v a
        px pt x times
        sekunden minuten stunden stunde tage tag wochen woche monate monat jahre jahr meter kilometer gramm
        kilo liter grad
        secondes heure heures jour jours semaine semaines mois an ans euros segundos minutos horas hora días día semanas
        meses años kroner kronor zł
        """
    )
)
