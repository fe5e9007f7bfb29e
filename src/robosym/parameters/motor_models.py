"""Models in motor coordinates: q = K qc + q0, so that qd = K qcd, efforts go by K^T (virtual work), A becomes K^T A K.

Each is the model of the joints with its inputs replaced, and its outputs multiplied where they have an axis of joints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from robosym import dynamics, kinematics, parameters
from robosym.algebra import Expr, Graph, substitute, symbols
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.dynamics.friction_torques import friction_torques as joint_friction
from robosym.errors import InputError
from robosym.mechanism import Driven, need_no_load
from robosym.model import Layout, Model
from robosym.model.groups import declare
from robosym.model.naming import entry_name
from robosym.parameters import IdentificationModel

__all__ = [
    "accelerations", "bias_torques", "direct_dynamics", "direct_geometry", "dynamic_identification", "friction_torques",
    "gravity_torques", "inertia_matrix", "inverse_dynamics", "jacobian", "transform", "velocities",
]  # fmt: skip

_MOTORS = {"q": "qc", "qd": "QPC", "qdd": "QDPC", "tau": "GAMC"}  #: names of the motors' inputs, by group
_ABOUT = {
    "in q": "motor positions (rad, m)", "in qd": "motor velocities (rad/s, m/s)",
    "in qdd": "motor accelerations (rad/s^2, m/s^2)", "in tau": "motor torques and forces (N m, N)",
    "qdd": "motor accelerations (rad/s^2, m/s^2)",
}  # fmt: skip
Rows = list[list[Expr]]


class _InMotors:
    """A model of the joints as expressions of the motors' inputs, in a graph of its own."""

    def __init__(self, robot: Driven, *models: Model, torques: bool = False) -> None:
        self.robot, self.model = robot, models[0]
        names = {group: tuple(f"{word}{k}" for k in range(1, robot.motors + 1)) for group, word in _MOTORS.items()}
        groups = {group: n for model in models for group, n in model.inputs.items()}
        own = symbols([*(value for row in robot.K for value in row), *robot.q0])
        self.inputs = {group: names.get(group, given) for group, given in groups.items()}
        if torques:
            self.inputs["tau"] = names["tau"]
        known = {name for n in self.inputs.values() for name in n}
        new = tuple(name for name in own if name not in known)
        if new:
            self.inputs["parameters"] = (*self.inputs.get("parameters", ()), *new)
        self.graph = Graph()
        declare(self.graph, self.inputs)
        entries = [*(value for row in robot.K for value in row), *robot.q0]
        copies = self.graph.copy(entries)
        width = robot.motors
        self.K = [copies[n * width : (n + 1) * width] for n in range(len(robot.K))]
        offsets = copies[len(robot.K) * width :]
        joints = robot.robot.tree_joints
        old = {
            "q": [robot.robot.variable(j) for j in joints],
            "qd": [str(robot.robot.joint(j).QP.name) for j in joints],
            "qdd": [str(robot.robot.joint(j).QDP.name) for j in joints],
        }
        images: dict[str, Expr] = {}
        for group, variables in old.items():
            motors = [self.graph.symbol(name, True) for name in names[group]]
            if group in self.inputs:
                rates = [self.dot(row, motors) for row in self.K]
                shifted = [r + o for r, o in zip(rates, offsets, strict=True)] if group == "q" else rates
                images |= dict(zip(variables, shifted, strict=True))
        self.tables = [self._converted(model, images) for model in models]
        self.definitions = dict(self.tables[0])

    def _converted(self, model: Model, images: Mapping[str, Expr]) -> dict[str, Expr]:
        values = substitute(model.definitions.values(), self.graph, dict(images))
        return dict(zip(model.definitions, values, strict=True))

    def dot(self, a: Sequence[Any], b: Sequence[Any]) -> Expr:
        return sum((x * y for x, y in zip(a, b, strict=True)), start=self.graph.zero)

    def rows(self, group: str, table: int = 0, model: Model | None = None) -> Rows:
        """An output of joints as a matrix; a vector is a column."""
        layout = (model or self.model).outputs[group]
        return [[self.tables[table][n] for n in ((row,) if isinstance(row, str) else row)] for row in layout]

    def to_efforts(self, rows: Rows) -> Rows:
        """K^T times a matrix with a row for each joint."""
        return [
            [self.dot([k[motor] for k in self.K], [row[c] for row in rows]) for c in range(len(rows[0]))]
            for motor in range(self.robot.motors)
        ]

    def by_motors(self, rows: Rows, joints: Sequence[int]) -> Rows:
        """A matrix with a column for each of the joints, times their rows of K."""
        places = [self.robot.robot.tree_joints.index(j) for j in joints]
        return [[self.dot(row, [self.K[p][m] for p in places]) for m in range(self.robot.motors)] for row in rows]

    def finished(self, outputs: Mapping[str, Layout] | None = None, of: Model | None = None, **more: Any) -> Any:
        made = of or self.model
        about = {**made.about, **_ABOUT}
        if "J" in about:
            about["J"] = f"{about['J'].partition('; columns')[0]}; columns: the motors"
        return replace(
            made, about=about, inputs=self.inputs, outputs=dict(outputs or made.outputs), definitions=self.definitions,
            graph=self.graph, variants=None, **more,
        )  # fmt: skip

    def vector(self, prefix: str, values: Sequence[Expr]) -> tuple[str, ...]:
        names = tuple(f"{prefix}{k}" for k in range(1, len(values) + 1))
        self.definitions.update(zip(names, values, strict=True))
        return names

    def matrix(self, letter: str, rows: Rows, columns: Sequence[str] = ()) -> tuple[tuple[str, ...], ...]:
        layout = tuple(
            tuple(
                f"{letter}{r}{columns[c - 1]}" if columns else entry_name(letter, r, c) for c in range(1, len(row) + 1)
            )
            for r, row in enumerate(rows, 1)
        )
        for names, row in zip(layout, rows, strict=True):
            self.definitions.update(zip(names, row, strict=True))
        return layout


