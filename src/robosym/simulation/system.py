"""System of a simulation: the derivative of the state of a robot as one model, composed of the public models.

| robot | state |
| --- | --- |
| tree, also with elastic joints or coupled motors | q, qd |
| closed | q of all tree joints, qd of the active ones; loops are closed after each step, or stabilized |
| tree in contact with the ground | that of its tree; slip velocities are zero |
| floating base | pose of the base (position, quaternion), q, velocity of the base in frame 0, qd |
| parallel | pose of the platform (R by rows, P), its twist |

Quaternions and rotation matrices are stabilized. Internal states of a controller come last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, NamedTuple

from robosym.algebra import Expr, Graph
from robosym.algebra.interpret import substitute
from robosym.coordinates.following import closing_step
from robosym.coordinates.joint_motion import joint_rates
from robosym.dynamics import direct_dynamics
from robosym.dynamics.direct_dynamics import direct_of
from robosym.errors import InputError, missing_values
from robosym.mechanism import Robot
from robosym.mechanism.edit import ORIENTATION
from robosym.model import Model, compose, flat, is_online
from robosym.model.groups import declare
from robosym.optimizer import optimize
from robosym.runtime.fixed_step import FixedStepIntegrator
from robosym.simulation.hardware import Hardware, efforts_model
from robosym.simulation.stick import sticking_acceleration
from robosym.spatial import Mat3, Vec3
from robosym.spatial.vectors import rotation_of

__all__ = [
    "BASE_POSE", "BASE_STATE", "System", "base_system", "floating_with_symbols", "gravity_in_base",
    "law_on_floating_base", "oriented", "system_of", "upright",
]  # fmt: skip

BASE_POSE = ("PB1", "PB2", "PB3", "QB0", "QB1", "QB2", "QB3")
BASE_STATE = ("base_pose", "base_velocity")  #: state of a floating base whose joints follow a given motion
_BASE_VELOCITY = ("W10", "W20", "W30", "V10", "V20", "V30")
_HALF = Fraction(1, 2)
_SHORT = 9  #: number of joints up to which the inertia matrix may give shorter code for the accelerations
_GRAVITY = ("GB1", "GB2", "GB3")  #: gravity in the frame of a floating base


class LoopModels(NamedTuple):
    """Models of the constraints of a robot with loops or couplings."""

    rates: Model  #: "rates" of all tree joints from those of the active ones
    closing: Model  #: one Newton step: "next" positions and their "gap"


@dataclass(frozen=True, eq=False)
class System:
    """Model of the derivative of the state, with the groups of the state before the inputs; see `system_of`."""

    robot: Robot  #: numeric except for varied symbols
    flow: Model
    state: tuple[str, ...]  #: groups
    law: Model | None  #: motor efforts from state and inputs; None if they are given
    loops: LoopModels | None = None  #: models of the loops of a robot with constraints
    after: Model | None = None  #: changes at the end of a step
    compiled: dict[str, FixedStepIntegrator] = field(default_factory=dict, repr=False)  #: integrators by method

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without machine code, which is compiled again on demand."""
        return System, (self.robot, self.flow, self.state, self.law, self.loops, self.after)

    @property
    def size(self) -> int:
        return sum(len(self.flow.inputs[group]) for group in self.state)

    @property
    def driven(self) -> tuple[str, ...]:
        """Input groups that must be given along the motion."""
        return tuple(group for group in self.flow.inputs if group not in self.state)

    @property
    def positions(self) -> str:
        """Group of the state with positions of the joints, or with the pose of a platform."""
        return "q" if "q" in self.state else "pose"

    @property
    def velocities(self) -> str:
        return "qd" if "qd" in self.state else "twist"

    def place(self, group: str) -> slice:
        """Return the indices of a group of the state."""
        before = self.state[: self.state.index(group)]
        start = sum(len(self.flow.inputs[other]) for other in before)
        return slice(start, start + len(self.flow.inputs[group]))


