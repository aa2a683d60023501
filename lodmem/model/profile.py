"""Profiles: how an agent looks at the store. Presets are data; a call may override what a profile does not lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, TypeGuard, cast

from lodmem.errors import BadParameter, ParameterLocked
from lodmem.model.memory import Tier

MIN_BUDGET = 64
MAX_BUDGET = 10_000_000
MAX_K = 1_000_000

TUNABLE = ("alpha", "lambda_", "theta1", "theta2", "theta3", "k", "budget", "promote_at", "relevance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """alpha 0..1; lambda_ per day >= 0; 1 >= theta1 >= theta2 >= theta3 >= 0; k and budget counts (budget None: no budget).

    `floors` maps 'tag:NAME' or 'kind:NAME' to the lowest tier such memories are shown at. `locked` names parameters that a
    call may not override; `bounds` gives (low, high) for those it may move within. Raises BadParameter.
    """

    name: str
    alpha: float = 0.9
    lambda_: float = 0.03
    theta1: float = 0.60
    theta2: float = 0.30
    theta3: float = 0.05
    k: int = 1000
    budget: int | None = None
    promote_at: float = 0.5
    relevance: str = "fused"
    floors: Mapping[str, Tier] = field(default_factory=lambda: MappingProxyType({}))
    locked: tuple[str, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        for name in ("alpha", "theta1", "theta2", "theta3", "promote_at"):
            value = getattr(self, name)
            if not _is_number(value) or not 0.0 <= value <= 1.0:
                raise BadParameter(f"{name} must be between 0 and 1, got {value!r}")
        if not self.theta1 >= self.theta2 >= self.theta3:
            raise BadParameter(
                f"thresholds out of order: theta1 {self.theta1}, theta2 {self.theta2}, theta3 {self.theta3}",
                hint="theta1 >= theta2 >= theta3",
            )
        if not _is_number(self.lambda_) or not 0.0 <= self.lambda_ <= 1000.0:
            raise BadParameter(f"lambda must be between 0 and 1000 a day, got {self.lambda_!r}")
        if isinstance(self.k, bool) or not isinstance(self.k, int) or not 1 <= self.k <= MAX_K:
            raise BadParameter(f"k must be a whole number from 1 to {MAX_K}, got {self.k!r}")
        budget = self.budget
        if budget is not None and (
            isinstance(budget, bool) or not isinstance(budget, int) or not MIN_BUDGET <= budget <= MAX_BUDGET
        ):
            raise BadParameter(
                f"budget must be a whole number of tokens from {MIN_BUDGET} to {MAX_BUDGET}, got {budget!r}",
                hint="leave it out for no budget",
            )
        if self.relevance not in ("fused", "cosine"):
            raise BadParameter(f"relevance must be 'fused' or 'cosine', got {self.relevance!r}")
        self._check_names()

    def _check_names(self) -> None:
        if not self.name.strip() or len(self.name) > 255 or not self.name.isprintable():
            raise BadParameter(f"{self.name!r} is not a profile's name")
        for rule in self.floors:
            kind, sep, value = rule.partition(":")
            if not sep or kind not in ("tag", "kind") or not value:
                raise BadParameter(f"{rule!r} is not a floor rule", hint="write tag:NAME or kind:NAME")
        for name in (*self.locked, *self.bounds):
            if name not in TUNABLE:
                raise BadParameter(f"{name!r} cannot be locked or bounded", hint="one of " + ", ".join(TUNABLE))

    def override(self, **given: object) -> Profile:
        """This profile with the parameters that are not None replaced.

        Raises:
            ParameterLocked: the profile locks a parameter, or the value leaves its bounds.
            BadParameter: the value itself is not allowed, or the name is unknown.
        """
        changes = {name: value for name, value in given.items() if value is not None}
        for name, value in changes.items():
            if name not in TUNABLE:
                raise BadParameter(f"unknown parameter {name!r}", hint="one of " + ", ".join(TUNABLE))
            if name in self.locked and value != getattr(self, name):
                raise ParameterLocked(f"profile {self.name!r} locks {name} at {getattr(self, name)!r}")
            if name in self.bounds and _is_number(value):
                low, high = self.bounds[name]
                if not low <= value <= high:
                    raise ParameterLocked(f"profile {self.name!r} keeps {name} within {low:g} and {high:g}, got {value!r}")
        return replace(self, **cast("dict[str, Any]", changes)) if changes else self

    def to_dict(self) -> dict[str, object]:
        """Plain values, JSON-ready; `from_dict` turns them back."""
        out: dict[str, object] = {f.name: getattr(self, f.name) for f in fields(self)}
        out["floors"] = {rule: tier.label for rule, tier in self.floors.items()}
        out["locked"] = list(self.locked)
        out["bounds"] = {name: list(pair) for name, pair in self.bounds.items()}
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Profile:
        """The profile of `to_dict`. Unknown keys raise BadParameter."""
        known = {f.name for f in fields(cls)}
        if unknown := set(data) - known:
            raise BadParameter(f"unknown profile fields: {', '.join(sorted(unknown))}")
        values: dict[str, Any] = dict(data)
        floors = values.pop("floors", {})
        bounds = values.pop("bounds", {})
        if not isinstance(floors, Mapping) or not isinstance(bounds, Mapping):
            raise BadParameter("floors and bounds of a profile are tables")
        values["floors"] = MappingProxyType({str(rule): Tier.parse(str(tier)) for rule, tier in floors.items()})
        values["bounds"] = MappingProxyType({str(name): (float(low), float(high)) for name, (low, high) in bounds.items()})
        values["locked"] = tuple(str(name) for name in values.get("locked", ()))
        return cls(**values)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


PRESETS: Mapping[str, Profile] = MappingProxyType(
    {
        p.name: p
        for p in (
            Profile(name="balanced"),
            Profile(name="research", alpha=0.999),
            Profile(name="digest", alpha=0.1),
            Profile(
                name="precedent",
                alpha=0.5,
                floors=MappingProxyType({"tag:foundational": Tier.FULL, "tag:precedent": Tier.FULL}),
            ),
            Profile(name="seed", alpha=0.5, theta1=0.60, theta2=0.30, theta3=0.0),
        )
    }
)
DEFAULT_PROFILE = "balanced"
