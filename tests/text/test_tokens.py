"""Index terms and query terms: what matches what, and what every term may look like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.text.tokens import MAX_TERM, date_terms, index_terms, query_terms


def found(query: str, text: str) -> bool:
    """Whether the text holds every term of the query."""
    terms = query_terms(query)
    return bool(terms) and set(terms) <= set(index_terms(text))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("paintings", "She painted the harbour"),
        ("RUNNING shoes", "he runs in an old shoe"),
        ("café", "we met at the CAFÉ"),
        ("cafe\u0301", "we met at the café"),
        ("strasse", "in der langen Straße"),
        ("müller", "Frau Müller rief an"),
        ("ＡＢＣ１２", "code abc12 full width"),
        ("ﬁle", "open the file"),
        ("C++", "it was written in C++, long ago"),
        ("c#", "a C# service"),
        (".net", "moved to .NET last year"),
        ("net", "moved to .NET last year"),
        ("rm -rf", "never type rm -rf / there"),
        ("--dry-run", "lodge sync --dry-run --force"),
        ("foo_bar", "call foo_bar(3)"),
        ("foo bar", "call foo_bar(3)"),
        ("getUserName", "const n = getUserName();"),
        ("user name", "const n = getUserName();"),
        ("getusername", "const n = getUserName();"),
        ("http server", "class HTTPServer:"),
        ("src/app/main.py", "changed src/app/main.py today"),
        ("main.py", "changed src/app/main.py today"),
        ("app_config.py", "see C:\\work\\app_config.py"),
        ("1.2.3", "since version 1.2.3."),
        ("v2.8.1", "(v2.8.1)"),
        ("E1234", "failed with E1234"),
        ("ora-00942", "ORA-00942: table or view does not exist"),
        ("os.path.join", "use os.path.join here"),
        ("mia@example.org", "write to <mia@example.org>, please"),
        ("example.org", "see https://example.org/docs/index.html?x=1"),
        ("2023-05-08", "on 2023-05-08 at noon"),
        ("1000", "it cost $1,000 then"),
        ("1,000", "it cost 1000 then"),
        ("self-care", "a little self care"),
        ("don't", "don't"),
        ("книги", "он читал книгу"),
        ("Анны", "анна"),
        ("πόλη", "η πόλη"),
        ("हिन्दी", "वह हिन्दी बोलता है"),
        ("cafe", "the café"),
        ("résumé", "a resume"),
        ("lodz", "a train to Łódź"),
        ("smorrebrod", "Smørrebrød for lunch"),
        ("istanbul", "İSTANBUL"),
        ("ISPARTA", "ısparta"),
        ("obrien", "Sheila O'Brien called"),
        ("O’Brien", "sheila o'brien called"),
        ("email", "an e-mail came"),
        ("e-mail", "an e-mail came"),
        ("wifi", "the Wi-Fi is slow"),
        ("tshirts", "a T-shirt"),
        ("ORA-00942", "ORA\u201100942: no table"),
        ("antifreeze", "anti\u00adfreeze"),
        ("haus", "Häuser"),
        ("Häusern", "ein Haus"),
        ("Mueller", "Jörg Müller signed"),
        ("muller", "Jörg Müller signed"),
        ("GROSS", "Frau Groß"),
        ("Tochter", "die Töchter und der Sohn"),
        ("Katzen", "Die Katze ist auf dem Dach"),
        ("Kartoffeln", "Die Kartoffel ist noch nicht gar"),
        ("Peter", "Der Garten von Peter ist groß"),
        ("Was hat der Kunde mit den Rechnungen gemacht", "Der Kunde hat die Rechnung gemacht"),
        ("Termin Zahnarzt", "Zahnarzttermin"),
        ("Reinigung der Zähne", "eine Zahnreinigung"),
        ("Nummern", "Die Versicherungsnummer ist neu"),
        ("Freundinnen", "Eine Freundin ist bei mir"),
        ("елка", "новогодняя ЁЛКА"),
        ("лес", "тёмный лес"),
        ("большой", "больший и большой"),
        ("الكتاب", "كِتَاب"),
        ("والكتاب", "كتاب قديم"),
        ("كـتـاب", "الكتاب"),
        ("مدرسه", "المدرسة"),
        ("احمد", "أحمد"),
        ("سيارات", "للسيارة"),
        ("سارة", "عمر وسارة"),
        ("شقة 12", "الشقة ١٢"),
        ("متى الاجتماع", "اجتماع"),
        ("cancion", "las canciones"),
        ("école", "l'école"),
    ],
)
def test_query_finds_text(query: str, text: str) -> None:
    assert found(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("杭州", "昨天我去了杭州"),
        ("猫", "我有一只猫和一只狗"),
        ("東京タワー", "週末に東京タワーへ行った"),
        ("한국", "한국어를 배운다"),
        ("Python", "我用Python写代码"),
        ("代码", "我用Python写代码"),
        ("ตลาด", "ไปตลาดกับแม่"),
        ("りんご", "リンゴ"),
        ("ｱﾌﾟﾘ", "アプリ"),
        ("什么时候去杭州？", "明天去杭州"),
        ("どこで東京タワーを見ましたか", "で東京タワーを見ました"),
        ("한국은 어디야?", "한국은"),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국어"),
    ],
)
def test_scripts_without_spaces_match_by_pairs_and_single_characters(query: str, text: str) -> None:
    assert found(query, text)


def test_a_pair_must_be_adjacent() -> None:
    assert not found("杭西", "杭州西湖")


def test_stop_words_leave_both_sides() -> None:
    assert index_terms("What did you do to the cat?") == ["cat"]
    assert query_terms("What did the cat do, and what was it?") == ["cat"]


def test_may_stays_since_it_is_a_month() -> None:
    assert query_terms("what happened in May") == ["happen", "may"]


def test_names_made_of_stop_words_are_found() -> None:
    text = "Last night we saw The Who in Leeds"
    assert query_terms("the who") == ["the", "who"]
    assert {"the", "who"} <= set(index_terms(text))
    assert query_terms("When did The Who play?") == ["the", "who", "play"]
    assert "us" in index_terms("They moved to the US in spring")
    assert "will" in index_terms("Will: I like tea")
    assert "who" not in index_terms("Who came? The who of it is open.")


def test_function_words_of_other_languages_leave_queries_alone() -> None:
    assert query_terms("где лежит ключ") == query_terms("лежит ключ")
    assert query_terms("من أين المفتاح ومتى") == query_terms("المفتاح")
    assert query_terms("Wo ist der Hund?") == ["hund"]
    assert query_terms("où est le chat") == ["chat"]
    assert query_terms("谁") == ["谁"]
    assert query_terms("wer ist das") == ["wer", "ist", "das"]
    assert {"где", "wo", "谁"} <= set(index_terms("где wo 谁"))
    assert query_terms("How did they die in the war") == ["die", "war"]


def test_a_query_of_one_word_asks_for_one_thing() -> None:
    for word in ("Häuser", "وردة", "ليمون", "بيانات", "Katzen", "café", "Töchter"):
        assert len(query_terms(word)) == 1


def test_text_of_stop_words_alone_keeps_them() -> None:
    assert index_terms("Who are you?") == ["who", "are", "you"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]


def test_shouted_and_title_case_queries_do_not_turn_stop_words_into_names() -> None:
    assert query_terms("What Is The Capital Of France") == ["capit", "franc"]
    assert query_terms("WHAT IS THE PLAN") == ["plan"]


def test_query_terms_are_unique_and_in_order() -> None:
    assert query_terms("dog cat dogs bird cat") == ["dog", "cat", "bird"]


def test_index_terms_repeat_and_keep_order() -> None:
    assert index_terms("dog cat dog") == ["dog", "cat", "dog"]


def test_whole_and_parts_come_once_each() -> None:
    assert index_terms("pkg/foo_bar.py") == ["pkg/foo_bar.py", "foo_bar.py", "foo_bar", "pkg", "foo", "bar", "py"]


def test_date_terms_equal_the_terms_of_the_written_date() -> None:
    assert date_terms(1_683_504_000_000_000) == ["8", "may", "2023"]
    assert date_terms(-1) == index_terms("31 December 1969")


@pytest.mark.parametrize("text", ["", "   \n\t", "!!! ... --- ???", "🎉🎉", "\x00", '""'])
def test_no_word_gives_no_term(text: str) -> None:
    assert index_terms(text) == []
    assert query_terms(text) == []


TEXTS = st.text(max_size=200) | st.text(alphabet="aAbB.-_/\\@:+#' ,0123456789C中文のカ가\"\u0301éßİ", max_size=120)
SCRIPTS = "der die und Häuser Bücherschrank والبيت لأحمد وسارة ـ بـ٣ о'к ё-ё l'été ʼn K-9 什么 ꙮ ﷺ"
TEXTS |= st.lists(st.sampled_from(SCRIPTS.split(" "))).map(" ".join)


@given(TEXTS)
def test_every_term_is_a_safe_plain_token(text: str) -> None:
    for term in index_terms(text) + query_terms(text):
        assert 1 <= len(term) <= MAX_TERM
        assert not any(char.isspace() or char in '"\x00' for char in term)


@given(TEXTS)
def test_query_terms_are_unique_and_found_in_their_own_text(text: str) -> None:
    terms = query_terms(text)
    assert len(terms) == len(set(terms))
    indexed = set(index_terms(text))
    if not indexed:
        assert terms == []
    elif not set(terms) <= indexed:  # stop words alone remained, and some of them are names in the index
        assert indexed <= set(terms)


@given(TEXTS, TEXTS)
def test_terms_do_not_depend_on_what_was_read_before(first: str, second: str) -> None:
    expected = index_terms(second)
    index_terms(first)
    query_terms(first)
    assert index_terms(second) == expected


@given(st.text(alphabet="abc AB.", min_size=1, max_size=60))
def test_case_does_not_matter_for_plain_words(text: str) -> None:
    lower = index_terms(text.lower())
    assert [term for term in index_terms(text.lower().capitalize()) if term in lower] == lower


@pytest.mark.parametrize("chunk", ["a", "a_", "a.", "A.b", "-", "aB", "中", "é", "1,"])
def test_pathological_repetition_is_cheap_and_bounded(chunk: str) -> None:
    terms = index_terms(chunk * (400_000 // len(chunk)))
    assert all(len(term) <= MAX_TERM for term in terms)