def _efforts(robot: Driven, model: Model, prefix: str) -> Model:
    """Efforts of the joints, the one group of a model, as efforts of the motors."""
    made = _InMotors(robot, model)
    (group,) = model.outputs
    rows = made.to_efforts(made.rows(group))
    found: Model = made.finished({group: made.vector(prefix, [row[0] for row in rows])})
    return found


def inverse_dynamics(robot: Driven, *args: Any, **options: Any) -> Model:
    """Efforts GAMCk of the motors from their motion."""
    return _efforts(robot, dynamics.inverse_dynamics(robot.robot, *args, **options), "GAMC")


def bias_torques(robot: Driven, *args: Any, **options: Any) -> Model:
    return _efforts(robot, dynamics.bias_torques(robot.robot, *args, **options), "HC")


def friction_torques(robot: Driven) -> Model | None:
    """Efforts FRICCk of the motors against the friction of the joints, where velocities tell them."""
    of_joints = joint_friction(robot.robot)
    return None if of_joints is None else _efforts(robot, of_joints, "FRICC")


def gravity_torques(robot: Driven, *args: Any, **options: Any) -> Model:
    return _efforts(robot, dynamics.gravity_torques(robot.robot, *args, **options), "QC")


def inertia_matrix(robot: Driven, *args: Any, **options: Any) -> Model:
    """K^T A K, and K^T Q where gravity is asked for."""
    model = dynamics.inertia_matrix(robot.robot, *args, **options)
    made = _InMotors(robot, model)
    outputs: dict[str, Layout] = {"A": made.matrix("AC", _between(made, made.rows("A")))}
    if "Q" in model.outputs:
        outputs["Q"] = made.vector("QC", [row[0] for row in made.to_efforts(made.rows("Q"))])
    found: Model = made.finished(outputs)
    return found


def _between(made: _InMotors, A: Rows) -> Rows:
    """K^T A K of a symmetric matrix, of which either half may be written."""
    return made.by_motors(made.to_efforts(A), made.robot.robot.tree_joints)


def direct_dynamics(robot: Driven, *args: Any, **options: Any) -> Model:
    """Accelerations QDPCk of the motors from their efforts: K^T A K qcdd = tau - K^T H."""
    if args or set(options) - {"base_parameters"}:
        raise InputError("direct_dynamics of a robot with a transmission takes base_parameters alone")
    need_no_load(robot.robot, "its direct model in motor coordinates")
    A = dynamics.inertia_matrix(robot.robot, **options)
    H = dynamics.bias_torques(robot.robot, **options)
    made = _InMotors(robot, H, A, torques=True)
    made.inputs = {g: n for g, n in made.inputs.items() if g != "qdd"}
    matrix = _between(made, made.rows(next(iter(A.outputs)), 1, A))
    bias = [row[0] for row in made.to_efforts(made.rows(next(iter(H.outputs))))]
    torques = [made.graph.symbol(name) for name in made.inputs["tau"]]
    qdd = solve_symmetric(matrix, [t - b for t, b in zip(torques, bias, strict=True)])
    outputs: dict[str, Layout] = {"qdd": made.vector("QDPC", qdd)}
    found: Model = made.finished(outputs, of=H, kind="ddm", title="Direct dynamic model in motor coordinates")
    return found


def _of_state(robot: Driven, model: Model) -> Model:
    found: Model = _InMotors(robot, model).finished()
    return found


def direct_geometry(robot: Driven, *args: Any, **options: Any) -> Model:
    return _of_state(robot, kinematics.direct_geometry(robot.robot, *args, **options))


def transform(robot: Driven, *args: Any, **options: Any) -> Model:
    return _of_state(robot, kinematics.transform(robot.robot, *args, **options))


def velocities(robot: Driven) -> Model:
    return _of_state(robot, kinematics.velocities(robot.robot))


def accelerations(robot: Driven) -> Model:
    return _of_state(robot, kinematics.accelerations(robot.robot))


def jacobian(robot: Driven, *args: Any, **options: Any) -> Model:
    """J K: velocities from the rates of the motors, a column each."""
    if "joints" in options:
        raise InputError("joints: a column of this matrix is a motor, found joints")
    model = kinematics.jacobian(robot.robot, *args, **options)
    made = _InMotors(robot, model.plain())
    found: Model = made.finished({"J": made.matrix("JC", made.by_motors(made.rows("J"), model.joints))})
    return found


def dynamic_identification(robot: Driven, *args: Any, **options: Any) -> IdentificationModel:
    """K^T D: a row for each motor, a column for each parameter."""
    model = parameters.dynamic_identification(robot.robot, *args, **options)
    made = _InMotors(robot, model)
    layout = made.matrix("DC", made.to_efforts(made.rows("D")), model.columns)
    rows = tuple(f"GAMC{k}" for k in range(1, robot.motors + 1))
    found: IdentificationModel = made.finished({"D": layout}, rows=rows)
    return found
