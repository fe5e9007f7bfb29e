"""What a simulation gives: the motion, and what follows from it when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import evaluate
from robosym.algebra.arrays import Array
from robosym.algebra.once import cached_property
from robosym.drawing.charts import Plot
from robosym.drawing.draw import page_of_motion
from robosym.dynamics import energy
from robosym.errors import FormatError, GiveValue, InputError
from robosym.files import write_text
from robosym.mechanism import Robot
from robosym.model import Model, flat
from robosym.simulation.motions import DrivingValues, sampled_source
from robosym.simulation.system import System, floating_with_symbols
from robosym.solve import inverse_geometry
from robosym.spatial import Vec3
from robosym.spatial.vectors import rotation_of
from robosym.table_files import write_columns

__all__ = ["Simulation"]


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """A motion: `t` (samples,), `q`, `qd`, `tau` (..., samples, joints), leading axes being trajectories.

    `energy` is the whole of it (..., samples); `drift` how far the loops of a closed robot are open, in metres and
    radians; `events` the times of the events, by name.
    """

    system: System = field(repr=False)
    t: Array
    states: Array = field(repr=False)  #: (..., samples, size)
    sources: Mapping[str, DrivingValues] = field(repr=False)
    applied: Array | None = field(repr=False)  #: torques that were held, where they were
    values: Mapping[str, float] = field(repr=False)
    events: Mapping[str, Array] = field(default_factory=dict)
    reached: NDArray[np.bool_] | None = field(default=None, repr=False)  #: of a cycle: where the motors were enough

    @classmethod
    def of(
        cls, system: System, t: Array, states: Array, leading: tuple[int, ...], sources: Mapping[str, DrivingValues],
        applied: Array | None, values: Mapping[str, float],
    ) -> Simulation:  # fmt: skip
        states = states.reshape(*leading, *states.shape[1:])
        if applied is not None:
            applied = applied.reshape(*leading, *applied.shape[1:])
        return cls(system, t, states, sources, applied, values)

    def __reduce__(self) -> tuple[object, ...]:
        """A pickle holds what drove the motion at its samples, not the functions of the user."""
        sources = {group: source.along(self.t) for group, source in self.sources.items()}
        others = (getattr(self, entry.name) for entry in fields(self)[4:])
        return Simulation, (self.system, self.t, self.states, sources, *others)

    def until(self, end: float) -> Simulation:
        """The samples up to a time."""
        count = int(np.searchsorted(self.t, end, side="right"))
        applied = None if self.applied is None else self.applied[..., :count, :]
        return replace(self, t=self.t[:count], states=self.states[..., :count, :], applied=applied)

    def __repr__(self) -> str:
        several = f", {int(np.prod(self._leading))} trajectories" if self._leading else ""
        return f"<Simulation of {self.system.robot.name}: {self.t[-1]:g} s, {len(self.t)} samples{several}>"

    def __str__(self) -> str:
        """The beginning and the end of each joint, what the motors did, and how well energy and loops were kept."""
        if self._leading:
            return repr(self)[1:-1]
        names = self._names()
        lines = [repr(self)[1:-1], f"{'':12}{'at first':>14}{'at last':>14}"]
        for group, values in (("q", self.q), ("qd", self.qd), ("tau", self.tau)):
            lines += [
                f"{name:12}{a:14.6g}{b:14.6g}" for name, a, b in zip(names[group], values[0], values[-1], strict=True)
            ]
        if not self._by_pose:
            lines.append(f"{'energy, J':12}{self.energy[0]:14.6g}{self.energy[-1]:14.6g}")
        if self.system.loops is not None:
            lines.append(f"loops open by at most {self.drift.max():.1e}")
        return "\n".join(lines)

    # ---------------------------------------------------------------- motion

    @property
    def robot(self) -> Robot:
        """In the numbers that were simulated."""
        return self.system.robot

    def state(self, group: str) -> Array:
        """A group of the state: "q", "qd", "base_pose", "pose", "twist", or what a controller remembers."""
        if group not in self.system.state:
            raise InputError(f"the state holds {', '.join(self.system.state)}, not {group!r}")
        found: Array = self.states[..., self.system.place(group)]
        return found

    @property
    def q(self) -> Array:
        """Joint positions; of a parallel robot the pose of its platform."""
        return self.state(self.system.positions)

    @property
    def qd(self) -> Array:
        """Velocities of the (active) joints; of a parallel robot the twist of its platform."""
        return self.state(self.system.velocities)

    @cached_property
    def rates(self) -> Array:
        """Velocities of all joints of the tree, also of a closed robot."""
        loops = self.system.loops
        return self.qd if loops is None else np.asarray(self._value(loops.rates, {}))

    @cached_property
    def tau(self) -> Array:
        """Torques of the motors, within their limits."""
        if self.applied is not None and self.system.law is None:
            return self.applied
        if self.system.law is None:
            return self._given("tau")
        given = {} if self.applied is None else {"tau": self.applied}
        result = self._value(self.system.law, given)
        groups = self.system.law.outputs
        if len(groups) == 1:
            return np.asarray(result)
        return np.asarray(result.motor if "motor" in groups else result.tau)

    def output(self, group: str) -> Array:
        """An output group of the controller along the motion: the "residual" of an observer, say."""
        law = self.system.law
        if law is None or group not in law.outputs:
            known = "none" if law is None else ", ".join(law.outputs)
            raise InputError(f"the controller has no output {group!r}: expected one of {known}")
        result = self._value(law, {})
        return np.asarray(result if len(law.outputs) == 1 else getattr(result, group))

    @cached_property
    def drift(self) -> Array:
        """How far the loops are open; zero where there are none."""
        loops = self.system.loops
        if loops is None:
            return np.zeros((*self._leading, len(self.t)))
        found: Array = np.sqrt(np.asarray(self._value(loops.closing, {}).gap)[..., 0])
        return found

    def at(self, t: float) -> tuple[Array, Array]:
        """q and qd at any time of the motion, by cubics between the samples."""
        if not self.t[0] <= t <= self.t[-1]:
            raise InputError(f"t: expected a time from {self.t[0]:g} to {self.t[-1]:g} s, found {t!r}")
        k = int(np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.t) - 2))
        h = self.t[k + 1] - self.t[k]
        x = (t - self.t[k]) / h
        (a, b), (c, d) = ((part[..., k, :], part[..., k + 1, :]) for part in (self.q, self.rates_of_q))
        q = (1 + 2 * x) * (1 - x) ** 2 * a + x**2 * (3 - 2 * x) * b + h * (x * (1 - x) ** 2 * c - x**2 * (1 - x) * d)
        qd = (1 - x) * self.qd[..., k, :] + x * self.qd[..., k + 1, :]
        return q, qd

    @cached_property
    def rates_of_q(self) -> Array:
        """The derivative of `q`."""
        if self._by_pose:
            return np.gradient(self.q, self.t, axis=-2) if len(self.t) > 1 else np.zeros_like(self.q)
        return self.rates

    # ---------------------------------------------------------------- energy

    @cached_property
    def _energies(self) -> tuple[Array, Array]:
        """EK, EG, ES and PM, PF, PW (..., samples, 3)."""
        robot = self.robot
        if self._by_pose:
            raise InputError("the energy of a parallel robot: simulate its to_closed()")
        given = {"tau": self.tau, **self._joint_side}
        model = energy(self._described(robot.in_joints()))
        if "gravity" in model.inputs:
            given["gravity"] = self._seen_gravity()
        result = self._value(model, given)
        energies, powers = np.array(result.energy), np.array(result.power)
        if "base_pose" in self.system.state:
            energies[..., 1] += self._weight_of_base()
        return energies, powers

    def _described(self, robot: Robot) -> Robot:
        if "base_pose" not in self.system.state:
            return robot
        return floating_with_symbols(robot)

    def _seen_gravity(self) -> Array:
        pose = self.state("base_pose")
        R = rotation_of(list(np.moveaxis(pose[..., 3:], -1, 0)))
        seen: Any = R.T @ Vec3(*evaluate(self.robot.gravity, {}))
        return np.stack([*seen], axis=-1)

    def _weight_of_base(self) -> Array:
        """- M g . P of the whole, P being where the base is."""
        robot = self.robot
        links = [link for link in (robot.base.link, *robot.links) if link is not None]
        mass = sum(evaluate([link.M for link in links], dict.fromkeys(robot.parameters, 0.0)))
        found: Array = -mass * (self.state("base_pose")[..., :3] @ np.array(evaluate(robot.gravity, {})))
        return found

    @property
    def energy(self) -> Array:
        """Kinetic energy, that of weight and that of springs together (..., samples)."""
        found: Array = self._energies[0].sum(axis=-1)
        return found

    @property
    def kinetic(self) -> Array:
        found: Array = self._energies[0][..., 0]
        return found

    @property
    def potential(self) -> Array:
        """Of weight and springs."""
        found: Array = self._energies[0][..., 1:].sum(axis=-1)
        return found

    @cached_property
    def work(self) -> dict[str, Array]:
        """Since the start: done by the motors, taken by friction, given to the environment (..., samples)."""
        powers = self._energies[1]
        step = np.diff(self.t)[:, None]
        done = np.zeros_like(powers)
        done[..., 1:, :] = np.cumsum((powers[..., 1:, :] + powers[..., :-1, :]) / 2 * step, axis=-2)
        return {name: done[..., k] for k, name in enumerate(("motors", "friction", "environment"))}

    @property
    def balance(self) -> Array:
        """What the energy gained beyond the works: rounding and the error of the method (..., samples)."""
        work = self.work
        found: Array = self.energy - self.energy[..., :1] - (work["motors"] - work["friction"] - work["environment"])
        return found

    # ---------------------------------------------------------------- pages and files

    def plot(self, path: str | Path | None = None) -> Plot:
        """Positions, velocities, torques and energy over time; with a path, written there (.svg or .html)."""
        if self._leading:
            raise InputError("plot: expected one trajectory, found several: take one of them")
        names = self._names()
        panels = {
            "q": (self.q, names["q"]), "qd": (self.qd, names["qd"]), "tau": (self.tau, names["tau"]),
        }  # fmt: skip
        if not self._by_pose:
            parts = np.stack([self.energy, self.kinetic, self.potential], axis=-1)
            panels["energy, J"] = (parts, ("whole", "kinetic", "potential"))
        drawn = Plot(f"{self.robot.name}: simulated motion", self.t, panels)
        if path is not None:
            drawn.write(path)
        return drawn

    def write(self, path: str | Path) -> Path:
        """Columns t, q1 .., qd1 .., tau1 .. as .csv or .npz: a log that `rs.Log` reads."""
        if self._leading:
            raise InputError("write: expected one trajectory, found several: take one of them")
        columns = {"t": self.t, "q": self.q, "qd": self.qd, "tau": self.tau}
        return write_columns(path, columns, (".csv", ".npz"))

    def animate(self, path: str | Path, dark: bool = False) -> Path:
        """A page .html that plays the motion of the robot in space, to be turned by hand; it needs nothing else."""
        if self._leading:
            raise InputError("animate: expected one trajectory, found several: take one of them")
        path = Path(path)
        if path.suffix not in (".html", ".htm"):
            raise FormatError(f"expected .html, found {path.suffix or 'no extension'}", str(path))
        robot, positions = self._drawn()
        title = f"{self.robot.name}, {self.t[-1]:g} s"
        write_text(path, page_of_motion(robot, self.t, positions, self._bases(), title, dark))
        return path

    def _drawn(self) -> tuple[Robot, Any]:
        """The robot that is drawn, and its joints at each sample."""
        robot = self.robot
        if not self._by_pose:
            return robot.in_joints(), self._joint_side.get("q", self.q)
        closed = robot.to_closed()
        wanted = {closed.variable(j) for j in closed.tree_joints}
        model: Any = inverse_geometry(robot)
        result = replace(model, domain=None).compile()(pose=np.ascontiguousarray(self.q))  # drawn with their drift
        columns = {}
        for group in model.outputs:
            for k, name in enumerate(flat(model.outputs[group])):
                columns[robot.variable(int(name.removeprefix("Q")))] = getattr(result, group)[:, k]
        known = {name: values for name, values in columns.items() if name in wanted}
        return robot, [{name: float(v[k]) for name, v in known.items()} for k in range(len(self.t))]

    @cached_property
    def _joint_side(self) -> dict[str, Array]:
        """Motion and torques of the joints behind a transmission; nothing where the motion is that of the joints."""
        transmission = self.robot.transmission
        if transmission is None:
            return {}
        entries = np.array(evaluate([value for _, value in transmission.entries()], {}))
        joints = len(transmission.q0)
        K, q0 = entries[:-joints].reshape(joints, -1), entries[-joints:]
        return {"q": self.q @ K.T + q0, "qd": self.qd @ K.T, "tau": self.tau @ np.linalg.pinv(K)}

    def _bases(self) -> Array | None:
        """Poses of a floating base, 4x4."""
        if "base_pose" not in self.system.state:
            return None
        pose = self.state("base_pose")
        bases = np.tile(np.eye(4), (len(self.t), 1, 1))
        R = rotation_of(list(np.moveaxis(pose[:, 3:], -1, 0)))
        bases[:, :3, :3] = np.stack([np.stack([*row], axis=-1) for row in R.rows], axis=1)
        bases[:, :3, 3] = pose[:, :3]
        return bases

    def trajectory(self, *place: int) -> Simulation:
        """One of several."""
        if len(place) != len(self._leading):
            raise InputError(f"expected {len(self._leading)} numbers for trajectories {self._leading}, found {place}")
        sources = {name: self._source_of(source, place) for name, source in self.sources.items()}
        applied = None if self.applied is None else self.applied[place]
        return replace(self, states=self.states[place], applied=applied, sources=sources)

    def _source_of(self, source: DrivingValues, place: tuple[int, ...]) -> DrivingValues:
        """What drove one trajectory."""
        table = source.table(self.t)
        if len(table) == 1:
            return source
        rows = table.reshape(*self._leading, *table.shape[1:])[place]
        if len(rows) == 1:
            return DrivingValues(source.name, source.size, None, rows[0])
        return sampled_source(source.name, self.t, rows)

    # ---------------------------------------------------------------- inside

    @property
    def _leading(self) -> tuple[int, ...]:
        return self.states.shape[:-2]

    @property
    def _by_pose(self) -> bool:
        """Whether the state is that of a platform."""
        return self.system.positions == "pose"

    def _names(self) -> dict[str, tuple[str, ...]]:
        inputs = self.system.flow.inputs
        motors = inputs.get("tau") or tuple(f"GAM{k}" for k in range(1, self.tau.shape[-1] + 1))
        return {"q": inputs[self.system.positions], "qd": inputs[self.system.velocities], "tau": motors}

    def _given(self, group: str) -> Array:
        """What drove the motion, at the samples."""
        table = self.sources[group].table(self.t)
        blocks, rows, size = table.shape
        shape = (*(self._leading if blocks > 1 else ()), rows, size)
        return np.broadcast_to(table.reshape(shape), (*self._leading, len(self.t), size))

    def _value(self, model: Model, given: Mapping[str, Array]) -> Any:
        """A model along the motion: of the state, of what drove it, or of what is `given`."""
        groups: dict[str, Array] = {}
        for group, names in model.inputs.items():
            if group in given:
                groups[group] = given[group]
            elif group in self.system.state:
                groups[group] = self.state(group)
            elif group == "parameters":
                groups[group] = self._parameters(names)
            elif group in self.sources:
                groups[group] = self._given(group)
            else:
                groups[group] = np.zeros(len(names))
        return model.compile()(**{name: np.ascontiguousarray(value) for name, value in groups.items()})

    def _parameters(self, names: tuple[str, ...]) -> Array:
        varied = self.system.flow.inputs.get("varied", ())
        missing = [name for name in names if name not in varied and name not in self.values]
        if missing:  # without effect on the motion
            raise InputError(
                f"no value is given for {', '.join(missing[:8])}", hint=[GiveValue(missing[0])], code="E404"
            )
        columns = []
        for name in names:
            if name in varied:
                columns.append(self._given("varied")[..., varied.index(name)])
            else:
                columns.append(np.asarray(self.values[name]))
        return np.stack(np.broadcast_arrays(*columns), axis=-1)
