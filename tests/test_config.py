"""Settings: where each value comes from, and what is refused."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from lodmem import config
from lodmem.config import VARIABLES, Settings, default_store, machine_zone, read_settings
from lodmem.errors import BadParameter
from lodmem.model.spend import Price, Rate


def test_defaults() -> None:
    settings = read_settings({})
    assert settings.store == default_store()
    assert (settings.agent, settings.space, settings.profile, settings.embedder) == ("default", "main", None, "auto")
    assert settings.max_text_bytes == 16 * 1024 * 1024
    assert settings.zone == machine_zone()


def test_every_variable_is_read() -> None:
    values = {
        "store": "/tmp/a.db",
        "agent": "ada",
        "space": "acme/research",
        "profile": "digest",
        "embedder": "none",
        "zone": "Asia/Tokyo",
        "openai_base_url": "http://localhost:11434/v1",
        "openai_api_key": "key",
        "openai_model": "nomic",
        "openai_c0": "0.25",
        "openai_c1": "0.8",
        "max_text_bytes": "1_000",
        "principles": "/tmp/held.md",
        "llm": "openai:tiny:3b",
        "llm_url": "http://localhost:11434/v1",
        "llm_api_key": "s3cret",
        "llm_summary": "small",
        "llm_headline": "smaller",
        "llm_cap": "day=200_000, run=5e4",
        "llm_cap_cost": "store=2.5",
        "llm_prices": "tiny:3b=0.15/0.60, small=0/0, smaller=1/2",
        "llm_rpm": "60",
        "llm_tpm": "40_000",
        "llm_timeout": "7.5",
        "llm_stream": "Off",
        "llm_tasks": "class, importance,class",
    }
    settings = read_settings({VARIABLES[name]: value for name, value in values.items()})
    assert set(values) == set(VARIABLES)
    for name, value in values.items():
        read: dict[str, object] = {"store": Path("/tmp/a.db"), "max_text_bytes": 1000, "openai_c0": 0.25, "openai_c1": 0.8}
        read |= {"llm_cap": {"day": 200_000, "run": 50_000}, "llm_cap_cost": {"store": 2_500_000}, "llm_timeout": 7.5}
        read |= {"llm_tasks": ("class", "importance"), "llm_rpm": 60, "llm_tpm": 40_000, "llm_stream": False}
        read |= {"llm_prices": {"tiny:3b": Price(0.15, 0.6), "small": Price(0, 0), "smaller": Price(1, 2)}}
        read |= {"principles": Path("/tmp/held.md")}
        expected: object = read.get(name, value)
        assert getattr(settings, name) == expected


def test_given_wins_over_variables_and_empty_counts_as_not_given() -> None:
    settings = read_settings({"LODMEM_AGENT": "ada", "LODMEM_SPACE": ""}, agent="bo", space=None)
    assert (settings.agent, settings.space) == ("bo", "main")


def test_a_zero_is_a_value() -> None:
    assert read_settings({"LODMEM_OPENAI_C0": "0.5"}, openai_c0=0.0).openai_c0 == 0.0


def test_what_is_no_number_is_refused_with_its_variable() -> None:
    with pytest.raises(BadParameter) as caught:
        read_settings({"LODMEM_OPENAI_C1": "high"})
    assert "LODMEM_OPENAI_C1" in caught.value.hint


def test_the_environment_itself_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LODMEM_AGENT", "somebody")
    assert read_settings({}).agent == "default"


def test_home_is_expanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_settings({}, store="~/x.db").store == tmp_path / "x.db"


def test_the_key_is_not_in_the_repr() -> None:
    assert "s3cret" not in repr(read_settings({}, openai_api_key="s3cret"))


def test_no_language_model_unless_named() -> None:
    settings = read_settings({"OPENAI_API_KEY": "theirs", "LODMEM_LLM_SUMMARY": "small"})
    assert (settings.llm, settings.llm_models, settings.llm_api_key) == ("none", {}, None)
    assert settings.llm_caps.tokens == {"day": 500_000}


def test_each_task_may_have_its_own_language_model() -> None:
    assert read_settings({}, llm="openai:a:3b").llm_models == {"": "a:3b", "summary": "a:3b", "headline": "a:3b"}
    assert read_settings({}, llm="openai:a", llm_headline="b").llm_models == {"": "a", "summary": "a", "headline": "b"}


def test_a_makers_key_goes_to_the_maker_only() -> None:
    keys = {"OPENAI_API_KEY": "ours", "ANTHROPIC_API_KEY": "theirs"}
    assert read_settings(keys, llm="openai:m").llm_api_key == "ours"
    assert read_settings(keys, llm="anthropic:m").llm_api_key == "theirs"
    assert read_settings(keys, llm="openai:m", llm_url="http://localhost:11434/v1").llm_api_key is None
    assert read_settings(keys | {"LODMEM_LLM_API_KEY": "own"}, llm="openai:m").llm_api_key == "own"


def test_the_language_models_key_is_not_in_the_repr() -> None:
    settings = read_settings({"OPENAI_API_KEY": "s3cret"}, llm="openai:m")
    assert settings.llm_api_key == "s3cret"
    assert "s3cret" not in repr(settings)
    assert "s3cret" not in repr(read_settings({}, llm="openai:m", llm_url="https://me:s3cret@models.example/v1"))


def test_a_cap_can_be_lifted() -> None:
    assert read_settings({}, llm_cap="none").llm_caps.tokens == {}


def test_requests_are_not_limited_unless_asked() -> None:
    assert read_settings({}).llm_caps.rate == Rate(None, None)
    assert read_settings({}, llm_rpm=5, llm_tpm="none").llm_caps.rate == Rate(5, None)


@pytest.mark.parametrize(("given", "on"), [(None, True), (True, True), (False, False), ("no", False), ("1", True)])
def test_streaming_can_be_switched(given: object, on: bool) -> None:
    assert read_settings({}, llm_stream=given).llm_stream is on


def test_a_cap_on_money_needs_prices() -> None:
    with pytest.raises(BadParameter, match="price of small") as caught:
        read_settings({}, llm="openai:m", llm_summary="small", llm_cap_cost="day=1", llm_prices="m=1/2")
    assert "LODMEM_LLM_PRICES" in caught.value.hint


def test_the_machine_zone_is_one() -> None:
    ZoneInfo(machine_zone())


@pytest.mark.parametrize("zone", [None, "Nowhere/Land", ""])
def test_a_machine_that_cannot_tell_its_zone_is_in_utc(monkeypatch: pytest.MonkeyPatch, zone: str | None) -> None:
    import tzlocal

    monkeypatch.setattr(tzlocal, "get_localzone_name", lambda: zone)
    assert machine_zone() == "UTC"


@pytest.mark.parametrize(
    "bad",
    [
        {"agent": " "},
        {"agent": "a\nb"},
        {"agent": "a\u202eb"},
        {"agent": "a" * 256},
        {"space": "a//b"},
        {"space": "../up"},
        {"embedder": "word2vec"},
        {"zone": "Mars/Olympus"},
        {"zone": "../../etc/passwd"},
        {"max_text_bytes": "many"},
        {"max_text_bytes": "0"},
        {"max_text_bytes": "99999999999"},
        {"colour": "red"},
        {"llm": "gpt-4o-mini"},
        {"llm": "openai:"},
        {"llm": "acme:m"},
        {"llm": "openai:m\nm"},
        {"llm_cap": "week=5"},
        {"llm_cap": "day"},
        {"llm_cap": "day=-1"},
        {"llm_cap": "day=nan"},
        {"llm_cap": "day=1e99"},
        {"llm_cap_cost": "day=much"},
        {"llm_prices": "m=1"},
        {"llm_prices": "m=1/-2"},
        {"llm_prices": "m=nan/1"},
        {"llm_timeout": "0"},
        {"llm_timeout": "long"},
        {"llm_rpm": "0"},
        {"llm_tpm": "-5"},
        {"llm_tpm": "1.5"},
        {"llm_rpm": "many"},
        {"llm_stream": "perhaps"},
        {"llm_tasks": "class,poetry"},
    ],
)
def test_bad_values_are_refused_with_a_word_about_it(bad: dict[str, str]) -> None:
    with pytest.raises(BadParameter) as refused:
        read_settings({}, **bad)
    assert refused.value.message
    assert "\n" not in refused.value.message


def test_zero_bytes_are_not_taken_for_no_value() -> None:
    with pytest.raises(BadParameter):
        Settings(store=Path("x"), max_text_bytes=0)


def test_names_of_settings_and_variables_agree() -> None:
    assert set(VARIABLES) == set(Settings.__dataclass_fields__)
    assert all(variable == "LODMEM_" + name.upper() for name, variable in VARIABLES.items())
    assert config.EMBEDDERS[0] == Settings.__dataclass_fields__["embedder"].default
