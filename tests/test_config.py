"""Settings: where each value comes from, and what is refused."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from lodmem import config
from lodmem.config import VARIABLES, Settings, default_store, machine_zone, read_settings
from lodmem.errors import BadParameter


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
    }
    settings = read_settings({VARIABLES[name]: value for name, value in values.items()})
    assert set(values) == set(VARIABLES)
    for name, value in values.items():
        read = {"store": Path("/tmp/a.db"), "max_text_bytes": 1000, "openai_c0": 0.25, "openai_c1": 0.8}
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
