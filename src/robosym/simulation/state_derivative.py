"""The motion of a robot as x' = f(x, tau): one model for optimal control, control design and other integrators."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

from robosym.algebra import Graph
from robosym.algebra.interpret import substitute
from robosym.coordinates.accepts import ALL, accepts
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.model import Model, flat
from robosym.model.groups import declare
from robosym.model.optional import library
from robosym.simulation.hardware import Hardware, with_friction
from robosym.simulation.system import System, system_of, upright

__all__ = ["StateModel", "state_derivative"]


@dataclass(frozen=True, eq=False, repr=False)
class StateModel(Model):
    """Model of x' = f(x, tau), returned by `state_derivative`.

    Attributes
    ----------
    state : tuple of (str, tuple of str)
        Groups of the state with the names of their entries, in the order of x.
    """

    state: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def to_acados(self, path: str | Path | None = None) -> Any:
        """Return the dynamics for acados, whose integrators and solvers receive exact derivatives.

        Parameters
        ----------
        path : str or Path, optional
            Shared library to write, such as libarm.so, with compiled C of the model and of its exact first and second
            derivatives. acados links it if `ocp.code_gen_options.model_external_shared_lib_dir` is its folder and
            `model_external_shared_lib_name` its name without lib and extension. Default: a CasADi expression, from
            which acados generates C.

        Returns
        -------
        AcadosModel
            With name, x, xdot, u, p, f_expl_expr and f_impl_expr; a plain namespace of these where the Python package
            of acados is not installed.

        Raises
        ------
        InputError
            If CasADi or a C compiler is not installed, or the name of the library does not begin with lib.
        """
        casadi = library("casadi", "casadi")
        if path is not None and not Path(path).name.startswith("lib"):
            raise InputError(f"path: expected a library whose name begins with lib, found {Path(path).name!r}")
        function, symbol = self.to_casadi(path), casadi.SX.sym if path is None else casadi.MX.sym
        others = {group: len(names) for group, names in self.inputs.items() if group not in ("x", "tau")}
        found = import_module("acados_template").AcadosModel() if find_spec("acados_template") else SimpleNamespace()
        found.name = function.name()
        found.x, rate = (symbol(name, len(self.inputs["x"])) for name in ("x", "xdot"))
        found.u = symbol("u", len(self.inputs.get("tau", ())))
        found.p = symbol("p", sum(others.values()))
        found.xdot, given, start = rate, {"x": found.x, "tau": found.u}, 0
        for group, size in others.items():
            given[group] = found.p[start : start + size]
            start += size
        found.f_expl_expr = function(*(given[group] for group in self.inputs))
        found.f_impl_expr = rate - found.f_expl_expr
        return found

    def to_control(self) -> Any:
        """Return the dynamics as a `control.NonlinearIOSystem` of python-control.

        Returns
        -------
        control.NonlinearIOSystem
            System with the states x and the inputs tau, then those of other groups; its outputs are the states.

        Raises
        ------
        InputError
            If python-control is not installed.
        """
        control = library("control", "control")
        compiled, groups = self.compile(), {group: names for group, names in self.inputs.items() if group != "x"}

        def rates(_t: float, x: Any, u: Any, _parameters: Any) -> Any:
            given, start = {"x": x}, 0
            for group, names in groups.items():
                given[group] = u[start : start + len(names)]
                start += len(names)
            return compiled(**given)

        inputs = [name for names in groups.values() for name in names]
        states = list(self.inputs["x"])
        return control.NonlinearIOSystem(
            rates, None, inputs=inputs, outputs=states, states=states, name=f"{self.name}_{self.kind}"
        )


def _with_loops(robot: Robot, **given: Any) -> StateModel:
    """Return the model of modules in series in joint coordinates."""
    found: StateModel = state_derivative(robot.to_closed(), **given)
    return found


@accepts("floating", motors=ALL, platform=ALL, modules=ALL, variants={"modules": _with_loops}, contacts=ALL)
def state_derivative(
    robot: Robot, friction: Literal["smooth", "sign"] = "smooth", smooth: float = 0.01, stabilization: float = 100.0
) -> StateModel:
    """Return the motion of a robot as one model x' = f(x, tau), which `simulate` integrates.

    Parameters
    ----------
    robot : Robot
        Robot of any kind, on any base, also in contact with the ground; a library name or a path is accepted too.
    friction : {"smooth", "sign"}, optional
        Coulomb friction that changes its sign continuously within a speed (differentiable), or at once.
    smooth : float, optional
        Speed in rad/s or m/s within which smooth friction changes its sign.
    stabilization : float, optional
        Rate in 1/s at which errors of loops, quaternions and rotation matrices vanish.

    Returns
    -------
    StateModel
        Output "xdot". Inputs "x": positions, then velocities (`state` lists the groups: a floating base adds its pose
        before and its velocity after the positions of the joints); "tau": motor torques; "parameters": symbols.
        `derivative("x", "tau")` gives the exact A and B, `to_casadi`, `to_acados` and `to_control` other programs.

    Raises
    ------
    InputError
        If the robot is not supported or an argument is invalid.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.state_derivative("planar2r")
    >>> model.compile()(x=[0.1, 0.2, 0.5, -1], tau=[0, 0]).round(3).tolist()
    [0.5, -1.0, -12.548, 16.864]
    """
    if friction not in ("smooth", "sign"):
        raise InputError(f"friction: expected 'smooth' or 'sign', found {friction!r}")
    if not (isinstance(stabilization, (int, float)) and 0 <= stabilization < float("inf")):
        raise InputError(f"stabilization: expected a rate of 0 or more in 1/s, found {stabilization!r}")
    robot, _, _ = with_friction(upright(robot), friction, smooth, False)
    system = system_of(robot, float(stabilization), False, None, Hardware(), False, robot.parameters, {})
    return _model(robot, system)


def _model(robot: Robot, system: System) -> StateModel:
    """Return the derivative of the state with all groups of the state as one."""
    flow, graph = system.flow, Graph()
    state = tuple((group, flow.inputs[group]) for group in system.state)
    inputs = {"x": tuple(name for _, names in state for name in names)}
    inputs |= {"parameters" if group == "varied" else group: flow.inputs[group] for group in system.driven}
    declare(graph, inputs)
    names = tuple(f"XP{k}" for k in range(1, len(inputs["x"]) + 1))
    symbols = {name: graph.symbol(name) for group in inputs.values() for name in group}  # parameters are offline
    rates = substitute([flow.definitions[name] for name in flat(flow.outputs["rate"])], graph, symbols)
    about = {
        "in x": f"state: {', '.join(group for group, _ in state)} (SI)", "in tau": "motor torques and forces (N m, N)",
        "xdot": "derivative of the state (SI)",
    }  # fmt: skip
    return StateModel(
        robot.name, "sta", "Derivative of the state: direct dynamic model", inputs, {"xdot": names},
        dict(zip(names, rates, strict=True)), graph, robot, about=about, state=state,
    )  # fmt: skip
