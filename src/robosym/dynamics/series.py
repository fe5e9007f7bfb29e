"""Modules in series over one graph: the motion walks out from module to module, loads walk back.

A module is a function of the motion of its base and the load on its end (`modules.py`); here its symbols are replaced
by what its neighbours say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from robosym.algebra import Expr, Graph, substitute
from robosym.coordinates.platform_motion import ACCELERATION, BASE, POSE, TWIST
from robosym.dynamics.modules import LOAD, Arm, EndMotion, Platform
from robosym.errors import InputError
from robosym.mechanism import Hybrid, Parallel
from robosym.mechanism.frame import frame_transform
from robosym.mechanism.motion import products, u_matrix
from robosym.model import Workspace
from robosym.model.domain import Domain, joined_domain
from robosym.model.groups import declare
from robosym.spatial import Transform, Vec3

__all__ = ["Series", "module_modes"]

_MOTION = {"pose": POSE, "twist": TWIST, "acceleration": ACCELERATION}
_JOINTS = {"q": "pose", "qd": "twist", "qdd": "acceleration"}  #: of arms, and what stands for them in platforms


class Series:
    """The modules of a robot in motion: `groups` of pose, twist, acceleration are inputs, as are those of arms."""

    def __init__(
        self, robot: Hybrid, groups: Sequence[str], others: Sequence[str] = ("parameters",), modes: Any = None
    ) -> None:
        self.robot = robot
        arms = [group for group in _JOINTS if _JOINTS[group] in groups]
        self.work = Workspace(robot.carrier(), (*arms, *others), {"tau": robot.motors})
        self._keep_arms(arms)
        self._given: list[dict[str, Any]] = [{} for _ in robot.modules]
        self._declare(groups)
        chosen = module_modes(robot, modes)
        self.models: list[Arm | Platform] = []
        for k, (module, at, one) in enumerate(zip(robot.modules, robot.offsets, chosen, strict=True)):
            if isinstance(module.robot, Parallel):
                self.models.append(Platform(module.robot, at, one, carried=k > 0 or not module.stands_plain))
            else:
                self.models.append(Arm(module.robot, module.end, at))
        domains = [model.legs.domain(groups) if isinstance(model, Platform) else None for model in self.models]
        own = [None if domain is None else partial(_of_module, domain, k) for k, domain in enumerate(domains, 1)]
        self.work.domain = joined_domain(own)

    def _keep_arms(self, arms: Sequence[str]) -> None:
        """Joints of legs are not inputs: they follow from the poses."""
        own = {name for m in self.robot.modules if not isinstance(m.robot, Parallel) for name in _held(m.robot)}
        for group in arms:
            kept = tuple(name for name in self.work.inputs.pop(group, ()) if name in own)
            if kept:
                self.work.inputs = {**self.work.inputs, group: kept}
        last = ("wrench", "gravity", "parameters")
        order = [*(g for g in self.work.inputs if g not in last), *(g for g in last if g in self.work.inputs)]
        self.work.inputs = {g: self.work.inputs[g] for g in order}

    def _declare(self, groups: Sequence[str]) -> None:
        """Pose, twist and acceleration of each platform against its own base: R11_1 .., by the number of the module."""
        numbers = [k for k, m in enumerate(self.robot.modules, 1) if isinstance(m.robot, Parallel)]
        for group in reversed(groups):
            names = [[f"{name}_{k}" for name in _MOTION[group]] for k in numbers]
            if not names:
                continue
            symbols = iter(self.work.input(group, [name for own in names for name in own], first=True))
            for k in numbers:
                self._given[k - 1] |= {name: next(symbols) for name in _MOTION[group]}
        for given in self._given:  # what is no input stands still
            for name in (*TWIST, *ACCELERATION):
                given.setdefault(name, self.work.graph.zero)
        if "qdd" not in self.work.inputs:
            self._rest("QDP")
        if "qd" not in self.work.inputs:
            self._rest("QP")

    def _rest(self, field: str) -> None:
        for module, given in zip(self.robot.modules, self._given, strict=True):
            if not isinstance(module.robot, Parallel):
                names = (getattr(module.robot.joint(j), field).value for j in module.robot.tree_joints)
                given.update(dict.fromkeys(map(str, names), self.work.graph.zero))

    def set(self, k: int, values: Mapping[str, Any]) -> None:
        """Give symbols of module k, from 0, other values."""
        self._given[k] |= values

    def here(self, k: int, entries: Iterable[Any]) -> list[Expr]:
        """Expressions of module k, from 0, in the graph of the robot."""
        graph = self.models[k].work.graph
        return substitute([graph.zero + entry for entry in entries], self.work.graph, self._given[k])

    def place(self, k: int) -> Transform:
        """The base of module k in the frame that carries it."""
        return frame_transform(self.robot.modules[k].place, self.work.value, 0)

    def walk_out(self) -> None:
        """The motion of each base from that of the end before it; the first feels gravity alone."""
        zero = self.work.graph.zero
        none = Vec3(zero, zero, zero)
        end = EndMotion(none, none, Vec3(*(-self.work.value(g) for g in self.robot.gravity)))
        for k, model in enumerate(self.models):
            T = self.place(k)
            vp = end.vp + u_matrix(products(end.w), end.wp) @ T.P
            base = EndMotion(T.A.T @ end.w, T.A.T @ end.wp, T.A.T @ vp)
            self._given[k] |= {name: zero + x for name, x in zip(BASE, base.entries(), strict=True)}
            found = self.here(k, model.end.entries())
            end = EndMotion(Vec3(*found[:3]), Vec3(*found[3:6]), Vec3(*found[6:]))

    def walk_back(self) -> list[list[Expr]]:
        """The generalised forces that the motion of each module takes; what it asks of its base loads the last."""
        zero = self.work.graph.zero
        load: list[Any] = [zero] * 6
        needed: list[list[Expr]] = [[] for _ in self.models]
        for k in range(len(self.models) - 1, -1, -1):
            model = self.models[k]
            self._given[k] |= dict(zip(LOAD, load, strict=True))
            needed[k] = self.here(k, model.needed())
            if k:
                found = self.here(k, (part for vector in model.reaction() for part in vector))
                T = self.place(k)
                f = T.A @ Vec3(*found[:3])
                n = T.A @ Vec3(*found[3:]) + T.P.cross(f)
                load = [zero + x for x in (*f, *n)]
        return needed

    def efforts(self) -> dict[int, Expr]:
        """Of the motors, numbered through, after both walks."""
        found: dict[int, Expr] = {}
        for k, (model, at) in enumerate(zip(self.models, self.robot.offsets, strict=True)):
            forces = model.forces()
            found |= {at + j: x for j, x in zip(forces, self.here(k, forces.values()), strict=True)}
        return found

    def names(self) -> None:
        """What the modules named on the way can be selected in the whole."""
        for k, model in enumerate(self.models):
            named = model.work.definitions
            for name, value in zip(named, self.here(k, named.values()), strict=True):
                self.work.define(name, value)

    def poses(self) -> list[Transform]:
        """The end of each module in frame 0."""
        found, T = [], Transform.identity()
        for k, model in enumerate(self.models):
            pose = model.pose
            entries = self.here(k, (*(x for row in pose.A.rows for x in row), *pose.P))
            own = Transform(type(pose.A).of(*entries[:9]), Vec3(*entries[9:]))
            T = T @ self.place(k) @ own
            found.append(T)
        return found


def _held(robot: Any) -> list[str]:
    moving = [str(getattr(robot.joint(j), n).value) for j in robot.tree_joints for n in ("QP", "QDP")]
    return [*moving, *(robot.variable(j) for j in robot.tree_joints)]


def module_modes(robot: Hybrid, modes: Any) -> list[Any]:
    """The modes of the legs of each module, None where the reference position decides."""
    if modes is None:
        return [None] * len(robot.modules)
    if isinstance(modes, (str, int)) or len(modes) != len(robot.modules):
        raise InputError(f"modes: expected an entry for each of the {len(robot.modules)} modules, found {modes!r}")
    return list(modes)


def _of_module(domain: Domain, k: int) -> Expr | None:
    """The margin of a platform, its motion named as that of module k."""
    margin = domain()
    if margin is None:
        return None
    graph = Graph()
    named = {group: {name: f"{name}_{k}" for name in names} for group, names in _MOTION.items()}
    declare(graph, {group: list(names.values()) for group, names in named.items()})
    values = {own: graph.symbol(name) for names in named.values() for own, name in names.items()}
    return substitute([margin], graph, values)[0]
