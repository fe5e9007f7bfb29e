"""Folders for acados: the motion of a robot in CasADi, and an optimal control problem that uses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pprint import pformat

from robosym.algebra import FUNCTIONS, Style
from robosym.errors import InputError
from robosym.export.folders import template
from robosym.export.robot_functions import MOTION, Part, model_of
from robosym.export.state_models import Unit
from robosym.languages.header import describe, provenance
from robosym.languages.language import find_language
from robosym.languages.program import Program, double, wrapped
from robosym.mechanism import Robot
from robosym.model import Model

__all__ = ["acados_files"]

#: names of functions in CasADi that differ from those of the algebra
_CASADI = {"abs": "fabs", "pow": "power"}
_LANGUAGE = replace(
    find_language("python"), name="casadi", reserved=find_language("python").reserved | {"ca"},
    style=Style(number=double, pi="ca.pi", functions={name: f"ca.{_CASADI.get(name, name)}" for name in FUNCTIONS}),
)  # fmt: skip
_NOTHING = 1e6  #: limit of a quantity for which the description has none


def acados_files(name: str, functions: Mapping[str, Part]) -> dict[str, str | bytes]:
    """Return the files of the folder, which needs CasADi and acados_template, and not robosym."""
    unit = functions.get(MOTION)
    if not isinstance(unit, Unit) or unit.robot is None:
        raise InputError('acados: expected the motion of a robot among the functions: rs.build(robot, "acados")')
    model = unit.without("indicator", "gap", "motor")
    models = {own: model if part is unit else model_of(part) for own, part in functions.items()}
    controls = [group for group in model.inputs if group not in unit.states and group != "parameters"]
    if controls != ["tau"]:
        raise InputError(f"acados: expected the motor torques as the only inputs, found {', '.join(controls)}")
    lines = ["import casadi as ca", ""]
    for key, value in _settings(name, unit, unit.robot).items():
        lines.append(f"{key} = {pformat(value, width=100, compact=True, sort_dicts=False)}")
    for own, given in models.items():
        lines += ["", "", *_function(own, given)]
    head = find_language("python").commented([f"{unit.robot.name}: motion for acados", "", *provenance(unit.robot)])
    text = "\n".join([*head, "", *lines, "", "", template(__package__, "acados_model.txt", {})])
    return {
        f"{name}_model.py": text,
        "ocp.py": template(__package__, "acados_ocp.txt", {"ROBOT_NAME": name}),
        "README.md": _guide(name, models),
    }


def _settings(name: str, unit: Unit, robot: Robot) -> dict[str, object]:
    """Return the constants of the module: names, initial state and limits."""
    inputs = unit.model.inputs
    states = [entry for group in unit.states for entry in inputs[group]]
    parameters = inputs.get("parameters", ())
    lower, upper = _state_limits(unit, robot)
    efforts = [robot.joint(j).limits.effort for j in robot.motors]
    if len(efforts) != len(inputs["tau"]):
        efforts = [None] * len(inputs["tau"])
    return {
        "NAME": name, "ARGUMENTS": [*inputs],
        "STATES": {group: len(inputs[group]) for group in unit.states},  # sizes by group
        "STATE_NAMES": states, "INPUT_NAMES": [*inputs["tau"]], "PARAMETER_NAMES": [*parameters],
        "START": [unit.start.get(entry, 0.0) for entry in states],
        "PARAMETERS": [unit.start.get(entry, 0.0) for entry in parameters],
        "EFFORT": [_NOTHING if limit is None else float(limit) for limit in efforts],
        "LOWER": lower, "UPPER": upper,
    }  # fmt: skip


def _state_limits(unit: Unit, robot: Robot) -> tuple[dict[int, float], dict[int, float]]:
    """Return the limits of positions and velocities by the index of the state."""
    lower: dict[int, float] = {}
    upper: dict[int, float] = {}
    place = 0
    for group in unit.states:
        size = len(unit.model.inputs[group])
        joints = {"q": robot.tree_joints, "qd": robot.tree_joints}.get(group, ())
        for k, j in enumerate(joints if len(joints) == size else ()):
            own = robot.joint(j).limits
            low, high = (own.lower, own.upper) if group == "q" else (own.velocity and -own.velocity, own.velocity)
            if low is not None and high is not None:
                lower[place + k], upper[place + k] = float(low), float(high)
        place += size
    return lower, upper


def _function(own: str, model: Model) -> list[str]:
    """Return the Python function of a model, of vectors of CasADi."""
    program = Program(model, _LANGUAGE, reserved=frozenset((own,)))
    lines = [f"def {own}({', '.join(array.name for array in program.read)}):"]
    lines += [f"    {line}".rstrip() for line in _LANGUAGE.commented([model.title, "", *describe(model)[2:]])]
    lines += [f"    {name} = {array.name}[{place}]" for array, place, name in program.inputs()]
    # a line may only be broken inside brackets
    lines += [
        f"    {s.name} = {s.text}" if len(s.text) < 100 else wrapped(f"    {s.name} = (", s.text, ")", 110, "        ")
        for s in program.statements
    ]
    results: dict[str, list[str]] = {array.name: [] for array in program.written}
    for array, _, text in program.results():
        results[array.name].append(text)
    for array in program.written:
        texts = [wrapped("        ", text, ",", 110, "            ") for text in results[array.name]]
        lines += [f"    {array.name} = ca.vertcat(", *texts, "    )"]
        if len(array.shape) > 1:  # CasADi stores matrices column by column
            lines.append(f"    {array.name} = ca.reshape({array.name}, {array.shape[1]}, {array.shape[0]}).T")
    return [*lines, f"    return {', '.join(array.name for array in program.written)}"]


def _guide(name: str, models: Mapping[str, Model]) -> str:
    return "\n".join([
        f"# {name}", "", *provenance(None), "",
        f"`{name}_model.py` needs CasADi: its functions take and return vectors of CasADi.", "",
        *(f"- `{own}({', '.join(model.inputs)})` returns {', '.join(model.outputs)}" for own, model in models.items()),
        "", "`export_model()` returns the motion as an `AcadosModel` of acados_template: the state `x`, the motor",
        "torques `u`, and `f_expl_expr` and `f_impl_expr`. `ocp.py` states an optimal control problem with it: a",
        "motion to a goal within the limits of the description. With [acados](https://docs.acados.org) installed, run",
        "", "```sh", "python ocp.py", "```", "",
    ])  # fmt: skip
