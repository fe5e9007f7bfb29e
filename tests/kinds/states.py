"""One robot of every kind, in a state with known values from an oracle."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import robosym as rs
from cases.hybrid import delta_on_gantry, hybrid_positions
from cases.parallel import positions, values_of
from evaluation import on_groups
from oracles.hybrid import hybrid_state
from oracles.parallel import state
from oracles.reduced import Reduced
from robosym.mechanism import Robot
from robosym.model import shape

Array = NDArray[np.float64]

KINDS = (
    "serial", "tree", "closed", "platform", "hybrid", "coupled", "transmission", "elastic", "mobile", "floating",
)  # fmt: skip
_GRAVITY = [1.5, -3, -9]
_TREE = [
    {"theta": "t1", "r": 0.3}, {"alpha": "Pi/2", "d": 0.2, "theta": "t2"},
    {"alpha": 0.3, "d": 0.4, "theta": "t3", "r": 0.1},
    {"ant": 2, "sigma": 1, "alpha": "Pi/2", "d": 0.1, "theta": 0.2, "r": "r4"},
]  # fmt: skip
_ARM = [
    {"theta": "t1"}, {"alpha": "Pi/2", "theta": "t2"}, {"d": 0.45, "theta": "t3"},
    {"alpha": "-Pi/2", "d": 0.1, "theta": "t4", "r": 0.5}, {"alpha": "Pi/2", "theta": "t5"},
    {"alpha": "-Pi/2", "theta": "t6"},
]  # fmt: skip
_POST = [
    {"theta": "t1", "r": 0.3}, {"alpha": "Pi/2", "theta": "t2"}, {"mu": 0, "theta": "t3", "d": 0.2},
    {"ant": 1, "mu": 0, "alpha": "Pi/2", "d": 0.45, "theta": "t4"},
    {"ant": 3, "d": 0.3, "alpha": "Pi/2", "theta": "t5"}, {"ant": 3, "mu": 0, "d": 0.5, "theta": "t6"},
    {"ant": 4, "sigma": 2, "d": 0.4},
]  # fmt: skip
_CLOSED_AT = {"t1": 0.2, "t2": 1.3, "t3": -0.8826401, "t4": 1.418759, "t5": 0.1, "t6": 1.0013991}
TRANSMISSION = np.array([[1, 0, 0, 0], [-0.5, 1, 0, 0], [0, 0.3, 1, 0], [0, 0, 0, 2.0]])


def body(j: int) -> dict[str, float]:
    return {
        "XX": 0.3 + 0.01 * j, "XY": 0.01, "XZ": -0.02, "YY": 0.25, "YZ": 0.015, "ZZ": 0.2 + 0.02 * j, "MX": 0.1 * j,
        "MY": -0.05, "MZ": 0.08, "M": 2.0 + j,
    }  # fmt: skip


def _robot(name: str, frames: list[dict[str, Any]], count: int, **more: Any) -> Robot:
    links = [{**body(j), "IA": 0.05 * j, "FV": 0.2, "FS": 0.1} for j in range(1, count + 1)]
    return rs.robot(name, frames=frames, links=links, gravity=_GRAVITY, **more)


def robot_of(kind: str) -> Any:
    """Return the numeric robot of a kind; platforms have symbolic links."""
    passive = [frame | ({"mu": 0} if j == 2 else {}) for j, frame in enumerate(_TREE)]
    motion = {name: [f"{name}{axis}" for axis in "xyz"] for name in ("W0", "WP0", "V0", "VP0")}
    match kind:
        case "serial":
            return _robot("arm", _ARM, 6)
        case "closed":
            return _robot("post", _POST, 5, loops=[[6, 7]], position=_CLOSED_AT)
        case "platform":
            return rs.load("delta")
        case "hybrid":
            return delta_on_gantry()
        case "coupled":
            return _robot("geared", passive, 4, couplings={"t3": "2*t2 + 0.1"})
        case "transmission":
            return _robot("tree", _TREE, 4).with_transmission(TRANSMISSION.tolist())
        case "elastic":
            return _robot("elastic", passive, 4).edit({"joint3.eta": 1, "joint3.k": 40.0})
        case "mobile" | "floating":
            return _robot(kind, _TREE, 4, base={"type": kind, "link": body(9), **(motion if kind == "mobile" else {})})
    return _robot("tree", _TREE, 4)


class State:
    """A robot, the inputs of its models, and the values of the oracle."""

    inputs: Mapping[str, Any]

    def __init__(self, kind: str) -> None:
        self.kind, self.robot = kind, robot_of(kind)
        self.rng = np.random.default_rng(5)

    def of(self, model: rs.Model, **more: Any) -> dict[str, Any]:
        """Return the outputs of a model by group at the state, with additional inputs `more`."""
        given = {"parameters": self.values, "gravity": self.values, **self.inputs, **more}
        row = on_groups(model, **{group: given[group] for group in model.inputs})
        sizes = [int(np.prod(shape(layout))) for layout in model.outputs.values()]
        parts = np.split(row, np.cumsum(sizes)[:-1])
        return {g: p.reshape(shape(model.outputs[g])) for g, p in zip(model.outputs, parts, strict=True)}

    values: Mapping[str, float] = {}


class Linked(State):
    """A robot of links; `truth` contains Pinocchio's values in the coordinates of the models."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        joints: Robot = self.robot.in_joints()
        self.joints = joints
        q = self.rng.uniform(-1, 1, len(joints.tree_joints))
        self.place = q
        spread = None
        if kind == "closed":
            self.place = q = np.array([_CLOSED_AT[joints.variable(j)] for j in joints.tree_joints])
            q = np.array(rs.loop_geometry(joints).solve(q[[0, 1, 4]])[0])
        elif kind == "coupled":
            q[2] = 2 * q[1] + 0.1
        elif kind == "transmission":
            spread, q = TRANSMISSION, TRANSMISSION @ q
        self.truth = t = Reduced(joints, q, self.rng, spread)
        self.values = dict(zip(("G1", "G2", "G3"), _GRAVITY, strict=True))  # for models with gravity as an input
        self.position = self.place if kind == "transmission" else q  #: the input q
        self.motors = [k for k, j in enumerate(joints.tree_joints) if not joints.joint(j).eta and k in t.active]
        self.inputs = {
            "q": self.position, "qd": t.y, "qdd": t.yd, "tau": self.torques, "base_velocity": t.base_velocity,
            "base_acceleration": t.base_acceleration, "base_height": [0.0],
        }  # fmt: skip
        if kind == "elastic":
            self.inputs = {**self.inputs, "qdd": t.yd[self.motors]}

    @property
    def torques(self) -> Array:
        """Return the motor torques for `accelerations`."""
        t = self.truth
        if self.kind != "elastic":
            return t.free_tau
        return (t.inertia @ self.accelerations + t.bias()[1])[self.motors]

    @property
    def accelerations(self) -> Array:
        """Return the accelerations of all coordinates; those of elastic joints follow from their springs."""
        t = self.truth
        if self.kind != "elastic":
            return t.yd
        A, H, found = t.inertia, t.bias()[1], t.yd.copy()
        e = [k for k in range(len(t.q)) if k not in self.motors]
        found[e] = 0
        found[e] = np.linalg.solve(A[np.ix_(e, e)], (t.springs - H - A @ found)[e])
        return found

    @property
    def whole(self) -> dict[str, Array]:
        """Return rates and accelerations of all joints of the tree, for models of links."""
        t = self.truth
        return {} if self.kind == "transmission" else {"qd": t.qd, "qdd": t.qdd}


def _numbers(robot: Any, rng: np.random.Generator) -> dict[str, float]:
    """Return values of links and gravity; symbols of the motion remain."""
    return {name: x for name, x in values_of(robot, rng).items() if not name.startswith(("QP", "QDP", "GAM"))}


class Platform(State):
    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.values = _numbers(self.robot, self.rng)
        self.all_joints = next(iter(positions(self.robot)))
        self.truth = state(self.robot, self.all_joints, self.values, self.rng)
        self.inputs = self.truth._asdict()


class Several(State):
    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.values = _numbers(self.robot, self.rng)
        self.all_joints = next(iter(hybrid_positions(self.robot)))
        self.truth = hybrid_state(self.robot, self.all_joints, self.values, self.rng)
        self.inputs = self.truth._asdict()


@cache
def state_of(kind: str) -> State:
    made = {"platform": Platform, "hybrid": Several}.get(kind, Linked)
    return made(kind)