def system_of(
    robot: Robot, pull: float, project: bool, law: Model | None, efforts: Hardware, stick: bool, varied: Sequence[str],
    values: Mapping[str, float],
) -> System:  # fmt: skip
    """Return the system of a robot with the controller `law` and the hardware `efforts` between it and the joints.

    `values` are those of the symbols; `varied` symbols remain inputs. Constraint errors are stabilized at the rate
    `pull` in 1/s; with `project`, loops are instead closed after each step.
    """
    loops = _loops(robot) if robot.constrained else None
    acceleration, state = _motion(robot)
    rates = [] if loops is None else [loops.rates] if project else [*loops]
    if stick:
        acceleration = [sticking_acceleration(robot)]
        state = (*state, "sliding")
    direct = acceleration[-1]
    shaping = efforts_model(robot, direct, efforts)
    before = [model for model in (law, shaping) if model is not None]
    if law is not None and "tau" not in law.outputs:
        raise InputError(f"controller: expected a model with the output group tau, found {', '.join(law.outputs)}")
    memory = [group for model in before for group in _memory(model)]
    joined = compose(*before, *rates, *acceleration)
    joined = replace(joined, inputs={**joined.inputs, **{g: n for g, n in direct.inputs.items() if g in state}})
    pull = 0.0 if project else pull
    slopes = {group: _slopes(group, joined, loops, pull) for group in state if group != "sliding"}
    if stick:
        slopes["sliding"] = [joined.graph.zero for _ in direct.inputs["sliding"]]
    for group in memory:
        slopes[group] = [joined.definitions[name] for name in flat(joined.outputs[f"{group}_rate"])]
    flow = _finished(joined, slopes, varied, values)
    after = None
    changes = _after_sticking(joined) if stick else {}
    if project:
        joined = joined if loops is None else compose(joined, loops.closing)
        changes |= _projected(joined, slopes, loops)
    if changes:
        after = _finished(joined, _unchanged(joined, slopes) | changes, varied, values, flow.inputs)
    acting = compose(*before) if before else None
    return System(robot, optimize(flow, 1), tuple(slopes), acting, loops, after)


def base_system(robot: Robot, model: Model, pull: float, project: bool) -> System:
    """Return the system of a floating base; `model` gives its acceleration for a given motion of the joints."""
    slopes = {group: _slopes(group, model, None, 0.0 if project else pull) for group in BASE_STATE}
    flow = _finished(model, slopes, (), {})
    after = None
    if project:
        changes = _unchanged(model, slopes) | _projected(model, slopes, None)
        after = _finished(model, changes, (), {}, flow.inputs)
    return System(robot, optimize(flow, 1), BASE_STATE, None, None, after)


def _motion(robot: Robot) -> tuple[list[Model], tuple[str, ...]]:
    """Return the models of the motion, those of the accelerations last, and the groups of the state."""
    if robot.contacts:
        return _in_contact(robot)
    if robot.base.kind == "floating":
        free = floating_with_symbols(robot)
        return [gravity_in_base(robot), _direct(free)], ("base_pose", "q", "base_velocity", "qd")
    model = _direct(robot)
    return [model], ("pose", "twist") if "pose" in model.inputs else ("q", "qd")


_STICKING = 100.0  #: rate in 1/s at which slip velocities of contacts vanish, which rounding and integration cause


def _in_contact(robot: Robot) -> tuple[list[Model], tuple[str, ...]]:
    """Return the accelerations under the forces of the ground, and the groups of the state."""
    if robot.base.kind != "floating":
        return [direct_of(robot, "cholesky", passive="free", pull=_STICKING)], ("q", "qd")
    free = _with_velocity(oriented(robot))
    model = law_on_floating_base(direct_of(free, "cholesky", passive="free", pull=_STICKING), free)
    return [model], ("base_pose", "q", "base_velocity", "qd")


def _loops(robot: Robot) -> LoopModels:
    rates = joint_rates(robot)
    moving = set(rates.inputs.get("qd", ()))
    if not moving:
        raise InputError(f"{robot.name}: expected symbols for the joint velocities QP, found expressions or numbers")
    active = [robot.variable(j) for j in robot.tree_joints if robot.joint(j).QP.name in moving]
    return LoopModels(rates, closing_step(robot, active))


def _direct(robot: Robot) -> Model:
    return {"joints": _of_tree, "active": _by_joints}.get(robot.coordinates, direct_dynamics)(robot)


def _of_tree(robot: Robot) -> Model:
    """Return the shorter of two models of the accelerations of a tree."""
    routes: tuple[Literal["recursive", "cholesky"], ...] = (
        ("recursive", "cholesky") if len(robot.tree_joints) <= _SHORT else ("recursive",)
    )
    return min((_by_joints(robot, route) for route in routes), key=lambda model: model.operations.total)


