"""Pairs that look alike and say different things: made from sentences by putting one thing in the place of another."""

from __future__ import annotations

from itertools import combinations

from lodmem.text.differs import Difference

NUMBER, DATE, NAME, NEGATION = Difference.NUMBER, Difference.DATE, Difference.NAME, Difference.NEGATION

# A sentence with a gap, and what may stand in it; every two of them make a pair.
GAPS: tuple[tuple[Difference, str, tuple[str, ...]], ...] = (
    (
        NUMBER,
        "The nightly backup of the archive took {} minutes and was moved to the second shelf afterwards.",
        ("14", "15", "41", "1.4", "fourteen hundred", "90"),
    ),
    (
        NUMBER,
        "For the greenhouse we need {} litres of water a week when the sun comes through the roof.",
        ("3", "30", "three hundred", "2.5", "1,200"),
    ),
    (
        NUMBER,
        "The ferry ticket costs {} for a grown person, dogs travel free as they always did.",
        ("$12", "€12", "12 pounds", "$21"),
    ),
    (NUMBER, "The probe in the cellar read {} degrees when the pump had been running for a while.", ("-4", "4", "+14")),
    (
        NUMBER,
        "Workers restart the queue when load is {} percent of what the machine was bought for.",
        ("> 80", "< 80", ">= 80"),
    ),
    (NUMBER, "The tent weighs {} with the pegs, without the footprint that came later in the mail.", ("5 kg", "5 g", "5 lb")),
    (
        NUMBER,
        "The service runs version {} on every host, and nobody has asked for another one yet.",
        ("v2", "v3", "2.1.0", "2.1.1"),
    ),
    (
        NUMBER,
        "She was the {} person to cross the frozen lake that winter, as the paper told everyone.",
        ("first", "second", "third", "12th"),
    ),
    (
        DATE,
        "The weekly meeting about the new kitchen starts at {} in the small room upstairs.",
        ("14:00", "15:00", "9:30", "noon", "midnight"),
    ),
    (
        DATE,
        "Mara hands in the plan for the garden on {} and sends a copy to the whole street.",
        ("2024-05-01", "2024-05-02", "2024-06-01", "2023-05-01"),
    ),
    (
        DATE,
        "The lease of the workshop by the river ends in {} unless both sides agree to go on.",
        ("March", "May", "June", "November"),
    ),
    (
        DATE,
        "Rubbish from the yard is collected every {} before the bakery opens its shutters.",
        ("Monday", "Tuesday", "Friday", "weekend"),
    ),
    (
        DATE,
        "The choir will sing the long piece {} and the short one whenever there is time.",
        ("today", "tomorrow", "tonight", "next week"),
    ),
    (
        DATE,
        "Invoices for the boat are due {} the fifteenth, whatever the harbour office may say.",
        ("before", "after", "until"),
    ),
    (DATE, "Doors of the hall open at {} and the lights go down half an hour after that.", ("7 pm", "7 am", "8pm")),
    (
        NAME,
        "After the long talk {} took over the keys of the boathouse and the small blue van.",
        ("Anna", "Berta", "Anja", "Dr Okafor"),
    ),
    (
        NAME,
        "The new office that they opened last autumn is in {} and has a view of the river.",
        ("Lisbon", "Oslo", "New York", "Porto"),
    ),
    (NAME, "{} prefers tea over coffee, whatever the weather is like and whoever is visiting.", ("Marek", "Maria", "Marie")),
    (
        NAME,
        "The nightly job copies everything to {} and then sends one line to the channel.",
        ("staging-eu/db", "staging-us/db", "backup@north.example", "backup@south.example"),
    ),
    (
        NAME,
        "The parser for the old format now lives in {} where nobody would look for it first.",
        ("read_rows.py", "read_cols.py", "readRows"),
    ),
    (NAME, "On Sundays {} cooks for the neighbours, and whoever comes late eats what is left.", ("he", "she", "we")),
    (
        NAME,
        "We moved the tests from {} since the license allows it and the team knows it well.",
        ("Falcon to Heron", "Heron to Falcon", "Falcon to Egret"),
    ),
    (
        NEGATION,
        "The old printer in the hall {} after the update that came with the new router.",
        ("works", "does not work", "never works"),
    ),
    (
        NEGATION,
        "Guests are {} to bring their dogs into the reading room of the small library.",
        ("allowed", "not allowed", "no longer allowed"),
    ),
    (NEGATION, "The upper cabin with the wooden stove is {} in the weeks around the festival.", ("available", "unavailable")),
    (
        NEGATION,
        "For the last three runs the cache of the build server was {} by the script.",
        ("enabled", "disabled", "not enabled"),
    ),
    (NEGATION, "Tom orders the soup of the day {} bread when he is working at the long table.", ("with", "without")),
    (NEGATION, "The flag for writing in the background is {} on the machine in the corner.", ("true", "false")),
    (NEGATION, "{} of the visitors had seen the small print before they signed the book.", ("None", "All", "Some")),
    (
        NAME,
        "For the summer the keys of the cellar are with {} and the spare ones are in the drawer.",
        ("Ines", "Inez", "Igor", "Mr Vale", "the Harlows"),
    ),
    (
        DATE,
        "The doctor can see the boy in the {} as long as somebody calls the desk a day before.",
        ("morning", "afternoon", "evening"),
    ),
    (
        NEGATION,
        "The committee {} the plan for the bridge after a long evening with many questions.",
        ("accepted", "rejected"),
    ),
    (
        NUMBER,
        "The recipe asks for {} eggs, a little salt, and as much patience as you can find.",
        ("two", "4", "six", "a dozen"),
    ),
)

