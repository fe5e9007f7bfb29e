"""Rounding errors of a model in double and single precision: machine code compared with many-digit arithmetic.

A sample only shows the errors at its states; it is not a bound. To find the worst states, many are evaluated in machine
code, and those where the two precisions differ most are checked in many-digit arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf, isfinite, isnan, pi
from typing import Any

import numpy as np

from robosym.algebra import symbols
from robosym.algebra.generic import random_arrays
from robosym.algebra.sympy_bridge import Shadow
from robosym.errors import InputError, closest
from robosym.mechanism import Robot
from robosym.model import Model, flat
from robosym.runtime.compiled import Compiled
from robosym.runtime.kernel import Array

__all__ = ["Precision", "Ranges", "WorstError", "precision", "ranges_of"]

_KINDS = {"double": np.float64, "single": np.float32}
_DIGITS = 50  #: digits of the slow arithmetic
_MOST_DIGITS = 800  #: exceeds the decimal exponents of a product of two doubles
_AGREE = 1e-20  #: required agreement between numbers of digits, relative to the largest entry of a group
_CHECKED = 4  #: number of states, besides the worst ones, at which the number of digits is checked
_CANDIDATES = 20  #: states drawn per state that is checked in many digits
_TOLERANCE = 1e-4  #: default tolerance of single precision
Ranges = Mapping[str, tuple[float, float]]  #: (low, high) of every input by name; equal if it is fixed

_SPEED, _ACCELERATION, _EFFORT, _WEIGHT = 5.0, 20.0, 100.0, 9.81
_TRAVEL = 1.0  #: range of a prismatic joint without limits, in m
#: inputs are drawn from -value to value if the robot has no limits
_EVEN: Mapping[str, float] = {
    "q": pi, "q_cut": pi, "q_desired": pi, "qd": _SPEED, "qd_desired": _SPEED, "base_velocity": _SPEED,
    "twist": _SPEED, "twist_desired": _SPEED, "qdd": _ACCELERATION, "qdd_desired": _ACCELERATION,
    "base_acceleration": _ACCELERATION, "acceleration": _ACCELERATION, "acceleration_desired": _ACCELERATION,
    "tau": _EFFORT, "motor_torque": _EFFORT, "wrench": _EFFORT, "disturbance": _EFFORT, "weights": 1.0, "sliding": 1.0,
    "gradient": 1.0,
}  # fmt: skip


@dataclass(frozen=True)
class WorstError:
    """The largest error of an output group in one precision, and the state where it occurs."""

    error: float  #: relative to the largest entry of the group at that state; infinite if the result is not finite
    output: str = ""  #: name of the entry
    computed: float = 0.0
    exact: float = 0.0
    state: Mapping[str, float] = field(default_factory=dict, repr=False)  #: inputs by name


@dataclass(frozen=True)
class Precision:
    """Rounding errors of a model in double and single precision, relative to the largest entry of each group."""

    model: Model
    ranges: Ranges = field(repr=False)
    samples: int  #: number of states checked in many digits
    undefined: int  #: number of those where the model has no finite value
    tolerance: float
    worst: Mapping[str, Mapping[str, WorstError]]  #: worst errors by precision ("double" or "single") and output group
    digits: int = _DIGITS  #: digits of the reference arithmetic

    def error(self, precision: str = "double", group: str | None = None) -> float:
        """Return the largest error of a group, or of all groups."""
        if precision not in self.worst:
            raise InputError(f"precision: expected 'double' or 'single', found {precision!r}")
        found = self.worst[precision]
        if group is not None and group not in found:
            raise InputError(f"group: expected one of the output groups {', '.join(found)}, found {group!r}")
        return max(found[name].error for name in found if group in (None, name))

    def suits(self, precision: str = "single", tolerance: float | None = None) -> bool:
        """Return whether no error exceeds the tolerance; default: that of the measurement."""
        return self.error(precision) <= (self.tolerance if tolerance is None else tolerance)

    def __repr__(self) -> str:
        verdict = "suits" if self.suits() else "does not suit"
        errors = ", ".join(f"{kind} {self.error(kind):.1e}" for kind in self.worst)
        return f"<Precision {self.model.name}: {errors}; single {verdict} {self.tolerance:g}>"

    def __str__(self) -> str:
        rows = [("group", "precision", "worst error", "of", "computed", "exact")]
        for group in self.model.outputs:
            for kind, found in self.worst.items():
                w = found[group]
                rows.append((group, kind, f"{w.error:.2e}", w.output, f"{w.computed:.9g}", f"{w.exact:.9g}"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([f"{self.model.name}: {self.model.title}", "", *lines, "", *self._remarks()])

    def _remarks(self) -> Iterable[str]:
        yield f"Errors, measured in {self.digits} digits, are relative to the largest entry of the group at the state,"
        yield "or at any state if all its entries are exactly 0."
        missing = f" (the model is undefined at {self.undefined})" if self.undefined else ""
        drawn = _CANDIDATES * self.samples
        yield f"Checked {self.samples} states{missing}, half of them the worst of {drawn} drawn; this is not a bound."
        if getattr(self.model.robot, "loops", ()):
            yield "Joints are drawn independently: the loops are not closed at these states."
        for kind, found in self.worst.items():
            worst = max(found.values(), key=lambda w: w.error)
            if worst.state and worst.error:
                moving = {name for name, (low, high) in self.ranges.items() if low < high}
                at = " ".join(f"{name}={value:.6g}" for name, value in worst.state.items() if name in moving)
                yield f"Worst in {kind} precision at {at or 'the given values'}"
        verdict = "meets" if self.suits() else "does not meet"
        yield f"Single precision {verdict} the tolerance of {self.tolerance:g}."


def precision(
    model: Model, ranges: Mapping[str, object] | None = None, samples: int = 100, tolerance: float | None = None
) -> Precision:
    """Measure rounding errors; see `Model.precision`."""
    tolerance = _TOLERANCE if tolerance is None else tolerance
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 1:
        raise InputError(f"samples: expected an integer of at least 1, found {samples!r}")
    if not (isinstance(tolerance, int | float) and 0 < tolerance < inf):
        raise InputError(f"tolerance: expected a number above 0, found {tolerance!r}")
    if not model.inputs:
        raise InputError(f"precision: {model.title} of {model.name} has constant outputs and no inputs to vary")
    spans = ranges_of(model, ranges)
    measured = _Measured(model, spans, _drawn(spans, _CANDIDATES * int(samples)))
    chosen = measured.chosen(int(samples))
    digits = _DIGITS
    while True:
        worst, where, undefined = measured.worst(chosen, digits)
        if measured.agrees({*chosen[:_CHECKED], *where}, digits):
            break
        digits *= 4
        if digits > _MOST_DIGITS:
            raise InputError(f"ranges: cancellation exceeds {_MOST_DIGITS} digits: pass other ranges")
    if undefined == len(chosen):
        raise InputError(f"ranges: the model is not finite at any of {len(chosen)} states: pass other ranges")
    return Precision(model, spans, len(chosen), undefined, float(tolerance), worst, digits)


def _drawn(spans: Ranges, count: int) -> dict[str, Array]:
    """Draw values of each input; the first three states are the middle, the lower and the upper ends of all ranges."""
    random = random_arrays("rounding errors")
    drawn = {}
    for name, (low, high) in spans.items():
        share = random.random(count)
        share[count // 2 :: 8] = np.round(share[count // 2 :: 8])  # some of the corners
        share[:3] = (0.5, 0.0, 1.0)[:count]
        drawn[name] = np.clip(low * (1 - share) + high * share, low, high)
    return drawn


class _Measured:
    """The drawn states, their results in machine code, and in many-digit arithmetic for some of them."""

    def __init__(self, model: Model, spans: Ranges, drawn: Mapping[str, Array]) -> None:
        self.model = model
        self.groups = {group: tuple(flat(layout)) for group, layout in model.outputs.items()}
        self.entered: dict[str, dict[str, Array]] = {}  # inputs of the machine code
        self.reference: dict[str, dict[str, Array]] = {}  # inputs of the reference: fixed values are not rounded
        self.results: dict[str, dict[str, Array]] = {}
        compiled = Compiled(model)
        with np.errstate(all="ignore"):
            for kind, number in _KINDS.items():
                self.entered[kind] = {name: values.astype(number) for name, values in drawn.items()}
                self.reference[kind] = {
                    name: self.entered[kind][name].astype(float) if low < high else drawn[name]
                    for name, (low, high) in spans.items()
                }
                self.results[kind] = self._computed(compiled, self.entered[kind])
            self._differences = self._compared(compiled)

    def _computed(self, compiled: Compiled, values: Mapping[str, Array]) -> dict[str, Array]:
        given = {
            group: np.stack([values[name] for name in names], axis=-1) for group, names in self.model.inputs.items()
        }
        found = compiled(**given)
        several = found if len(self.groups) > 1 else (found,)
        count = len(next(iter(values.values())))
        return {
            group: np.asarray(array, dtype=float).reshape(count, len(names))
            for (group, names), array in zip(self.groups.items(), several, strict=True)
        }

    def _compared(self, compiled: Compiled) -> list[Array]:
        """Return the difference between single and double precision per group, at inputs rounded to single."""
        doubles = self._computed(compiled, self.reference["single"])
        found = []
        for group, right in doubles.items():
            scale = np.abs(right).max(axis=1)
            difference = np.abs(self.results["single"][group] - right).max(axis=1)
            share = np.where(difference > 0, difference / scale, 0.0)
            share = np.where(np.isfinite(difference), share, inf)
            found.append(np.where(np.isfinite(scale), share, -1.0))  # undefined states: only in the random half
        return found

    def chosen(self, samples: int) -> list[int]:
        """Select states to check: half of them in order, the others where the precisions differ most."""
        places = dict.fromkeys(range((samples + 1) // 2))
        orders = [iter(np.argsort(-difference, kind="stable")) for difference in self._differences]
        while len(places) < samples:
            for order in orders:
                place = next((int(k) for k in order if int(k) not in places), None)
                if place is not None and len(places) < samples:
                    places[place] = None
        return list(places)

    def exact(self, shadow: Shadow, kind: str, place: int) -> dict[str, list[Any]] | None:
        """Return the entries of each group at a state in many digits, or None if they are not finite."""
        state = {name: float(values[place]) for name, values in self.reference[kind].items()}
        if not all(map(isfinite, state.values())):
            return None
        values = shadow.values(self.model.nodes, self.model.roots, state)
        if values is None:
            return None
        entries = iter(values)
        return {group: [next(entries) for _ in names] for group, names in self.groups.items()}

    def worst(self, places: Sequence[int], digits: int) -> tuple[dict[str, dict[str, WorstError]], set[int], int]:
        """Return the worst errors per precision and group, states to recheck, and the number of undefined states."""
        shadow = Shadow(digits)
        found = {kind: dict.fromkeys(self.groups, WorstError(-1.0)) for kind in _KINDS}
        again: dict[tuple[str, str], int] = {}
        zeros: set[int] = set()  # or too small for the number of digits
        right = {kind: {place: self.exact(shadow, kind, place) for place in places} for kind in _KINDS}
        defined = [place for place in places if right["double"][place] is not None]
        for kind, group in product(_KINDS, self.groups):
            entries = {place: None if r is None else r[group] for place, r in right[kind].items()}
            usual = max((abs(value) for here in entries.values() for value in here or ()), default=0)
            for place in defined:
                here = self._error(kind, group, place, entries[place], usual)
                if here.error > found[kind][group].error:
                    found[kind][group] = here
                    again[kind, group] = place
                if len(zeros) < _CHECKED and not any(entries[place] or [1]):
                    zeros.add(place)
        return found, {*again.values(), *zeros}, len(places) - len(defined)

    def _error(self, kind: str, group: str, place: int, right: list[Any] | None, usual: Any) -> WorstError:
        """Return the error at one state; infinite if the state itself overflows in single precision.

        If every entry is exactly zero, the error is relative to `usual`, the largest entry at any state.
        """
        computed = self.results[kind][group][place]
        entries = [inf] * len(computed) if right is None else right
        scale = max(map(abs, entries)) or usual
        errors = [_share(value, entry, scale) for value, entry in zip(computed.tolist(), entries, strict=True)]
        k = max(range(len(errors)), key=errors.__getitem__)
        state = {name: float(values[place]) for name, values in self.reference[kind].items()}
        return WorstError(errors[k], self.groups[group][k], float(computed[k]), float(entries[k]), state)

    def agrees(self, places: Iterable[int], digits: int) -> bool:
        """Return whether more digits give the same results, i.e. cancellation does not exhaust the digits."""
        few, many = Shadow(digits), Shadow(_MOST_DIGITS if digits < _MOST_DIGITS else 2 * digits)
        for place in places:
            for kind in _KINDS:
                found, right = self.exact(few, kind, place), self.exact(many, kind, place)
                if found is None or right is None:
                    if found is not right:
                        return False
                    continue
                for group, entries in right.items():
                    scale = max(map(abs, entries))
                    if any(abs(a - b) > _AGREE * scale for a, b in zip(found[group], entries, strict=True)):
                        return False
        return True


def _share(computed: float, right: Any, scale: Any) -> float:
    """Return the relative error; infinite if a result is not finite, or not zero in a group that is always zero."""
    if isnan(computed) or not isfinite(computed) or not isfinite(float(right)):
        return inf
    difference = abs(computed - right)
    return 0.0 if not difference else float(difference / scale) if scale else inf


# ---------------------------------------------------------------------------- ranges of the inputs


def ranges_of(model: Model, given: Mapping[str, object] | None) -> Ranges:
    """Return the range of every input: as given by name or group, or the default."""
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise InputError(f"ranges: expected a dict from names or groups to a value or (low, high), found {given!r}")
    group_of = {name: group for group, names in model.inputs.items() for name in names}
    found: dict[str, tuple[float, float]] = {}
    for key, value in given.items():
        if key in model.inputs and isinstance(value, Mapping):
            for name, entry in value.items():
                if name in model.inputs[key]:
                    found[name] = _span(name, entry)
                elif key != "parameters" or name not in model.known:  # parameters that the model does not use are fine
                    raise InputError(f"ranges: unknown name {name!r} in {key}{closest(str(name), model.inputs[key])}")
        elif key in group_of:
            found[key] = _span(key, value)
        elif key in model.inputs:
            span = _span(key, value)
            found = {**dict.fromkeys(model.inputs[key], span), **found}
        elif key not in model.known:
            known = [*model.inputs, *group_of]
            raise InputError(f"ranges: unknown input {key!r} of the model{closest(str(key), known)}")
    usual = _usual(model)
    missing = [name for name in group_of if name not in found and name not in usual]
    if missing:
        few = " ".join(missing[:6]) + (" ..." if len(missing) > 6 else "")
        group = group_of[missing[0]]
        raise InputError(
            f"ranges: missing values of {few} (group {group}): expected a value or (low, high) of {missing[0]}, "
            f"or (low, high) of {group}"
        )
    return {name: found[name] if name in found else usual[name] for name in group_of}


def _span(name: str, value: Any) -> tuple[float, float]:
    ends = [value] if isinstance(value, str) or not hasattr(value, "__len__") else list(value)
    try:
        numbers = [float(end) for end in ends if not isinstance(end, str | bool)]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != len(ends) or len(ends) not in (1, 2) or not all(map(isfinite, numbers)):
        raise InputError(f"ranges: {name}: expected a number or (low, high), found {value!r}")
    if numbers[0] > numbers[-1]:
        raise InputError(f"ranges: {name}: expected low <= high, found {value!r}")
    return numbers[0], numbers[-1]


def _usual(model: Model) -> Ranges:
    """Return default ranges: a full turn, typical velocities and accelerations, joint limits, and earth's gravity."""
    found = {
        name: (-_EVEN[group], _EVEN[group]) for group, names in model.inputs.items() if group in _EVEN for name in names
    }
    down = model.inputs.get("gravity", ())
    found |= dict.fromkeys(down, (_WEIGHT, _WEIGHT) if len(down) == 1 else (-_WEIGHT, _WEIGHT))
    if model.robot is not None:
        for name, span in _of_joints(model.robot).items():
            if name in found:
                found[name] = span
    return found


def _of_joints(robot: Robot) -> Ranges:
    """Return the limits of the joints of a robot by variable."""
    found = {}
    for j in robot.tree_joints:
        joint, limits = robot.joint(j), robot.joint(j).limits
        if limits.lower is not None and limits.upper is not None:
            found[robot.variable(j)] = (limits.lower, limits.upper)
        elif robot.frame(j).sigma == 1:
            found[robot.variable(j)] = (-_TRAVEL, _TRAVEL)
        for entry, most in (("QP", limits.velocity), ("QDP", limits.acceleration), ("GAM", limits.effort)):
            value = getattr(joint, entry)
            names = tuple(symbols([value])) if value.level else ()
            if most is not None and len(names) == 1:
                found |= dict.fromkeys(names, (-most, most))
    return found