def _by_joints(robot: Robot, route: Literal["recursive", "cholesky"] = "recursive") -> Model:
    """Return the direct model in joint coordinates, with an independent velocity per joint."""
    model = direct_dynamics(robot, route=route)
    moving = (int(name.removeprefix("QDP")) for name in flat(model.outputs["qdd"]))
    lacking = [j for j in moving if robot.joint(j).QP.name not in model.inputs.get("qd", ())]
    if lacking:
        raise InputError(
            f"{robot.name}: expected a symbol of its own for QP{lacking[0]}, found an expression or number"
        )
    return model


def upright(robot: Robot) -> Robot:
    """Return a floating robot with gravity along the axes of the world, in place of an orientation that is an input.

    The state of the simulation holds the orientation.
    """
    values = dict(zip(ORIENTATION, (1, 0, 0, 0), strict=True))
    given = {name: value for name, value in values.items() if name in robot.parameters}
    return robot.with_values(given) if robot.base.kind == "floating" and given else robot


def oriented(robot: Robot) -> Robot:
    """Return a floating robot with the orientation of its base as an input."""
    return robot.with_inputs("orientation") if robot.base.kind == "floating" else robot


def floating_with_symbols(robot: Robot) -> Robot:
    """Return the robot with symbols for the motion of its base and for gravity in the frame of the base."""
    x, y, z = map(robot.graph.symbol, _GRAVITY)
    return replace(_with_velocity(robot), gravity=(x, y, z))


def _with_velocity(robot: Robot) -> Robot:
    """Return the robot with symbols for the velocity of its base."""
    rates = tuple(map(robot.graph.symbol, _BASE_VELOCITY))
    return replace(robot, base=replace(robot.base, W0=rates[:3], V0=rates[3:]))


def law_on_floating_base(law: Model, robot: Robot) -> Model:
    """Return a control law that takes velocity and orientation of a floating base from the state of its system."""
    own = [entry.name for entry in (*robot.base.W0, *robot.base.V0)]
    names = {name: new for name, new in zip(own, _BASE_VELOCITY, strict=True) if name}
    if {"base_velocity", "base_orientation"}.isdisjoint(law.inputs):
        return law
    groups = {"base_velocity": ("base_velocity", _BASE_VELOCITY), "base_orientation": ("base_pose", BASE_POSE)}
    inputs = dict(groups.get(group, (group, symbols)) for group, symbols in law.inputs.items())
    if unknown := [name for name in law.inputs.get("base_velocity", ()) if name not in names]:
        raise InputError(f"controller: expected the base velocity of {robot.name}, found {', '.join(unknown)}")
    graph = Graph()
    declare(graph, inputs)
    made = substitute(law.roots, graph, {name: graph.symbol(new) for name, new in names.items()})
    definitions = dict(zip(law.output_names, made, strict=True))
    return replace(law.plain(), inputs=inputs, definitions=definitions, graph=graph)


def gravity_in_base(robot: Robot) -> Model:
    """Return the model of gravity in the frame of a rotating base."""
    graph = Graph()
    inputs = {"base_pose": BASE_POSE}
    declare(graph, inputs)
    gravity = Vec3(*graph.copy(robot.gravity))
    seen = rotation_of([graph.symbol(name) for name in BASE_POSE[3:]]).T @ gravity
    names = tuple(f"{name}S" for name in _GRAVITY)
    definitions = {name: graph.zero + value for name, value in zip(names, seen, strict=True)}
    return Model(robot.name, "gra", "Gravity in the frame of the base", inputs, {"gravity": names}, definitions, graph)


def _slopes(group: str, joined: Model, loops: LoopModels | None, pull: float) -> list[Expr]:
    """Return the derivative of a group of the state; loops are stabilized at the rate `pull`."""
    graph = joined.graph

    def inputs(name: str) -> list[Expr]:
        return [graph.symbol(symbol) for symbol in joined.inputs[name]]

    def outputs(name: str) -> list[Expr]:
        return [joined.definitions[symbol] for symbol in flat(joined.outputs[name])]

    match group:
        case "q" if loops is None or not pull:
            return inputs("qd") if loops is None else outputs("rates")
        case "q":
            return [
                rate + pull * (closed - own)
                for rate, closed, own in zip(outputs("rates"), outputs("next"), inputs("q"), strict=True)
            ]
        case "qd":
            return outputs("qdd")
        case "twist":
            return outputs("acceleration")
        case "pose":
            return _platform_rates(inputs("pose"), inputs("twist"), pull)
        case "base_velocity":  # derivative of components in the rotating frame 0
            w, v = _halves(inputs("base_velocity"))
            wp, vp = _halves(outputs("base_acceleration"))
            return [graph.zero + entry for entry in (*wp, *(vp - w.cross(v)))]
        case "base_pose":
            return _base_rates(inputs("base_pose"), inputs("base_velocity"), pull)
    raise AssertionError(group)


