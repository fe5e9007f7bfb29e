"""Models in motor coordinates, with q = K qc + q0 and qd = K qcd: efforts are multiplied by K^T, and A becomes K^T A K.

Each is the model of the joints with its inputs replaced, and with outputs multiplied along their joint axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from robosym.algebra import Expr, Graph, substitute
from robosym.algebra.linear.symmetric import solve_symmetric
from robosym.algebra.matrix import Matrix
from robosym.mechanism import Robot, Transmission
from robosym.model import Layout, Model
from robosym.model.groups import declare, with_parameters
from robosym.model.naming import entry_name

__all__ = ["direct_in_motors", "in_motors"]

_MOTORS = {"q": "qc", "qd": "QPC", "qdd": "QDPC", "tau": "GAMC"}  #: names of the motors' inputs, by group
#: outputs with one row per joint, which go by K^T: the letters of their names in motor coordinates
_EFFORTS = {"tau": "GAMC", "H": "HC", "Q": "QC", "friction": "FRICC"}
_ABOUT = {
    "in q": "motor positions (rad, m)", "in qd": "motor velocities (rad/s, m/s)",
    "in qdd": "motor accelerations (rad/s^2, m/s^2)", "in tau": "motor torques and forces (N m, N)",
    "qdd": "motor accelerations (rad/s^2, m/s^2)",
}  # fmt: skip


def in_motors(robot: Robot, model: Model | None) -> Any:
    """Convert a model in joint coordinates to the motors of the transmission."""
    if model is None:
        return None
    columns: Sequence[str] = getattr(model, "columns", ()) if "D" in model.outputs else ()
    made = _InMotors(robot, model if columns else model.plain())
    outputs: dict[str, Layout] = {}
    more: dict[str, Any] = {}
    for group, layout in model.outputs.items():
        if group in _EFFORTS:
            rows = made.K.T @ made.rows(group)
            outputs[group] = made.vector(_EFFORTS[group], rows.T[0])
        elif group == "A":
            outputs[group] = made.matrix("AC", made.K.T @ made.rows(group) @ made.K)
        elif group == "J":
            joints: tuple[int, ...] = model.joints  # type: ignore[attr-defined]
            outputs[group] = made.matrix("JC", made.rows(group) @ made.rows_of(joints))
        elif group == "D":
            outputs[group] = made.matrix("DC", made.K.T @ made.rows(group), columns)
            more["rows"] = tuple(f"GAMC{k}" for k in range(1, made.transmission.motors + 1))
        else:
            outputs[group] = layout
    return made.finished(outputs, **more)


def direct_in_motors(robot: Robot, A: Model, H: Model) -> Model:
    """Return the motor accelerations QDPCk from motor efforts: K^T A K qcdd = tau - K^T H."""
    made = _InMotors(robot, H, A, torques=True)
    made.inputs = {group: names for group, names in made.inputs.items() if group != "qdd"}
    matrix = made.K.T @ made.rows("A", 1, A) @ made.K
    bias = (made.K.T @ made.rows("H")).T[0]
    torques = [made.graph.symbol(name) for name in made.inputs["tau"]]
    qdd = solve_symmetric(matrix, [t - b for t, b in zip(torques, bias, strict=True)])
    outputs: dict[str, Layout] = {"qdd": made.vector("QDPC", qdd)}
    return made.finished(outputs, kind="ddm", title="Direct dynamic model in motor coordinates")


class _InMotors:
    """Models of the joints as expressions of motor inputs, in a separate graph."""

    def __init__(self, robot: Robot, *models: Model, torques: bool = False) -> None:
        assert robot.transmission is not None
        transmission = self.transmission = robot.transmission
        self.joints, self.model = robot.tree_joints, models[0]
        names = {g: tuple(f"{word}{k}" for k in range(1, transmission.motors + 1)) for g, word in _MOTORS.items()}
        groups = {group: n for model in models for group, n in model.inputs.items()}
        entries = [value for _, value in transmission.entries()]
        self.inputs = {group: names.get(group, given) for group, given in groups.items()}
        if torques:
            self.inputs["tau"] = names["tau"]
        self.inputs = with_parameters(self.inputs, entries)
        self.graph = Graph()
        declare(self.graph, self.inputs)
        image = dict(zip(entries, self.graph.copy(entries), strict=True))
        here: Transmission = transmission.through(image.__getitem__)
        self.K = Matrix(here.K).over(self.graph)
        old = {
            "q": [robot.variable(j) for j in self.joints],
            "qd": [str(robot.joint(j).QP.name) for j in self.joints],
            "qdd": [str(robot.joint(j).QDP.name) for j in self.joints],
        }
        images: dict[str, Expr] = {}
        for group, variables in old.items():
            motors = [self.graph.symbol(name, True) for name in names[group]]
            if group in self.inputs:
                rates = self.K @ motors
                shifted = [r + o for r, o in zip(rates, here.q0, strict=True)] if group == "q" else rates
                images |= dict(zip(variables, shifted, strict=True))
        self.tables = [self._converted(model, images) for model in models]
        self.definitions = dict(self.tables[0])

    def _converted(self, model: Model, images: Mapping[str, Expr]) -> dict[str, Expr]:
        values = substitute(model.definitions.values(), self.graph, dict(images))
        return dict(zip(model.definitions, values, strict=True))

    def rows(self, group: str, table: int = 0, model: Model | None = None) -> Matrix[Expr]:
        """Return a joint output as a matrix; a vector is a column."""
        layout = (model or self.model).outputs[group]
        return Matrix([self.tables[table][n] for n in ((row,) if isinstance(row, str) else row)] for row in layout)

    def rows_of(self, joints: Sequence[int]) -> Matrix[Expr]:
        """Return the rows of K of these joints."""
        return Matrix(self.K[self.joints.index(j)] for j in joints)

    def finished(self, outputs: Mapping[str, Layout], **more: Any) -> Model:
        about = {**self.model.about, **_ABOUT}
        if "J" in about:
            about["J"] = f"{about['J'].partition('; columns')[0]}; columns: the motors"
        return replace(
            self.model, about=about, inputs=self.inputs, outputs=dict(outputs), definitions=self.definitions,
            graph=self.graph, made=None, **more,
        )  # fmt: skip

    def vector(self, prefix: str, values: Sequence[Expr]) -> tuple[str, ...]:
        names = tuple(f"{prefix}{k}" for k in range(1, len(values) + 1))
        self.definitions.update(zip(names, values, strict=True))
        return names

    def matrix(
        self, letter: str, rows: Sequence[Sequence[Expr]], columns: Sequence[str] = ()
    ) -> tuple[tuple[str, ...], ...]:
        layout = tuple(
            tuple(
                f"{letter}{r}{columns[c - 1]}" if columns else entry_name(letter, r, c) for c in range(1, len(row) + 1)
            )
            for r, row in enumerate(rows, 1)
        )
        for names, row in zip(layout, rows, strict=True):
            self.definitions.update(zip(names, row, strict=True))
        return layout
