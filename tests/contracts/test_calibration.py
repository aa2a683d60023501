"""c0 and c1 of a store: kept for the active model, and for no other."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from contract_kit import OTHER, SMALL, entry

from lodmem.errors import BadParameter
from lodmem.ports import Store


def test_a_new_store_has_none_of_its_own(store: Store) -> None:
    assert store.calibration() is None


def test_it_is_kept_for_everybody(open_store: Callable[[], Store]) -> None:
    one, two = open_store(), open_store()
    one.activate_model(SMALL, audit=entry())
    one.set_calibration((0.125, 0.75), audit=entry("calibrate", c0=0.125))
    assert two.calibration() == (0.125, 0.75)
    two.set_calibration((-0.5, 1.0), audit=entry())
    assert one.calibration() == (-0.5, 1.0)
    assert one.audit_log()[1].verb == "calibrate"


def test_it_is_forgotten(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    store.set_calibration((0.1, 0.2), audit=entry())
    store.set_calibration(None, audit=entry())
    assert store.calibration() is None


def test_another_model_has_its_own(store: Store) -> None:
    store.activate_model(SMALL, audit=entry())
    store.set_calibration((0.1, 0.2), audit=entry())
    store.activate_model(OTHER, audit=entry())
    assert store.calibration() is None
    store.set_calibration((0.3, 0.4), audit=entry())
    assert store.calibration() == (0.3, 0.4)
    store.activate_model(None, audit=entry())
    assert store.calibration() is None


@pytest.mark.parametrize("clip", [(0.5, 0.5), (0.6, 0.5), (-1.1, 0.5), (0.0, 1.1), (float("nan"), 0.5), (0.1, float("inf"))])
def test_what_are_no_cosines_is_refused(store: Store, clip: tuple[float, float]) -> None:
    store.activate_model(SMALL, audit=entry())
    with pytest.raises(BadParameter) as caught:
        store.set_calibration(clip, audit=entry())
    assert caught.value.hint
    assert store.calibration() is None
    assert len(store.audit_log()) == 1


def test_without_a_model_there_is_nothing_to_calibrate(store: Store) -> None:
    with pytest.raises(BadParameter, match="no embedding model"):
        store.set_calibration((0.1, 0.2), audit=entry())
