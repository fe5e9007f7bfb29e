"""The kinematic constraint equations of the loops and their solution (guide 2.6, 2.7, 5.6.7 and 5.6.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from robosym.algebra import Expr, evaluate
from robosym.algebra.arrays import Array, numbers
from robosym.algebra.once import cached_property
from robosym.algebra.tolerances import SINGULAR, ZERO
from robosym.coordinates.accepts import accepts
from robosym.coordinates.constraints import LoopConstraints, constraints_of
from robosym.errors import InputError, missing_values
from robosym.kinematics.jacobian import joint_columns
from robosym.mechanism import Robot
from robosym.mechanism.edit import with_reference
from robosym.mechanism.end_frame import frame_words
from robosym.mechanism.path import WORLD, Poses, check_frame, check_link
from robosym.model import Layout, Model, Workspace, flat, shape

__all__ = ["LoopKinematics", "loop_kinematics"]


@dataclass(frozen=True, eq=False, repr=False)
class LoopKinematics(Model):
    """[Wa Wp 0; Wac Wpc Wc] (q'a, q'p, q'c) = 0, and likewise for accelerations plus [Psi; Phi]; one group per name.

    Columns: the joints `active`, `passive` and `cut`. Inputs are the variables and rates of the tree joints only.
    """

    active: tuple[int, ...] = ()
    passive: tuple[int, ...] = ()
    cut: tuple[int, ...] = ()  #: cut joints, and virtual joints that belong to them
    constraints: LoopConstraints | None = field(default=None, repr=False)

    def part(self, group: str) -> Model:
        """Return a model of one group."""
        if group not in self.outputs:
            raise InputError(f"expected one of {', '.join(self.outputs)}, found {group!r}")
        return self.select(group)

    Wa = property(lambda self: self.part("Wa"))
    Wp = property(lambda self: self.part("Wp"))
    Wac = property(lambda self: self.part("Wac"))
    Wpc = property(lambda self: self.part("Wpc"))
    Wc = property(lambda self: self.part("Wc"))
    Psi = property(lambda self: self.part("Psi"))
    Phi = property(lambda self: self.part("Phi"))

    @property
    def _constraints(self) -> LoopConstraints:
        assert self.constraints is not None
        return self.constraints

    def solution(self) -> Model:
        """W of q'p = W q'a (output "W"), and of the cut joints, q'c = Wcut q'a (output "Wcut")."""
        robot = self._constraints.robot
        with Workspace(robot, ("q", "parameters")) as work:
            poses = Poses(robot, work.value, work.define)
            equations = self._constraints.equations(poses, work.graph)
            W = equations.solution()
            outputs = _matrices(work, {"W": W, "Wcut": equations.cut_solution(W)})
            about = {"W": "velocities of the passive joints = W times those of the active ones"}
            about["Wcut"] = "velocities of the cut joints = Wcut times those of the active ones"
            return work.model("ickel", "Velocities of the passive joints", outputs, about=about)

    def jacobian(self, link: int | str, frame: int | str = 0) -> Model:
        """Return the Jacobian of a link with respect to the active joints (output "J"), expressed in `frame`."""
        robot = self._constraints.robot
        link, frame = check_link(robot, link), check_frame(robot, frame, WORLD)
        with Workspace(robot, ("q", "parameters")) as work:
            poses = Poses(robot, work.value, work.define)
            columns = joint_columns(poses, link, (frame, link), work.graph, self.active, active=True)
            outputs = _matrices(work, {"J": [[column[r] for column in columns] for r in range(6)]})
            about = {
                "J": f"rows V1 V2 V3 W1 W2 W3: velocity of the origin of {frame_words(robot, link)} (m/s) and of its "
                f"rotation (rad/s), in {frame_words(robot, frame)}; columns: joints {' '.join(map(str, self.active))}"
            }
            return work.model("jac", f"Jacobian matrix of link {link} by the active joints", outputs, about=about)

    def internal_torques(self) -> Model:
        """Return motor torques that do no work, for more motors than degrees of freedom (output "N").

        One row per motor, one column per redundant motor: its unit torque and the torques that balance it. Any
        combination of the columns may be added to the torques of the inverse model: it only preloads the robot.
        """
        constraints, robot = self._constraints, self._constraints.robot
        cut = tuple(loop.cut for loop in constraints.loops if robot.frame(loop.cut).mu)
        motors = (*constraints.motors, *cut)
        spare = [j for j in motors if j not in self.active]
        if not spare or not {*self.active} <= {*motors}:
            raise InputError(
                f"{robot.name}: expected more motors than degrees of freedom, one in each active joint: "
                f"it has the motors {', '.join(map(str, motors)) or 'none'} and the active joints "
                f"{', '.join(map(str, self.active))}"
            )
        with Workspace(robot, ("q", "parameters")) as work:
            poses = Poses(robot, work.value, work.define)
            equations = constraints.equations(poses, work.graph)
            W = equations.solution()
            rates = dict(zip(self.passive, W, strict=True))
            rates |= dict(zip(self.cut, equations.cut_solution(W), strict=True))
            rows = [
                [-rates[s][self.active.index(j)] if j in self.active else work.graph.number(int(s == j)) for s in spare]
                for j in motors
            ]
            return work.model("int", "Torques that do no work", _matrices(work, {"N": rows}))

    def rates(self, q: ArrayLike, active_rates: ArrayLike, parameters: Mapping[str, float] | None = None) -> Array:
        """Return the rates of all tree joints from those of the active ones; singular positions raise an error.

        `q` holds all tree joints and must close the loops. The tree joints include the virtual joints of the cuts.
        """
        robot = self._constraints.robot
        values = self._values(q, parameters)
        self._constraints.closing.check(values)
        Wac, Wpc, Wc = (self._numbers(group, values) for group in ("Wac", "Wpc", "Wc"))
        Wa, Wp = (np.array([evaluate(row, values) for row in rows]) for rows in self._every)
        given = numbers("active_rates", active_rates, (len(self.active),))
        passive = _solved(Wp, -Wa @ given, robot, self.passive)
        cut = _solved(Wc, -Wac @ given - Wpc @ passive, robot, self.cut)
        known = dict(zip((*self.active, *self.passive, *self.cut), (*given, *passive, *cut), strict=True))
        return np.array([known[j] for j in robot.tree_joints])

    @cached_property
    def _every(self) -> tuple[list[list[Expr]], list[list[Expr]]]:
        """Wa and Wp of all constraint rows, including dependent ones."""
        robot = self._constraints.robot
        with Workspace(robot, ("q", "parameters")) as work:
            equations = self._constraints.equations(Poses(robot, work.value), work.graph)
        return equations.Wa, equations.Wp

    def check(self, q: ArrayLike, parameters: Mapping[str, float] | None = None) -> None:
        """Raise an error if the loops are open or singular, where compiled and emitted models are not finite."""
        self.rates(q, np.zeros(len(self.active)), parameters)

    def _values(self, q: ArrayLike, parameters: Mapping[str, float] | None) -> dict[str, float]:
        missing = [name for name in self.inputs.get("parameters", ()) if name not in (parameters or {})]
        if missing:
            raise missing_values(missing)
        names = self.inputs["q"]
        return dict(parameters or {}) | dict(zip(names, numbers("q", q, (len(names),)).tolist(), strict=True))

    def _numbers(self, group: str, values: Mapping[str, float]) -> Array:
        layout = self.outputs.get(group)
        if layout is None:  # couplings alone: there is no cut joint
            return np.zeros((0, len(self.active if group == "Wac" else self.passive)))
        return np.array(evaluate([self.definitions[name] for name in flat(layout)], values)).reshape(shape(layout))

    def close(self, q: ArrayLike, parameters: Mapping[str, float] | None = None) -> Array:
        """Return tree joints that close the loops, with the active ones as in `q`; the others are searched."""
        closing = self._constraints.closing
        values = self._values(q, parameters)
        closed = closing.close(closing.with_cut(values), self.active)
        return np.array([closed[name] for name in self.inputs["q"]])


@accepts("floating")
def loop_kinematics(
    robot: Robot, parallelograms: bool = True, reference: Mapping[str, float] | None = None
) -> LoopKinematics:
    """Return the constraint equations of the loops: Wa, Wp, Wac, Wpc, Wc, Psi and Phi.

    Dependent rows are left out: there are as many rows of Wp as passive joints.

    Parameters
    ----------
    robot
        Robot with closed loops.
    parallelograms
        Whether loops that can be parallelograms are assembled as parallelograms.
    reference
        Joint positions that select the assembly mode of a closed robot. Default: the position in the description.

    Returns
    -------
    LoopKinematics
        Model with the matrices as outputs; `.solution()` gives W of qd_passive = W qd_active.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.loop_kinematics(rs.load("sr400"))
    >>> list(model.outputs)
    ['Wa', 'Wp', 'Wac', 'Wpc', 'Wc', 'Psi', 'Phi']
    """
    if reference is not None:
        with_reference(robot, reference)  # checks the names
    constraints = constraints_of(robot, parallelograms, reference)
    with Workspace(robot, ("q", "qd", "parameters")) as work:
        poses = Poses(robot, work.value, work.define)
        equations = constraints.equations(poses, work.graph, solved=False)

        def rate(j: int) -> Expr:
            return work.value(robot.joint(j).QP)

        psi, phi = constraints.drift(poses, work.value, rate, work.note, solved=False)
        outputs = _matrices(work, {name: getattr(equations, name) for name in ("Wa", "Wp", "Wac", "Wpc", "Wc")})
        for name, vector in (("Psi", psi), ("Phi", phi)):
            outputs[name] = work.vector(name, dict(enumerate(vector, 1)))
        return work.model(
            "ckel", "Kinematic constraint equations of the loops", outputs, LoopKinematics,
            active=constraints.active, passive=constraints.passive, cut=constraints.cut, constraints=constraints,
        )  # fmt: skip


def _matrices(work: Workspace, matrices: Mapping[str, Sequence[Sequence[Expr]]]) -> dict[str, Layout]:
    """Return one group per matrix that is not empty."""
    return {name: work.matrix(name, rows) for name, rows in matrices.items() if rows and rows[0]}


def _solved(matrix: Array, right: Array, robot: Robot, joints: Sequence[int]) -> Array:
    if not matrix.size:
        return np.zeros(len(joints))
    values = np.linalg.svd(matrix, compute_uv=False)
    if values[-1] <= SINGULAR * max(values[0], ZERO):
        raise InputError(
            f"{robot.name}: singular position of its loops: the active joints do not determine "
            f"the rates of the joints {', '.join(map(str, joints))}"
        )
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=None)[0], np.float64)