# One pair each, by hand, in several languages.
WRITTEN: tuple[tuple[Difference, str, str], ...] = (
    (DATE, "Die Sitzung beginnt um 14 Uhr im großen Saal.", "Die Sitzung beginnt um 15 Uhr im großen Saal."),
    (DATE, "Der Zahnarzt hat am Montag für uns Zeit.", "Der Zahnarzt hat am Freitag für uns Zeit."),
    (NEGATION, "Ich mag Käse auf dem Brot.", "Ich mag keinen Käse auf dem Brot."),
    (NAME, "Gestern hat Jürgen den Wagen gewaschen.", "Gestern hat Helmut den Wagen gewaschen."),
    (NUMBER, "Wir brauchen zwei Stühle für das Zimmer.", "Wir brauchen drei Stühle für das Zimmer."),
    (NEGATION, "Das Tor ist nachts verschlossen.", "Das Tor ist nachts nicht verschlossen."),
    (NEGATION, "Il vient au marché avec nous.", "Il ne vient pas au marché avec nous."),
    (DATE, "La réunion est prévue pour lundi matin.", "La réunion est prévue pour jeudi matin."),
    (NAME, "Le train part de Lyon avec du retard.", "Le train part de Lille avec du retard."),
    (NUMBER, "Elle a acheté quatre livres au kiosque.", "Elle a acheté cinq livres au kiosque."),
    (NEGATION, "A Lucía le gusta el pescado.", "A Lucía no le gusta el pescado."),
    (DATE, "La tienda abre en enero después de la obra.", "La tienda abre en febrero después de la obra."),
    (NUMBER, "Compramos siete sillas para la terraza.", "Compramos nueve sillas para la terraza."),
    (NAME, "La carta llegó desde Sevilla por la tarde.", "La carta llegó desde Toledo por la tarde."),
    (NEGATION, "Il cane dorme in cucina.", "Il cane non dorme in cucina."),
    (DATE, "La cena è fissata per sabato sera.", "La cena è fissata per venerdì sera."),
    (NEGATION, "O portão abre durante a noite.", "O portão não abre durante a noite."),
    (NUMBER, "O barco leva oito pessoas até a ilha.", "O barco leva nove pessoas até a ilha."),
    (NEGATION, "De winkel is op zondag open.", "De winkel is op zondag niet open."),
    (DATE, "De trein vertrekt op maandag vroeg.", "De trein vertrekt op dinsdag vroeg."),
    (NEGATION, "Он работает по вечерам.", "Он не работает по вечерам."),
    (NAME, "Вчера приехала Марина с детьми.", "Вчера приехала Полина с детьми."),
    (DATE, "Встреча назначена на среду утром.", "Встреча назначена на пятницу утром."),
    (NEGATION, "Sklep jest otwarty w święta.", "Sklep nie jest otwarty w święta."),
    (NEGATION, "Butiken är öppen i kväll.", "Butiken är inte öppen i kväll."),
    (NEGATION, "Bu dolap boş.", "Bu dolap boş değil."),
    (NUMBER, "会議は三階の部屋で行います。", "会議は五階の部屋で行います。"),
    (DATE, "会議は明日の部屋で行います。", "会議は今日の部屋で行います。"),
    (NAME, "田中さんは大阪に住んでいます。", "山田さんは大阪に住んでいます。"),
    (NEGATION, "この店は日曜に開いている。", "この店は日曜に開いていない。"),
    (NEGATION, "他喜欢喝咖啡。", "他不喜欢喝咖啡。"),
    (NAME, "小王住在北京的东边。", "小李住在北京的东边。"),
    (NUMBER, "桌上有4本书。", "桌上有5本书。"),
    (NEGATION, "이 문은 밤에 열린다.", "이 문은 밤에 열리지 않는다."),
    (NAME, "민수는 서울에서 일한다.", "지훈은 서울에서 일한다."),
    (NAME, "سافر أحمد إلى البحر مع العائلة.", "سافر خالد إلى البحر مع العائلة."),
    (NEGATION, "يعمل المتجر في المساء.", "لا يعمل المتجر في المساء."),
    (NUMBER, "الغرفة فيها ٣ نوافذ كبيرة.", "الغرفة فيها ٥ نوافذ كبيرة."),
    (NEGATION, "החנות פתוחה בערב.", "החנות לא פתוחה בערב."),
    (NEGATION, "वह चाय पीता है।", "वह चाय नहीं पीता है।"),
    (NAME, "anna likes the green bicycle", "berta likes the green bicycle"),
    (NAME, "MOVE THE BOXES TO OSLO", "MOVE THE BOXES TO ROME"),
    (NAME, "Ben knows Anna. Anna pays the rent.", "Ben knows Anna. Ben pays the rent."),
    (NUMBER, "The fee rose from 10 to 20 in spring.", "The fee rose from 20 to 10 in spring."),
    (NEGATION, "Ada likes plums but not figs.", "Ada likes figs but not plums."),
    (NEGATION, "Deploy finished ✅ on the big host", "Deploy finished ❌ on the big host"),
    (NEGATION, "The change is harmless for readers.", "The change is harmful for readers."),
    (NEGATION, "I can meet you by the gate.", "I can't meet you by the gate."),
    (NEGATION, "I can meet you by the gate.", "I can’t meet you by the gate."),
    (NUMBER, "Call the desk at +44 20 7946 0100.", "Call the desk at +44 20 7946 0101."),
)

PAIRS: tuple[tuple[Difference, str, str], ...] = (
    *((what, gap.format(one), gap.format(other)) for what, gap, fillings in GAPS for one, other in combinations(fillings, 2)),
    *WRITTEN,
)

# The same thing said twice.
SAME: tuple[tuple[str, str], ...] = (
    ("The users prefer a dark theme.", "The user prefers a dark theme"),
    ("She isn't coming to the harbour.", "She is not coming to the harbour."),
    ("We need 1,200 bricks for the wall.", "We need 1200 bricks for the wall."),
    ("There are three boats in the bay.", "There are 3 boats in the bay."),
    ("Anna’s garden is behind the mill.", "Anna's garden is behind the mill!"),
    ("Tea is what Marek likes most.", "Marek likes tea most."),
    ("The deploy runs from a small script.", "Really, the deploy runs from a small script."),
    ("Well, the kitchen was painted.", "The kitchen was painted"),
    ("Python is used for the importer.", "The importer is written in python."),
    ("Ｔｈｅ ｇａｔｅ ｉｓ ｏｐｅｎ．", "The gate is open."),
    ("会議は３階で行います。", "会議は3階で行います。"),
)
