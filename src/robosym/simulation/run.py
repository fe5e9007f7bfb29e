"""Result of a simulation: the motion, and quantities computed from it on demand."""

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
from robosym.algebra.quadrature import running_integral
from robosym.drawing.axes import joint_units
from robosym.drawing.charts import Plot
from robosym.drawing.draw import page_of_motion
from robosym.drawing.moving_picture import MOVING, write_moving_picture
from robosym.dynamics import energy
from robosym.errors import FormatError, InputError, counted, missing_values
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
    """Simulated motion; leading axes of its arrays are trajectories.

    Attributes
    ----------
    t : ndarray, shape (samples,)
        Times in s.
    q, qd, tau : ndarray, shape (..., samples, joints)
        Positions, velocities and motor torques, in rad or m, s, N m or N.
    energy : ndarray, shape (..., samples)
        Total energy in J.
    drift : ndarray
        Gaps of the loops of a closed robot, in m and rad.
    events : mapping of str to ndarray
        Times of the events in s, by name.
    reached : ndarray of bool or None
        For `method="cycle"`: where the motors were sufficient.

    Examples
    --------
    >>> import robosym as rs
    >>> run = rs.simulate(rs.load("planar2r"), [0.5, 0.0], until=1.0)
    >>> q, qd = run.at(0.5)
    >>> q.shape
    (2,)
    """

    system: System = field(repr=False)
    t: Array
    states: Array = field(repr=False)  #: (..., samples, size)
    sources: Mapping[str, DrivingValues] = field(repr=False)
    applied: Array | None = field(repr=False)  #: torques of a sampled controller, or those of a given motion
    values: Mapping[str, float] = field(repr=False)
    events: Mapping[str, Array] = field(default_factory=dict)
    reached: NDArray[np.bool_] | None = field(default=None, repr=False)
    stepwise: bool = field(default=True, repr=False)  #: whether the applied torques are constant between samples

    @classmethod
    def of(
        cls, system: System, t: Array, states: Array, leading: tuple[int, ...], sources: Mapping[str, DrivingValues],
        applied: Array | None, values: Mapping[str, float],
    ) -> Simulation:  # fmt: skip
        """Create the result from integrated states.

        Parameters
        ----------
        system : System
            Integrated system.
        t : ndarray, shape (samples,)
            Times in s.
        states : ndarray, shape (batch, samples, size)
            States at these times.
        leading : tuple of int
            Leading axes that the batch replaces.
        sources : mapping of str to DrivingValues
            Inputs over time.
        applied : ndarray or None
            Torques of a sampled controller, or those of a given motion.
        values : mapping of str to float
            Values of symbols.

        Returns
        -------
        Simulation
            The result.
        """
        states = states.reshape(*leading, *states.shape[1:])
        if applied is not None:
            applied = applied.reshape(*leading, *applied.shape[1:])
        return cls(system, t, states, sources, applied, values)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the inputs at the samples instead of the functions of the user."""
        sources = {group: source.along(self.t) for group, source in self.sources.items()}
        others = (getattr(self, entry.name) for entry in fields(self)[4:])
        return Simulation, (self.system, self.t, self.states, sources, *others)

    def until(self, end: float) -> Simulation:
        """Return the samples up to a time.

        Parameters
        ----------
        end : float
            Time in s.

        Returns
        -------
        Simulation
            The first part of the motion.
        """
        count = int(np.searchsorted(self.t, end, side="right"))
        applied = None if self.applied is None else self.applied[..., :count, :]
        return replace(self, t=self.t[:count], states=self.states[..., :count, :], applied=applied)

    def __repr__(self) -> str:
        several = f", {int(np.prod(self._leading))} trajectories" if self._leading else ""
        return f"<Simulation of {self.system.robot.name}: {self.t[-1]:g} s, {counted(len(self.t), 'sample')}{several}>"

    def __str__(self) -> str:
        """Return the initial and final value of each joint, the work, and the errors of energy and loops."""
        if self._leading:
            return repr(self)[1:-1]
        names = self._names()
        lines = [repr(self)[1:-1], f"{'':12}{'initial':>14}{'final':>14}"]
        for group, values in (("q", self.q), ("qd", self.qd), ("tau", self.tau)):
            lines += [
                f"{name:12}{a:14.6g}{b:14.6g}" for name, a, b in zip(names[group], values[0], values[-1], strict=True)
            ]
        if not self._by_pose:
            lines.append(f"{'energy, J':12}{self.energy[0]:14.6g}{self.energy[-1]:14.6g}")
        if self.system.loops is not None:
            lines.append(f"largest gap of the loops {self.drift.max():.1e}")
        return "\n".join(lines)

    # ---------------------------------------------------------------- motion

    @property
    def robot(self) -> Robot:
        """Robot with the simulated numbers."""
        return self.system.robot

    def state(self, group: str) -> Array:
        """Return a group of the state.

        Parameters
        ----------
        group : str
            "q", "qd", "base_pose", "pose", "twist", or an internal state of the controller.

        Returns
        -------
        ndarray, shape (..., samples, size)
            Values over time.

        Raises
        ------
        InputError
            If the state has no such group.
        """
        if group not in self.system.state:
            raise InputError(f"group: expected one of {', '.join(self.system.state)}, found {group!r}")
        found: Array = self.states[..., self.system.place(group)]
        return found

    @property
    def q(self) -> Array:
        """Joint positions; for a parallel robot, the pose of its platform."""
        return self.state(self.system.positions)

    @property
    def qd(self) -> Array:
        """Velocities of the (active) joints; for a parallel robot, the twist of its platform."""
        return self.state(self.system.velocities)

    @cached_property
    def rates(self) -> Array:
        """Velocities of all tree joints, also for a closed robot."""
        loops = self.system.loops
        return self.qd if loops is None else np.asarray(self._value(loops.rates, {}))

    @cached_property
    def tau(self) -> Array:
        """Motor torques after limitation."""
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
        """Return an output group of the controller along the motion.

        Parameters
        ----------
        group : str
            Output group, for example the "residual" of an observer.

        Returns
        -------
        ndarray, shape (..., samples, size)
            Values over time.

        Raises
        ------
        InputError
            If the controller has no such output.
        """
        law = self.system.law
        if law is None or group not in law.outputs:
            known = "" if law is None else f", one of {', '.join(law.outputs)}"
            where = " in a simulation without a controller" if law is None else ""
            raise InputError(f"group: expected an output of the controller{known}, found {group!r}{where}")
        result = self._value(law, {})
        return np.asarray(result if len(law.outputs) == 1 else getattr(result, group))

    @cached_property
    def drift(self) -> Array:
        """Gaps of the loops; zero for robots without loops."""
        loops = self.system.loops
        if loops is None:
            return np.zeros((*self._leading, len(self.t)))
        found: Array = np.sqrt(np.asarray(self._value(loops.closing, {}).gap)[..., 0])
        return found

    def at(self, t: float) -> tuple[Array, Array]:
        """Return q and qd at any time, by cubic interpolation between samples.

        Parameters
        ----------
        t : float
            Time in s within the motion.

        Returns
        -------
        tuple of ndarray
            Positions and velocities.

        Raises
        ------
        InputError
            If the time is outside the motion.
        """
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
        """Time derivative of `q`."""
        if self._by_pose:
            return np.gradient(self.q, self.t, axis=-2) if len(self.t) > 1 else np.zeros_like(self.q)
        return self.rates

    # ---------------------------------------------------------------- energy

    @cached_property
    def _energies(self) -> tuple[Array, Array]:
        """Energies EK, EG, ES and powers PM, PF, PW, each of shape (..., samples, 3)."""
        return self._energies_of(0)

    def _energies_of(self, before: int) -> tuple[Array, Array]:
        """Return the energies and powers, with the motor torques of a number of samples before."""
        robot = self.robot
        if self._by_pose:
            raise InputError(
                "energy: expected a robot in joint coordinates, found a platform: simulate robot.to_closed()"
            )
        if robot.contacts:  # their forces do no work, and joints without a motor have no torque
            model = energy(self._described(robot.with_contacts()), passive="free")
        else:
            model = energy(self._described(robot.in_joints()))
        given = {**({"tau": self.tau} if "tau" in model.inputs else {}), **self._joint_side}
        if before and "tau" in given:
            place = np.maximum(np.arange(len(self.t)) - before, 0)
            given["tau"] = given["tau"][..., place, :]
        if "gravity" in model.inputs:
            given["gravity"] = self._gravity_in_base()
        result = self._value(model, given)
        energies, powers = np.array(result.energy), np.array(result.power)
        if "bristles" in self.system.state:
            powers[..., 1] += self._power_of_bristles()
        if "base_pose" in self.system.state:
            energies[..., 1] += self._weight_of_base()
        return energies, powers

    def _power_of_bristles(self) -> Array:
        """Return the power of LuGre friction, including the power that the bristles store."""
        assert self.system.law is not None
        given = {} if self.applied is None else {"tau": self.applied}
        force = np.asarray(self._value(self.system.law, given).friction)
        joints = [int(name.removeprefix("Z")) for name in self.system.flow.inputs["bristles"]]
        rates = self.system.flow.inputs["qd"]
        place = [rates.index(str(self.robot.joint(j).QP.name)) for j in joints]
        return np.asarray((force * self.qd[..., place]).sum(axis=-1))

    def _described(self, robot: Robot) -> Robot:
        if "base_pose" not in self.system.state:
            return robot
        return floating_with_symbols(robot)

    def _gravity_in_base(self) -> Array:
        pose = self.state("base_pose")
        R = rotation_of(list(np.moveaxis(pose[..., 3:], -1, 0)))
        seen: Any = R.T @ Vec3(*evaluate(self.robot.gravity, {}))
        return np.stack([*seen], axis=-1)

    def _weight_of_base(self) -> Array:
        """Return the potential energy - M g . P of the whole robot, where P is the position of the base."""
        robot = self.robot
        mass = sum(evaluate([link.M for link in robot.all_links], dict.fromkeys(robot.parameters, 0.0)))
        found: Array = -mass * (self.state("base_pose")[..., :3] @ np.array(evaluate(robot.gravity, {})))
        return found

    @property
    def energy(self) -> Array:
        """Sum of kinetic energy and potential energy of gravity and springs in J, shape (..., samples)."""
        found: Array = self._energies[0].sum(axis=-1)
        return found

    @property
    def kinetic(self) -> Array:
        """Kinetic energy in J, shape (..., samples)."""
        found: Array = self._energies[0][..., 0]
        return found

    @property
    def potential(self) -> Array:
        """Potential energy of gravity and springs in J, shape (..., samples)."""
        found: Array = self._energies[0][..., 1:].sum(axis=-1)
        return found

    @cached_property
    def work(self) -> dict[str, Array]:
        """Work since the start in J by the motors, by friction and on the environment, each of shape (..., samples).

        It is the integral of polynomials through the powers of six samples; of a sampled controller, whose torques are
        constant between samples, the trapezoidal rule.
        """
        powers = self._energies[1]
        if self.applied is None or not self.stepwise:
            done = running_integral(powers, self.t)
        else:
            ended = self._energies_of(1)[1]
            done = np.zeros_like(powers)
            step = np.diff(self.t)[:, None]
            done[..., 1:, :] = np.cumsum((ended[..., 1:, :] + powers[..., :-1, :]) / 2 * step, axis=-2)
        return {name: done[..., k] for k, name in enumerate(("motors", "friction", "environment"))}

    @property
    def balance(self) -> Array:
        """Gain of energy minus work in J: rounding and integration errors, shape (..., samples)."""
        work = self.work
        found: Array = self.energy - self.energy[..., :1] - (work["motors"] - work["friction"] - work["environment"])
        return found

    # ---------------------------------------------------------------- pages and files

    def plot(self, path: str | Path | None = None) -> Plot:
        """Plot positions, velocities, torques and energy over time.

        Parameters
        ----------
        path : str or Path, optional
            File to write (.svg, .png or .html).

        Returns
        -------
        Plot
            The plot, which notebooks display.

        Raises
        ------
        InputError
            If the simulation has several trajectories.
        """
        if self._leading:
            raise InputError("plot: expected one trajectory, found several: use trajectory(number)")
        names = self._names()
        panels = {
            "positions": (self.q, names["q"]), "velocities": (self.qd, names["qd"]),
            "torques and forces of the motors": (self.tau, names["tau"]),
        }  # fmt: skip
        if not self._by_pose:
            parts = np.stack([self.energy, self.kinetic, self.potential], axis=-1)
            panels["energy"] = (parts, ("whole", "kinetic", "potential"))
        slides = (self.robot.frame(j).joint_type.only_slides for j in self.robot.tree_joints)
        position, velocity, _, effort = joint_units((False, True) if self._by_pose else slides)
        units = dict(zip(panels, (position, velocity, effort, "J"), strict=False))
        drawn = Plot(f"{self.robot.name}: simulated motion", self.t, panels, units)
        if path is not None:
            drawn.write(path)
        return drawn

    def write(self, path: str | Path) -> Path:
        """Write columns t, q1 .., qd1 .., tau1 .. to a file that `rs.Log` reads.

        Parameters
        ----------
        path : str or Path
            File to write (.csv or .npz).

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            If the simulation has several trajectories.
        """
        if self._leading:
            raise InputError("write: expected one trajectory, found several: use trajectory(number)")
        columns = {"t": self.t, "q": self.q, "qd": self.qd, "tau": self.tau}
        return write_columns(path, columns, (".csv", ".npz"))

    def animate(self, path: str | Path, dark: bool = False) -> Path:
        """Write an animation: a self-contained HTML page in 3D, or a GIF or animated PNG.

        Parameters
        ----------
        path : str or Path
            File to write: .html, or .gif and .png, which require Pillow (`pip install robosym[png]`).
        dark : bool
            Use a dark background.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            If the simulation has several trajectories.
        FormatError
            If the extension is not supported.
        """
        if self._leading:
            raise InputError("animate: expected one trajectory, found several: use trajectory(number)")
        path = Path(path)
        if path.suffix not in (".html", ".htm", *MOVING):
            raise FormatError(f"expected .html, .gif or .png, found {path.suffix or 'no extension'}", str(path))
        robot, positions = self._drawn()
        if path.suffix in MOVING:
            write_moving_picture(path, robot, self.t, positions, self._bases(), dark)
            return path
        title = f"{self.robot.name}, {self.t[-1]:g} s"
        write_text(path, page_of_motion(robot, self.t, positions, self._bases(), title, dark))
        return path

    def _drawn(self) -> tuple[Robot, Any]:
        """Return the robot to draw and its joint positions at each sample."""
        robot = self.robot
        if not self._by_pose:
            return robot.in_joints(), self._joint_side.get("q", self.q)
        closed = robot.to_closed()
        wanted = {closed.variable(j) for j in closed.tree_joints}
        model: Any = inverse_geometry(robot)
        result = replace(model, domain=None).compile()(pose=np.ascontiguousarray(self.q))  # the drift remains visible
        columns = {}
        for group in model.outputs:
            for k, name in enumerate(flat(model.outputs[group])):
                columns[robot.variable(int(name.removeprefix("Q")))] = getattr(result, group)[:, k]
        known = {name: values for name, values in columns.items() if name in wanted}
        return robot, [{name: float(v[k]) for name, v in known.items()} for k in range(len(self.t))]

    @cached_property
    def _joint_side(self) -> dict[str, Array]:
        """Motion and torques of the joints behind a transmission; empty for other robots."""
        transmission = self.robot.transmission
        if transmission is None:
            return {}
        entries = np.array(evaluate([value for _, value in transmission.entries()], {}))
        joints = len(transmission.q0)
        K, q0 = entries[:-joints].reshape(joints, -1), entries[-joints:]
        return {"q": self.q @ K.T + q0, "qd": self.qd @ K.T, "tau": self.tau @ np.linalg.pinv(K)}

    def _bases(self) -> Array | None:
        """Return the poses of a floating base as 4x4 matrices."""
        if "base_pose" not in self.system.state:
            return None
        pose = self.state("base_pose")
        bases = np.tile(np.eye(4), (len(self.t), 1, 1))
        R = rotation_of(list(np.moveaxis(pose[:, 3:], -1, 0)))
        bases[:, :3, :3] = np.stack([np.stack([*row], axis=-1) for row in R.rows], axis=1)
        bases[:, :3, 3] = pose[:, :3]
        return bases

    def trajectory(self, *place: int) -> Simulation:
        """Return one of several trajectories.

        Parameters
        ----------
        *place : int
            Index along each leading axis.

        Returns
        -------
        Simulation
            One trajectory.

        Raises
        ------
        InputError
            If the number of indices is wrong.
        """
        if len(place) != len(self._leading):
            raise InputError(
                f"place: expected {len(self._leading)} indices into trajectories of shape {self._leading}, found "
                f"{place}"
            )
        sources = {name: self._source_of(source, place) for name, source in self.sources.items()}
        applied = None if self.applied is None else self.applied[place]
        return replace(self, states=self.states[place], applied=applied, sources=sources)

    def _source_of(self, source: DrivingValues, place: tuple[int, ...]) -> DrivingValues:
        """Return the inputs of one trajectory."""
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
        """Return an input group at the samples."""
        table = self.sources[group].table(self.t)
        blocks, rows, size = table.shape
        shape = (*(self._leading if blocks > 1 else ()), rows, size)
        return np.broadcast_to(table.reshape(shape), (*self._leading, len(self.t), size))

    def _value(self, model: Model, given: Mapping[str, Array]) -> Any:
        """Evaluate a model along the motion, from the state, the inputs, or the values in `given`."""
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
        if missing:  # these have no effect on the motion
            raise missing_values(missing)
        columns = []
        for name in names:
            if name in varied:
                columns.append(self._given("varied")[..., varied.index(name)])
            else:
                columns.append(np.asarray(self.values[name]))
        return np.stack(np.broadcast_arrays(*columns), axis=-1)
