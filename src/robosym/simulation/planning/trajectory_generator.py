"""Models of trajectories whose start, goal and limits are inputs, for controllers that plan while they run.

A profile is a sum over its phases, each with the time clipped to it, so that the code has no branches. A motion
over a distance of zero takes no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial
from typing import Literal

from robosym.algebra import Expr
from robosym.algebra.matrix import sum_of
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError, closest
from robosym.mechanism import Robot
from robosym.model import Layout, Model, Workspace
from robosym.simulation.planning.curve_model import MOTION, TIME, at_least, clipped
from robosym.simulation.planning.time_laws import POLYNOMIALS, PROFILES

__all__ = ["trajectory_generator"]

_LAWS = (*POLYNOMIALS, *PROFILES)
_NONE = 1e-30  #: inverse of a limit that stands for a distance of zero
_RATES = ("", "P", "DP", "TP")  #: of positions, velocities, accelerations and jerks in names
_WORDS = ("positions", "velocities", "accelerations", "jerks")


@accepts("floating", motors=ALL, platform=ALL, modules=ALL, contacts=ALL)
def trajectory_generator(
    robot: Robot, law: Literal["cubic", "quintic", "septic", "trapezoidal", "double_s"] = "quintic"
) -> Model:
    """Return the model of a trajectory whose start and goal are inputs, for controllers that plan online.

    Parameters
    ----------
    robot : Robot
        Robot on any base, whose independent joints move.
    law : str, optional
        Time law. `cubic`, `quintic`, `septic`: polynomials of a given duration, with velocities (accelerations, jerks)
        at both ends as inputs. `trapezoidal`, `double_s`: the fastest synchronized motion from rest to rest within
        limits of velocity and acceleration (and jerk) of each joint.

    Returns
    -------
    Model
        Outputs "q", "qd", "qdd" at a time, and "duration" (1) of profiles. Inputs: "time"; "start" and "goal",
        positions of the joints, for polynomials followed by their velocities, then accelerations, then jerks;
        "duration" of polynomials; "limits" of profiles, velocities followed by accelerations, then jerks.

    Raises
    ------
    InputError
        If the law is unknown.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.trajectory_generator("planar2r", "trapezoidal")
    >>> found = model.compile()(time=[0.75], start=[0, 0], goal=[1, 0.5], limits=[1, 1, 2, 2])
    >>> found.q.round(9).tolist(), found.duration.round(9).tolist()
    ([0.5, 0.25], [1.5])
    """
    if law not in _LAWS:
        raise InputError(f"law: expected one of {', '.join(_LAWS)}, found {law!r}{closest(str(law), _LAWS)}")
    names = robot.joint_names if robot.coordinates == "motors" else robot.motor_names
    if not names:
        raise InputError(f"{robot.name}: expected a robot with a motor in at least one joint, found none")
    joints = [str(k) for k in range(1, len(names) + 1)]
    with Workspace(robot, ()) as work:
        (time,) = work.input(TIME, (TIME,))
        if law in POLYNOMIALS:
            half = (POLYNOMIALS[law] + 1) // 2
            ends = [_rows(work.input(g, _names(p, half, joints)), half) for g, p in (("start", "S"), ("goal", "G"))]
            (duration,) = work.input("duration", ("DURATION",))
            rows = _polynomial(time, duration, *ends)
            about = {f"in {g}": f"{', then '.join(_WORDS[:half])} of the joints (SI)" for g in ("start", "goal")}
        else:
            count = PROFILES[law]
            start, goal = (work.input(g, _names(p, 1, joints)) for g, p in (("start", "S"), ("goal", "G")))
            limits = _rows(work.input("limits", [f"{word}MAX{k}" for word in "VAJ"[:count] for k in joints]), count)
            rows, lasted = _profile(time, start, goal, limits)
            about = {"in limits": f"limits of the joints: {', then '.join(_WORDS[1 : count + 1])} (SI)"}
            work.define("DURATION", lasted)
            about["duration"] = "duration of the motion (s)"
        outputs: dict[str, Layout] = {
            group: work.vector(prefix, dict(enumerate(row, 1)))
            for (group, prefix), row in zip(MOTION.items(), rows, strict=True)
        }  # fmt: skip
        if law in PROFILES:
            outputs["duration"] = ("DURATION",)
        return work.model("gen", f"Trajectory generator: {law.replace('_', '-')}", outputs, about=about)


def _names(letter: str, orders: int, joints: Sequence[str]) -> list[str]:
    """Return SQ1 .., SQP1 .., SQDP1 .. for the start, and the same with G for the goal."""
    return [f"{letter}Q{_RATES[order]}{k}" for order in range(orders) for k in joints]


def _rows(entries: Sequence[Expr], count: int) -> list[Sequence[Expr]]:
    size = len(entries) // count
    return [entries[k * size : (k + 1) * size] for k in range(count)]


def _polynomial(
    time: Expr, duration: Expr, start: Sequence[Sequence[Expr]], goal: Sequence[Sequence[Expr]]
) -> list[list[Expr]]:
    """Return positions, velocities and accelerations of polynomials with given derivatives at both ends.

    With x = t / T, the polynomial is the sum of the derivatives at an end, times T^k, times Hermite's functions.
    Outside 0 <= t <= T, positions are those of the nearest end, velocities and accelerations zero.
    """
    half = len(start)
    x = clipped(time / duration, 1)
    within = at_least(time, 0) * at_least(-time, -duration)
    rows: list[list[Expr]] = []
    powers = [duration.graph.one]
    for _ in range(half):
        powers.append(powers[-1] * duration)
    for order in range(3):
        scale = within / powers[order] if order else duration.graph.one
        row = []
        for joint in range(len(start[0])):
            terms = []
            for k in range(half):
                first, last = _hermite(half, k, order, x), _hermite_end(half, k, order, x)
                terms += [start[k][joint] * powers[k] * first, goal[k][joint] * powers[k] * last]
            row.append(scale * sum_of(terms))
        rows.append(row)
    return rows


def _coefficients(half: int, k: int) -> list[tuple[int, int, int]]:
    """Return (numerator, denominator, power) of x^k / k! (1 - x)^half sum_i C(half - 1 + i, i) x^i, i < half - k."""
    found: dict[int, int] = {}
    for i in range(half - k):
        for m in range(half + 1):
            power = k + i + m
            found[power] = found.get(power, 0) + comb(half - 1 + i, i) * comb(half, m) * (-1) ** m
    return [(value, factorial(k), power) for power, value in sorted(found.items()) if value]


def _hermite(half: int, k: int, order: int, x: Expr) -> Expr:
    """Return the derivative of an order of the function whose k-th derivative is 1 at 0; all others vanish."""
    value = x.graph.zero
    for numerator, denominator, power in reversed(_coefficients(half, k)):
        if power >= order:
            factor = numerator * (factorial(power) // factorial(power - order))
            value = value + x.graph.number(factor) / denominator * x ** (power - order)
    return value


def _hermite_end(half: int, k: int, order: int, x: Expr) -> Expr:
    """Return the same for the other end: (-1)^k H(1 - x)."""
    value = _hermite(half, k, order, 1 - x)
    return -value if (k + order) % 2 else value


def _least(a: Expr, b: Expr) -> Expr:
    return (a + b - a.graph.function("abs", a - b)) / 2


def _positive(a: Expr) -> Expr:
    return (a + a.graph.function("abs", a)) / 2


def _largest(values: Sequence[Expr]) -> Expr:
    found = values[0]
    for value in values[1:]:
        found = found + _positive(value - found)
    return found


def _profile(
    time: Expr, start: Sequence[Expr], goal: Sequence[Expr], limits: Sequence[Sequence[Expr]]
) -> tuple[list[list[Expr]], Expr]:
    """Return positions, velocities and accelerations of the profile of all joints, and its duration."""
    size = time.graph.function
    ways = [b - a for a, b in zip(start, goal, strict=True)]
    slow = [
        _largest([size("abs", way) / limit for way, limit in zip(ways, row, strict=True)]) + _NONE for row in limits
    ]
    lengths, jerks, changes = _double_s(*slow) if len(slow) == 3 else _trapezoidal(*slow)
    s, speed, change, lasted = _sum_of_phases(time, lengths, jerks, changes)
    return [
        [a + way * s for a, way in zip(start, ways, strict=True)],
        [way * speed for way in ways],
        [way * change for way in ways],
    ], lasted


Phases = tuple[list[Expr], list[Expr], list[Expr]]


def _trapezoidal(slow_v: Expr, slow_a: Expr) -> Phases:
    """Return durations, jerks and accelerations at the start of the phases; see `time_laws`."""
    zero = slow_v.graph.zero
    ramp = _least(slow_a / slow_v, slow_a.graph.function("sqrt", slow_a))
    a = 1 / slow_a
    cruise = _positive(slow_a / ramp - ramp)
    return [ramp, cruise, ramp], [zero] * 3, [a, zero, -a]


def _double_s(slow_v: Expr, slow_a: Expr, slow_j: Expr) -> Phases:
    """Return the same of the seven phases of a double-S profile."""
    zero, root = slow_v.graph.zero, slow_v.graph.function
    jerk = 1 / slow_j
    third = slow_j.graph.power(slow_j / 2, slow_j.graph.number(1) / 3)
    bend = _least(_least(slow_j / slow_a, root("sqrt", slow_j / slow_v)), third)
    braking = (root("sqrt", bend * bend + 4 * slow_a) - 3 * bend) / 2
    straight = _positive(_least(slow_a / slow_v - bend, braking))
    top = jerk * bend
    cruise = _positive(1 / (top * (bend + straight)) - 2 * bend - straight)
    lengths = [bend, straight, bend, cruise, bend, straight, bend]
    return lengths, [jerk, zero, -jerk, zero, -jerk, zero, jerk], [zero, top, top, zero, zero, -top, -top]


def _sum_of_phases(time: Expr, lengths: list[Expr], jerks: list[Expr], changes: list[Expr]) -> tuple[Expr, ...]:
    """Return position, velocity and acceleration over a distance of 1, and the duration."""
    zero = time.graph.zero
    begun, speed = zero, zero
    position, rate, change = [zero], [zero], [zero]
    reached = at_least(time, begun)
    last = len(lengths) - 1
    for k, (length, jerk, a) in enumerate(zip(lengths, jerks, changes, strict=True)):
        x = clipped(time - begun, length)
        begun = begun + length
        after = at_least(time, begun) if k < last else 1 - at_least(-time, -begun)
        position.append(x * (speed + x * (a / 2 + x * jerk / 6)))
        rate.append(x * (a + x * jerk / 2))
        change.append((reached - after) * (a + jerk * x))
        speed, reached = speed + length * (a + length * jerk / 2), after
    return (*(zero + sum_of(terms) for terms in (position, rate, change)), begun)
