"""Arabic words: one spelling, no article, no pronoun, no ending."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lodmem.text.arabic import bare, light_stem, without_attached

LETTERS = st.text(alphabet="ابتثجحخدذرزسشصضطظعغفقكلمنهويأإآىةؤئءـ\u064e\u0651", max_size=20)


@pytest.mark.parametrize(
    "forms",
    [
        "زيتون الزيتون والزيتون بالزيتون للزيتون وبالزيتون كالزيتون فالزيتون",
        "مكتبة المكتبه للمكتبة مكتبات المكتبات مكتبتي مكتبتها",
        "سيارة السيارة سيارات سيارتي سيارتنا والسيارة",
        "اجتماع الاجتماعات اجتماعنا للاجتماع",
        "احتياطي الاحتياطية احتياطيه",
        "رواية الروايات روايه",
        "إسكندرية الاسكندريه",
        "حليب حليبًا الحَلِيب حليـــب",
        "والد والدي والدتي والدتها الوالدة",
        "ألوان الألوان",
        "ورد وردة الورد",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({light_stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("words", ["كلب كتاب كلمة", "علي علم عمل", "بنت بيت باب", "ألم قلم"])
def test_other_words_have_another(words: str) -> None:
    assert len({light_stem(word) for word in words.split()}) == len(words.split())


def test_a_first_letter_that_may_be_a_preposition_comes_off() -> None:
    assert without_attached("وسارة") == "سارة"
    assert without_attached("لأحمد") == "أحمد"
    assert [without_attached(word) for word in ("والبيت", "للبيت", "وقت", "كتاب", "")] == [""] * 5


@given(LETTERS)
def test_a_stem_is_never_longer_and_empty_only_for_nothing(word: str) -> None:
    assert len(light_stem(word)) <= len(bare(word))
    assert bool(light_stem(word)) == bool(bare(word))
