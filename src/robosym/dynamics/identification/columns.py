"""Common part of the identification models: the parameters of their columns, and the class of the models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from robosym.algebra.once import FrozenDict
from robosym.coordinates.constraints import constraints_of
from robosym.coordinates.joint_motion import JointMotion
from robosym.errors import InputError, Pass, closest
from robosym.mechanism import INERTIA, Robot, need_no_load, need_rigid
from robosym.mechanism.friction import LOAD, applied
from robosym.model import Layout, Model, Origin, Workspace
from robosym.parameters import base_parameters as reduce
from robosym.parameters.independent import dependent_places
from robosym.parameters.standard import LinkField, standard_parameters
from robosym.spatial import sign

__all__ = ["Column", "IdentificationModel", "choose_columns", "finish", "unit_effort"]


@dataclass(frozen=True, slots=True)
class Column:
    """A parameter: its name, its link, and its field (XX .. M, IA, or a friction term: FV, FS, OFF ..)."""

    name: str
    link: int
    field: str
    holds: tuple[tuple[str, float], ...] = ()  #: coefficients of other parameters that are grouped with it

    @property
    def place(self) -> LinkField:
        return self.link, self.field

    @property
    def of_joint(self) -> bool:
        """Whether the parameter affects only the effort of its own joint."""
        return self.field not in INERTIA


def unit_effort(motion: JointMotion, place: LinkField, accelerated: bool = True) -> Any:
    """Return the factor of a parameter in the effort of its own joint; q'' is zero unless `accelerated`."""
    j, field = place
    qd, friction = motion.rate(j), motion.robot.joint(j).friction
    if field == "IA":
        return motion.accelerations.get(j, 0) if accelerated else 0
    usual = {"FV": qd, "FS": sign(qd), "OFF": 1}
    if field in usual and not (field == "FS" and friction):
        return usual[field]
    return applied(friction.shape(field), motion.position(j), qd)


@dataclass(frozen=True, eq=False, repr=False)
class IdentificationModel(Model):
    """Model whose outputs are matrices with one column per parameter in `columns` and one row per entry of `rows`."""

    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    pattern: tuple[tuple[int, int], ...] = ()  #: row and column of each output of a sparse model
    #: columns that represent several parameters, except base parameters: FV3 for FV3 + FV7
    grouping: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def sparse(self, group: str | None = None) -> IdentificationModel:
        """Return a model of the entries that are not identically zero; `pattern` contains their positions.

        Parameters
        ----------
        group : str, optional
            Name of the matrix, if the model has several.

        Returns
        -------
        IdentificationModel
            Model with one output per nonzero entry.

        Raises
        ------
        InputError
            If the model has no such matrix, or `group` is required.
        """
        if group is None and len(self.outputs) != 1:
            first, *_ = self.outputs
            known = ", ".join(self.outputs)
            raise InputError(f"group: expected one of {known}, as in sparse({first!r})")
        group = group or next(iter(self.outputs))
        if group not in self.outputs:
            raise InputError(f"the model has no matrix {group!r}{closest(group, self.outputs)}")
        layout = self.outputs[group]
        places = [(r, c) for r, names in enumerate(layout) for c, name in enumerate(names) if self._acts(name)]
        names = tuple(str(layout[r][c]) for r, c in places)
        return replace(self, outputs={group: names}, pattern=tuple(places))

    def with_columns(self, columns: Sequence[str]) -> IdentificationModel:
        """Return the model of some of its columns, in this order."""
        places = [self.columns.index(name) for name in columns]
        outputs = {g: tuple(tuple(row[at] for at in places) for row in rows) for g, rows in self.outputs.items()}
        return replace(self, columns=tuple(columns), outputs=outputs)

    def _acts(self, name: str) -> bool:
        return not self.definitions[name].is_zero


def choose_columns(
    robot: Robot, base_parameters: bool, structure: Literal["tree"] | None, friction: bool | None, offset: bool
) -> list[Column]:
    """Return inertial parameters link by link (base or standard), then FV and FS of each joint, then offsets OFFj.

    `friction` is True for every joint, False for none, None for those of the description. For a closed robot, rotor
    inertias of passive joints follow the friction, because no motor has them. With base parameters, the columns are
    independent: parameters that the loops make dependent are omitted, as are symbols of rotors at passive joints.
    """
    if structure not in (None, "tree"):
        raise InputError(f"structure: expected None or 'tree', found {structure!r}")
    closed = robot.constrained and structure is None
    if closed:  # springs load the motors, but stiffnesses have no column
        need_rigid(robot, "an identification model of a robot with loops")
        for j in robot.cut_joints:
            if robot.joint(j).eta:
                raise InputError(
                    f"{robot.name}: joint {j} has a spring, which identification models of a robot with loops do not "
                    "support: set eta = 0 and subtract the torque of the spring from the measured torques, or pass "
                    "structure='tree'"
                )
    if base_parameters:
        found = reduce(robot, structure=structure)
        standard = found.standard
        columns = [Column(name, *place) for name, place in found.places.items()]
    else:
        standard = standard_parameters(robot, closed)
        columns = [Column(p.name, p.link, p.field) for p in standard.inertial]
    if friction is None:
        need_no_load(robot, "an identification model", hint=("omit friction with ", Pass("friction", False)))
        columns += [Column(p.name, p.link, p.field) for p in standard.friction]
        more = ((j, name) for j in _joints(robot, closed) for name, _ in robot.joint(j).friction.values)
        columns += [
            Column(f"{name}{j}", j, name) for j, name in more if name not in ({"OFF", LOAD} if offset else {LOAD})
        ]
    elif friction:
        joints = _joints(robot, closed)
        columns += [Column(f"{field}{j}", j, field) for j in joints for field in ("FV", "FS")]
    columns += [Column(p.name, p.link, p.field) for p in standard.apart]
    if offset:
        columns += [Column(f"OFF{j}", j, "OFF") for j in _joints(robot, closed)]
    if base_parameters and closed:
        absent = {p.place for p in standard.apart if p.entry.level}
        others = [column.place for column in columns[len(found.places) :] if column.place not in absent]
        grouped = dependent_places(robot, list(found.places.values()), others)
        names = {column.place: column.name for column in columns}
        columns = [
            replace(c, holds=tuple((names[p], shares[c.place]) for p, shares in grouped.items() if c.place in shares))
            for c in columns
            if c.place not in absent and c.place not in grouped
        ]
    if not columns:
        raise InputError(f"{robot.name}: expected at least one parameter to identify; use robot.symbolic()")
    return columns


def _joints(robot: Robot, closed: bool) -> tuple[int, ...]:
    """Return the joints of the rows and those that follow them; cut and virtual joints only if they have friction."""
    if not closed:
        return robot.tree_joints
    constraints = constraints_of(robot)
    acting = (j for j in robot.cut_joints if robot.joint(j).acts)
    return tuple(sorted((*constraints.active, *constraints.passive, *acting)))


def finish(
    work: Workspace,
    kind: str,
    title: str,
    outputs: Mapping[str, Layout],
    columns: Sequence[Column],
    rows: Sequence[str],
    made: Origin | None = None,
) -> IdentificationModel:
    """Return the model of the defined outputs."""
    names = tuple(column.name for column in columns)
    grouping = {column.name: {column.name: 1.0, **dict(column.holds)} for column in columns if column.holds}
    more = {"grouping": FrozenDict(grouping), "made": made}
    return work.model(kind, title, outputs, IdentificationModel, columns=names, rows=tuple(rows), **more)
