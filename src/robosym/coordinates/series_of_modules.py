"""Modules in series over one graph.

A module is a function of the motion of its base (symbols `BASE`) and the load on its end (symbols `LOAD`), over a graph
of its own, independent of the other modules. `Series` replaces these symbols by expressions of the whole robot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Generic, TypeVar

from robosym.algebra import Expr, Graph, substitute
from robosym.coordinates.legs import Legs, Wrench
from robosym.coordinates.platform_motion import ACCELERATION, BASE, OF_PLATFORM, POSE, TWIST, PlatformMotion
from robosym.errors import InputError
from robosym.mechanism import GEOMETRY, Robot
from robosym.mechanism.bodies import tree_of
from robosym.mechanism.motion import BaseMotion, frame_transform
from robosym.model import Workspace
from robosym.model.domain import Domain, joined_domain
from robosym.model.groups import declare
from robosym.spatial import Scalar, Transform, Vec3

__all__ = ["LOAD", "Arm", "LegsAndPlatform", "Series", "module_modes"]

#: load of the next module on the end: force, and moment about the origin, in the axes of the end
LOAD = tuple(f"L{part}{axis}_" for part in ("F", "C") for axis in (1, 2, 3))
_OTHERS = ("wrench", "gravity", "parameters")
_O = Vec3(0, 0, 0)


class Arm:
    """An arm, one of its links carrying the next module."""

    def __init__(self, robot: Robot, end: int, offset: int) -> None:
        elastic = [j for j in robot.tree_joints if robot.joint(j).eta]
        if elastic:
            raise InputError(
                f"{robot.name}: {robot.variable(elastic[0])} is elastic: expected an arm without springs in a hybrid "
                "robot; pass the robot with loops of to_closed()"
            )
        self.robot, self.number, self.motors = robot, end, robot.tree_joints
        self.work = work = Workspace(robot, ("q", "qd", "qdd", *_OTHERS))
        work.note = _shifted(work.note, offset)
        w = work.input("base_velocity", BASE[:3])
        rest = work.input("base_acceleration", BASE[3:])
        self.base = BaseMotion(Vec3(*w), Vec3(*rest[:3]), _O, Vec3(*rest[3:]))
        self.coordinates = tuple(str(robot.joint(j).QDP.value) for j in robot.tree_joints)
        f, n = _load(work)
        tree = tree_of(robot, work.value)
        bodies = list(tree.bodies)
        loaded = tree.body(end)
        bodies[end] = replace(loaded, force=loaded.force + f, moment=loaded.moment + n)
        self.tree = replace(tree, bodies=bodies, base=self.base)

    @property
    def pose(self) -> Transform:
        T, j = Transform.identity(), self.number
        while j:
            body = self.tree.body(j)
            T, j = body.T @ T, body.ant
        return T

    def columns(self) -> list[list[Scalar]]:
        """Return the twist of the end per joint rate in frame 0 of the module, one column per joint."""
        T, path, j = self.pose, [], self.number
        while j:
            path.append(j)
            j = self.tree.body(j).ant
        here, found = Transform.identity(), {}
        for j in reversed(path):
            body = self.tree.body(j)
            here = here @ body.T
            z = here.A.z_axis
            if body.joint.moves:
                linear, angular = body.joint.twist(z, T.P - here.P)
                found[j] = [*linear, *angular]
        zero = self.work.graph.zero
        return [found.get(j, [zero] * 6) for j in self.robot.tree_joints]


class LegsAndPlatform:
    """Legs whose platform carries the next module."""

    def __init__(self, robot: Robot, offset: int, modes: Sequence[int] | None = None, carried: bool = True) -> None:
        """Create the module; with `carried`, its base moves and has a reaction, otherwise it is frame 0."""
        self.robot, self.motors = robot, robot.motors
        self.legs = Legs(robot, ("pose", "twist", "acceleration"), _OTHERS, modes, carried=carried)
        self.work = self.legs.work
        self.work.note = _shifted(self.work.note, offset)
        self.load = _load(self.work)

    @property
    def motion(self) -> PlatformMotion:
        return self.legs.motion

    @property
    def pose(self) -> Transform:
        return Transform(self.motion.R, self.motion.P)

    def columns(self) -> list[list[Any]]:
        """Return the twist of the platform per motor velocity, one column per motor."""
        _, E = self.legs.basis
        return (E @ self.legs.by_motors()).T.rows


def _load(work: Workspace) -> Wrench:
    symbols = work.input("T", LOAD)  # any group whose values change: these symbols do not outlive the module
    return Vec3(*symbols[:3]), Vec3(*symbols[3:])


def _shifted(note: Any, offset: int) -> Any:
    """Return names with the frame numbers of the whole robot."""
    return lambda prefix, j, value: note(prefix, j + offset, value)


_MOTION = {"pose": POSE, "twist": TWIST, "acceleration": ACCELERATION}


Module = TypeVar("Module", bound="Arm | LegsAndPlatform")


class Series(Generic[Module]):
    """The modules of a robot in motion: `groups` of pose, twist, acceleration are inputs, as are those of arms."""

    arm_type: type[Any] = Arm
    platform_type: type[Any] = LegsAndPlatform

    def __init__(
        self, robot: Robot, groups: Sequence[str], others: Sequence[str] = ("parameters",), modes: Any = None
    ) -> None:
        self.robot, self.parts = robot, robot.module_robots()
        self.offsets = tuple(module.first - 1 for module in robot.modules)
        arms = [group for group, motion in OF_PLATFORM.items() if motion in groups]
        self.work = Workspace(robot, (*arms, *others), {"tau": robot.motors})
        self._keep_arms(arms)
        self._given: list[dict[str, Any]] = [{} for _ in robot.modules]
        self._declare(groups)
        chosen = module_modes(robot, modes)
        self.models: list[Module] = []
        for k, (module, part, at, one) in enumerate(zip(robot.modules, self.parts, self.offsets, chosen, strict=True)):
            if module.has_platform:
                place = robot.frame(module.place)
                carried = k > 0 or any(not getattr(place, name).is_zero for name in GEOMETRY)
                self.models.append(self.platform_type(part, at, one, carried))
            else:
                self.models.append(self.arm_type(part, module.end - at, at))
        domains = [model.legs.domain(groups) if isinstance(model, LegsAndPlatform) else None for model in self.models]
        own = [None if domain is None else partial(_of_module, domain, k) for k, domain in enumerate(domains, 1)]
        self.work.domain = joined_domain(own)

    @property
    def arms(self) -> list[Robot]:
        """The modules without a platform."""
        modules = zip(self.parts, self.robot.modules, strict=True)
        return [part for part, module in modules if not module.has_platform]

    def _keep_arms(self, arms: Sequence[str]) -> None:
        """Remove joints of legs from the inputs: they follow from the poses."""
        own = {name for part in self.arms for name in _held(part)}
        for group in arms:
            kept = tuple(name for name in self.work.inputs.pop(group, ()) if name in own)
            if kept:
                self.work.inputs = {**self.work.inputs, group: kept}
        last = ("wrench", "gravity", "parameters")
        order = [*(g for g in self.work.inputs if g not in last), *(g for g in last if g in self.work.inputs)]
        self.work.inputs = {g: self.work.inputs[g] for g in order}

    def _declare(self, groups: Sequence[str]) -> None:
        """Declare pose, twist and acceleration of each platform relative to its base: R11_1 .., by module number."""
        numbers = [k for k, module in enumerate(self.robot.modules, 1) if module.has_platform]
        for group in reversed(groups):
            names = [[f"{name}_{k}" for name in _MOTION[group]] for k in numbers]
            if not names:
                continue
            symbols = iter(self.work.input(group, [name for own in names for name in own], first=True))
            for k in numbers:
                self._given[k - 1] |= {name: next(symbols) for name in _MOTION[group]}
        for given in self._given:  # components that are not inputs are zero
            for name in (*TWIST, *ACCELERATION):
                given.setdefault(name, self.work.graph.zero)
        if "qdd" not in self.work.inputs:
            self._rest("QDP")
        if "qd" not in self.work.inputs:
            self._rest("QP")

    def _rest(self, field: str) -> None:
        for part, module, given in zip(self.parts, self.robot.modules, self._given, strict=True):
            if not module.has_platform:
                names = (getattr(part.joint(j), field).value for j in part.tree_joints)
                given.update(dict.fromkeys(map(str, names), self.work.graph.zero))

    def set(self, k: int, values: Mapping[str, Any]) -> None:
        """Set values of symbols of module k, from 0."""
        self._given[k] |= values

    def here(self, k: int, entries: Iterable[Scalar]) -> list[Expr]:
        """Return expressions of module k, from 0, in the graph of the robot."""
        graph = self.models[k].work.graph
        return substitute([graph.zero + entry for entry in entries], self.work.graph, self._given[k])

    def place(self, k: int) -> Transform:
        """Return the base of module k relative to the frame that carries it."""
        return frame_transform(self.robot.frame(self.robot.modules[k].place), self.work.value, 0)

    def names(self) -> None:
        """Make intermediate variables of the modules selectable in the whole model."""
        for k, model in enumerate(self.models):
            named = model.work.definitions
            for name, value in zip(named, self.here(k, named.values()), strict=True):
                self.work.define(name, value)

    def poses(self) -> list[Transform]:
        """Return the pose of the end of each module in frame 0."""
        found, T = [], Transform.identity()
        for k, model in enumerate(self.models):
            pose = model.pose
            entries = self.here(k, (*(x for row in pose.A.rows for x in row), *pose.P))
            own = Transform(type(pose.A).of(*entries[:9]), Vec3(*entries[9:]))
            T = T @ self.place(k) @ own
            found.append(T)
        return found


def _held(robot: Robot) -> list[str]:
    moving = [str(getattr(robot.joint(j), n).value) for j in robot.tree_joints for n in ("QP", "QDP")]
    return [*moving, *(robot.variable(j) for j in robot.tree_joints)]


def module_modes(robot: Robot, modes: Any) -> list[Any]:
    """Return the leg modes of each module, or None if the reference position determines them."""
    if modes is None:
        return [None] * len(robot.modules)
    count = len(robot.modules)
    if isinstance(modes, (str, int)) or len(modes) != count:
        raise InputError(f"modes: expected an entry for each of the {count} modules, found {modes!r}")
    return list(modes)


def _of_module(domain: Domain, k: int) -> Expr | None:
    """Return the margin of a platform, with its motion named as that of module k."""
    margin = domain()
    if margin is None:
        return None
    graph = Graph()
    named = {group: {name: f"{name}_{k}" for name in names} for group, names in _MOTION.items()}
    declare(graph, {group: list(names.values()) for group, names in named.items()})
    values = {own: graph.symbol(name) for names in named.values() for own, name in names.items()}
    return substitute([margin], graph, values)[0]