def _halves(six: Sequence[Expr]) -> tuple[Vec3, Vec3]:
    return Vec3(*six[:3]), Vec3(*six[3:])


def _platform_rates(pose: Sequence[Expr], twist: Sequence[Expr], pull: float) -> list[Expr]:
    """Return R' = w x R with stabilization by R (1 - R^T R) / 2, and P' = v."""
    v, w = _halves(twist)
    columns = Mat3.of(*pose[:9]).T.rows
    found = []
    for column in columns:
        off = [int(column is other) - column.dot(other) for other in columns]
        drawn = columns[0] * off[0] + columns[1] * off[1] + columns[2] * off[2]
        found.append(w.cross(column) + drawn * (pull / 2))
    rows = Mat3((found[0], found[1], found[2])).T.rows
    zero = pose[0].graph.zero
    return [zero + entry for row in rows for entry in row] + [zero + entry for entry in v]


def _base_rates(pose: Sequence[Expr], velocity: Sequence[Expr], pull: float) -> list[Expr]:
    """Return P' = R v and the quaternion rate, with stabilization of the length 1."""
    w, v = _halves(velocity)
    a, u = pose[3], Vec3(*pose[4:])
    along = rotation_of(pose[3:]) @ v
    length = (1 - (a * a + u.dot(u))) * (pull / 2)
    vector = (w * a + u.cross(w)) * _HALF + u * length
    zero = a.graph.zero
    return [zero + entry for entry in (*along, -(u.dot(w) * _HALF) + a * length, *vector)]


def _memory(law: Model) -> list[str]:
    """Return internal states of a controller: inputs X whose derivative is its output X_rate."""
    for group in law.outputs:
        if group.endswith("_rate") and group.removesuffix("_rate") not in law.inputs:
            raise InputError(
                f"controller: expected an input {group.removesuffix('_rate')} for the output {group}, found none"
            )
    return [group for group in law.inputs if f"{group}_rate" in law.outputs]


def _unchanged(joined: Model, groups: Iterable[str]) -> dict[str, list[Expr]]:
    return {group: [joined.graph.symbol(name) for name in joined.inputs[group]] for group in groups}


def _after_sticking(joined: Model) -> dict[str, list[Expr]]:
    """Return direction and velocity of each joint that stops or breaks away."""
    return {
        group: [joined.definitions[name] for name in flat(joined.outputs[found])]
        for group, found in (("qd", "qd_after"), ("sliding", "sliding_after"))
    }


def _projected(joined: Model, groups: Iterable[str], loops: LoopModels | None) -> dict[str, list[Expr]]:
    """Return the state after one Newton step back to the constraints."""
    found: dict[str, list[Expr]] = {}
    if loops is not None:
        found["q"] = [joined.definitions[name] for name in flat(joined.outputs["next"])]
    for group in ("pose", "base_pose"):
        if group in groups:
            own = [joined.graph.symbol(name) for name in joined.inputs[group]]
            still = [joined.graph.zero] * 6
            slope = _platform_rates(own, still, 1.0) if group == "pose" else _base_rates(own, still, 1.0)
            found[group] = [value + change for value, change in zip(own, slope, strict=True)]
    return found


def _finished(
    joined: Model, slopes: Mapping[str, Sequence[Expr]], varied: Sequence[str], values: Mapping[str, float],
    inputs: Mapping[str, tuple[str, ...]] | None = None,
) -> Model:  # fmt: skip
    """Return a model of the derivatives only, with the groups of the state before the inputs."""
    if inputs is None:
        offline = [name for group, names in joined.inputs.items() if not is_online(group) for name in names]
        offline = [name for name in offline if name not in values]
        missing = [name for name in offline if name not in varied]
        if missing:
            raise missing_values(missing, "")
        others = {group: names for group, names in joined.inputs.items() if is_online(group) and group not in slopes}
        inputs = {group: joined.inputs[group] for group in slopes} | others
        inputs |= {"varied": tuple(offline)} if offline else {}
    graph = Graph()
    declare(graph, inputs)
    flat_slopes = [value for values in slopes.values() for value in values]
    made = substitute(flat_slopes, graph, values)
    names = tuple(f"RATE{k}" for k in range(1, len(made) + 1))
    definitions = dict(zip(names, made, strict=True))
    return Model(joined.name, "flo", "Derivative of the state", inputs, {"rate": names}, definitions, graph)
