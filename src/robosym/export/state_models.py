"""Models with states for simulators and solvers: a robot in motion, a controller, or a model without states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from robosym.algebra import Expr, needed_symbols
from robosym.algebra.arrays import numbers
from robosym.errors import InputError, closest
from robosym.export.symbol_units import entry_unit, parameter_units
from robosym.mechanism import Robot
from robosym.model import Model, compose, flat, is_online, shape
from robosym.model.domain import within_domain
from robosym.optimizer import optimize
from robosym.safe_text import identifier
from robosym.simulation.hardware import efforts_of, geared, with_friction
from robosym.simulation.start import start_of
from robosym.simulation.system import System, system_of

__all__ = ["Unit", "UnitVariable", "model_unit", "robot_unit"]

_PULL = 100.0  #: largest rate of constraint stabilization, in 1/s
_JUMPS = ("abs", "sign")  #: operations whose argument changes its sign at an event
_RATE = "_rate"
STEP, TIME = "internal_step", "time"
#: initial values of groups for which zeros are not valid
_STARTS = {
    "base_pose": (0, 0, 0, 1, 0, 0, 0), "base_orientation": (1, 0, 0, 0), "pose": (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0),
}  # fmt: skip


@dataclass(frozen=True)
class UnitVariable:
    """A variable of a unit; its value reference is its index in the list."""

    name: str
    kind: str  #: "time", "state", "input", "parameter", "step", "rate", "output", "local"
    description: str
    unit: str = ""
    start: float | None = None
    symbol: str = ""  #: name in the model
    of: int | None = None  #: index of the state whose derivative it is


@dataclass(frozen=True, eq=False)
class Unit:
    """Model of the derivatives of the states and of the outputs, with its start values."""

    model: Model
    states: tuple[str, ...]  #: groups of inputs
    rates: tuple[str, ...]  #: names of the outputs that are derivatives, in the order of the states
    start: Mapping[str, float]  #: start values by symbol
    step: float = 1e-3  #: internal step of Co-Simulation in s
    after: Model | None = None  #: projection of the states at the end of a step, with the inputs of `model`
    exchanged: bool = True  #: whether Model Exchange is supported
    robot: Robot | None = None
    local: tuple[str, ...] = ("indicator", "gap")  #: output groups that are not outputs of the unit
    variables: tuple[UnitVariable, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(_variables(self)))

    @property
    def identifier(self) -> str:
        return identifier(f"{self.model.name}_{self.model.kind}")

    def of_kind(self, *kinds: str) -> list[int]:
        """Return the indices of the variables of some kinds."""
        return [place for place, variable in enumerate(self.variables) if variable.kind in kinds]

    @property
    def offsets(self) -> dict[str, int]:
        """Return the index of the first variable of each group; inputs are listed by name, outputs as "out NAME"."""
        sizes = {group: len(names) for group, names in self.model.inputs.items()}
        places, place = {}, 1
        for group, size in sizes.items():
            places[group] = place
            place += size
        place += bool(self.states)  # the internal step
        for group, layout in self.model.outputs.items():
            places[f"out {group}"] = place
            place += len(list(flat(layout)))
        return places

    def without(self, *groups: str) -> Model:
        """Return the model without some groups of outputs."""
        kept = {group: layout for group, layout in self.model.outputs.items() if group not in groups}
        return replace(self.model.plain(), outputs=kept, made=None)

    @property
    def computed(self) -> int:
        """Return the index of the first computed variable."""
        return 1 + sum(map(len, self.model.inputs.values())) + bool(self.states)


# -------------------------------------------------------------------------------------------- variables


def _variables(unit: Unit) -> Iterator[UnitVariable]:
    """Yield time, the inputs by group, the internal step, then the outputs by group."""
    model, robot = unit.model, unit.robot or unit.model.robot
    units = {} if robot is None else parameter_units(robot)
    yield UnitVariable(TIME, "time", "time", "s")
    state_names = [name for group in unit.states for name in model.inputs[group]]
    places: dict[str, int] = {}
    called: dict[str, str] = {}
    count = 1
    for group, names in model.inputs.items():
        for k, name in enumerate(names, 1):
            start = unit.start.get(name, 0.0)
            if _is_parameter(group):
                shown = name if name not in (TIME, STEP) else f"parameters.{name}"
                yield UnitVariable(shown, "parameter", f"parameter {name}", units.get(name, ""), start, name)
            else:
                kind = "state" if group in unit.states else "input"
                called[name], places[name] = f"{group}[{k}]", count
                about = f"{model.meaning(group) or group}: {name}{_joint_of(robot, group, k)}"
                yield UnitVariable(called[name], kind, about, entry_unit(robot, group, k - 1), start, name)
            count += 1
    if unit.states:
        yield UnitVariable(STEP, "step", "longest internal step of Co-Simulation", "s", unit.step)
    for group, layout in model.outputs.items():
        columns = (*shape(layout), 1)[1]
        for k, name in enumerate(flat(layout)):
            if name in unit.rates:
                own = state_names[unit.rates.index(name)]
                about = f"derivative of {called[own]}"
                yield UnitVariable(f"der({called[own]})", "rate", about, symbol=name, of=places[own])
                continue
            index = f"{k // columns + 1},{k % columns + 1}" if len(shape(layout)) > 1 else f"{k + 1}"
            shown = f"{group}[{index}]" if group not in model.inputs else f"{group}_out[{index}]"
            about = f"{model.meaning(group, output=True) or group}: {name}"
            kind = "local" if group in unit.local else "output"
            yield UnitVariable(shown, kind, about, entry_unit(robot, group, k, output=True), symbol=name)


def _is_parameter(group: str) -> bool:
    return group == "varied" or not is_online(group)


def _joint_of(robot: Robot | None, group: str, k: int) -> str:
    """Return the name of the joint of an entry if the group has one entry per joint of the tree."""
    if robot is None or group not in ("q", "qd", "tau") or k > len(robot.tree_joints):
        return ""
    if robot.coordinates != "joints":
        return ""
    return f", joint {robot.joint(robot.tree_joints[k - 1]).name}"


# ------------------------------------------------------------------------------------------------ models


def model_unit(model: Model, parameters: Mapping[str, float] | None = None) -> Unit:
    """Return the unit of a model; inputs X with an output X_rate are states, as in controllers with memory."""
    model = within_domain(model)._filled()
    states = tuple(g for g in model.inputs if f"{g}{_RATE}" in model.outputs and is_online(g))
    rates = tuple(name for g in states for name in flat(model.outputs[f"{g}{_RATE}"]))
    given = _values(parameters)
    needed = [name for group, names in model.inputs.items() if _is_parameter(group) for name in names]
    for name in given:
        if name not in needed:
            raise InputError(f"parameters: unknown symbol {name!r}{closest(name, needed)}")
    missing = [name for name in needed if name not in given]
    if missing:
        few = f"{', '.join(missing[:8])}{' ...' if len(missing) > 8 else ''}"
        raise InputError(f"parameters: expected start values for {few}, found none", code="E404")
    start = _group_starts(model) | given
    if states:
        model = _with_indicators(model, model.outputs)
    return Unit(model, states, rates, start, robot=model.robot)


def _values(parameters: Mapping[str, Any] | None) -> dict[str, float]:
    return {str(n): float(numbers(f"parameters: {n}", value, ())) for n, value in (parameters or {}).items()}


def _group_starts(model: Model) -> dict[str, float]:
    """Return start values of the inputs for which zero is not valid: poses and orientations."""
    starts = dict(_STARTS)
    if "pose" in model.inputs and model.robot is not None and model.robot.reference is not None:
        starts["pose"] = tuple(model.robot.reference.pose)
    found: dict[str, float] = {}
    for group, names in model.inputs.items():
        values = starts.get(group, ())
        if group == "T":
            values = tuple(np.eye(4).ravel()[: len(names)])
        if len(values) == len(names):
            found |= dict(zip(names, map(float, values), strict=True))
    return found


def _with_indicators(model: Model, outputs: Mapping[str, Any]) -> Model:
    """Return the model with one output per expression whose sign changes the equations: stops, limits, friction."""
    moving = {name for group, names in model.inputs.items() if not _is_parameter(group) for name in names}
    nodes = [node for node in model.nodes if node.op in _JUMPS]
    arguments = dict.fromkeys(argument.node for node in nodes for argument in node.args)
    found = [node for node in arguments if moving.intersection(_symbols_of(model, node))]
    if not found:
        return replace(model.plain(), outputs=dict(outputs))
    names = tuple(f"INDICATOR{k}" for k in range(1, len(found) + 1))
    definitions = {**model.definitions, **dict(zip(names, found, strict=True))}
    return replace(model.plain(), outputs={**outputs, "indicator": names}, definitions=definitions, made=None)


def _symbols_of(model: Model, node: Expr) -> set[str]:
    return {str(symbol.value) for symbol in needed_symbols(model.graph, [node])}


# ------------------------------------------------------------------------------------------------ robots


@dataclass(frozen=True)
class Setup:
    """Options of the unit of a robot; see `fmu`."""

    q: Any = None
    qd: Any = None
    controller: Model | None = None
    parameters: Mapping[str, Any] | None = None
    friction: str = "smooth"
    smooth: float = 0.01
    stops: object = None
    actuators: Any = None
    step: float = 1e-3
    base: Any = None
    base_velocity: Any = None


def robot_unit(robot: Robot, setup: Setup) -> Unit:
    """Return the unit of the motion of a robot under torques or a controller."""
    step = float(numbers("step", setup.step, ()))
    if not 0 < step < np.inf:
        raise InputError(f"step: expected a positive time in s, found {setup.step!r}")
    if setup.controller is not None and not isinstance(setup.controller, Model):
        raise InputError(f"controller: expected a Model, found {setup.controller!r}")
    actuators = setup.actuators
    if isinstance(actuators, Mapping):
        robot, actuators = geared(robot, actuators)
    start = _checked_values(robot, setup)
    robot, stick, _ = with_friction(robot, setup.friction, setup.smooth, setup.friction == "stick")
    efforts = efforts_of(robot, actuators, setup.stops, False, step)
    names = tuple(start)
    stepped = system_of(robot, 0.0, True, setup.controller, efforts, stick, names, {})
    smooth = stepped
    if stepped.after is not None and not stick:
        pull = min(1 / step, _PULL)
        smooth = system_of(robot, pull, False, setup.controller, efforts, False, names, {})
    numeric = stepped
    if start and stepped.loops is not None:
        own = {name: value for name, value in start.items() if name in robot.parameters}
        fixed = robot.with_values(own)
        numeric = system_of(fixed, 0.0, True, setup.controller, efforts, stick, (), start)
    state, leading = start_of(numeric, setup.q, setup.qd, setup.base, setup.base_velocity, None, {})
    if leading:
        raise InputError("q: expected one initial state, found several")
    at_start = [name for group in smooth.state for name in smooth.flow.inputs[group]]
    start |= dict(zip(at_start, map(float, state[0]), strict=True))
    model = _outputs(smooth)
    rates = tuple(flat(model.outputs["rate"]))
    after = None if stepped.after is None else optimize(stepped.after, 1)
    return Unit(model, smooth.state, rates, start, step, after, not stick, robot)


def _checked_values(robot: Robot, setup: Setup) -> dict[str, float]:
    """Return the start values of the symbols of the robot and the controller."""
    given = _values(setup.parameters)
    gains = () if setup.controller is None else setup.controller.inputs.get("parameters", ())
    known = [*robot.parameters, *gains]
    for name in given:
        if name not in known:
            raise InputError(f"parameters: unknown symbol {name!r}{closest(name, known)}")
    return given


def _outputs(system: System) -> Model:
    """Return the derivatives of the state with the motor efforts of a controller, the gap of loops and indicators."""
    parts: list[Model] = [system.flow]
    chosen = {"rate"}
    if system.law is not None and "varied" not in system.flow.inputs:
        parts.append(system.law)
        chosen.add("motor" if "motor" in system.law.outputs else "tau")
    model = compose(*parts, wires={}) if len(parts) > 1 else system.flow
    model = replace(model.plain(), inputs={g: model.inputs[g] for g in system.flow.inputs}, name=system.flow.name,
                    kind="fmu", title=f"Motion of {system.robot.name}", robot=system.robot)  # fmt: skip
    outputs = {group: layout for group, layout in model.outputs.items() if group in chosen}
    if system.loops is not None and "parameters" not in system.loops.closing.inputs:
        model = _with_gap(model, system.loops.closing)
        outputs["gap"] = ("GAP",)
    return _with_indicators(model, outputs)


def _with_gap(model: Model, closing: Model) -> Model:
    """Return the model with an output for the largest gap of the loops in m and rad (inf in another assembly mode)."""
    squared, turned = (closing.definitions[name] for name in flat(closing.outputs["gap"]))
    gap, side = model.graph.copy([squared, turned])
    graph = model.graph
    root = graph.function("sqrt", gap)
    beyond = side - 1
    excess = (beyond + graph.function("abs", beyond)) / 2
    return replace(model.plain(), definitions={**model.definitions, "GAP": root + excess})
