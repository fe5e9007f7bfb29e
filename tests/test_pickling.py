"""Objects that public functions return can be pickled and copied, before and after use."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import robosym as rs


def solved(inverse: Any, parameters: Any = None) -> Any:
    """Solve reachable poses until `solve` runs machine code."""
    robot = inverse.robot
    values = {} if parameters is None else dict(parameters)
    rng = np.random.default_rng(1)
    f = rs.direct_geometry(robot, 0, robot.NF).compile()
    names = f.inputs.get("parameters", ())
    given = {"parameters": [values[name] for name in names]} if names else {}
    poses = f(q=rng.uniform(-1, 1, (40, len(robot.tree_joints))), **given).reshape(-1, 4, 4)
    return np.concatenate([inverse.solve(T, values) for T in poses])


def simulated(torque: Any = None) -> Any:
    return rs.simulate(rs.load("planar2r"), q=[0.2, 0.1], until=0.02, step=0.01, torque=torque)


def estimated() -> Any:
    t = np.linspace(0, 2, 400)
    q = np.stack([np.sin(3 * t), np.cos(2 * t) * np.sin(5 * t)], axis=1)
    return rs.identify(rs.load("planar2r"), rs.Log(t=t, q=q, tau=np.stack([np.sin(t), np.cos(t)], axis=1)))


RX90 = {"D3": 0.45, "RL4": 0.45}

#: how an object is created, and a function for comparing copies
CASES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "Robot": (lambda: rs.load("rx90"), lambda o: o.dumps("yaml")),
    "Robot with loops": (lambda: rs.load("sr400"), lambda o: o.dumps("yaml")),
    "Robot with a platform": (lambda: rs.load("gough"), lambda o: o.dumps("yaml")),
    "Robot of modules": (lambda: rs.load("tricept_wrist"), lambda o: o.dumps("yaml")),
    "Robot with a transmission": (
        lambda: rs.load("planar2r").with_transmission([[1, 0], [1, 1]]), lambda o: rs.inverse_dynamics(o).code("c")
    ),
    "Model": (lambda: rs.inverse_dynamics(rs.load("planar2r")), lambda o: o.code("c")),
    "Compiled": (lambda: rs.gravity_torques(rs.load("planar2r")).compile(), lambda o: o(q=[1, 2])),
    "Jacobian": (lambda: rs.jacobian(rs.load("planar2r"), 3), lambda o: o.code("c")),
    "GeometricParameters": (lambda: rs.geometric_parameters("planar2r"), lambda o: str(o)),
    "BaseParameters": (lambda: rs.base_parameters(rs.load("scara")), lambda o: str(o.names)),
    "InverseGeometry, Paul": (lambda: rs.inverse_geometry(rs.load("rx90")), lambda o: solved(o, RX90)),
    "InverseGeometry, general": (
        lambda: rs.inverse_geometry(rs.load("tx90"), method="general"), lambda o: solved(o)
    ),
    "inverse geometry of a platform": (lambda: rs.inverse_geometry(rs.load("gough")), repr),
    "direct geometry of a platform": (lambda: rs.direct_geometry(rs.load("gough")), repr),
    "LoopGeometry": (lambda: rs.loop_geometry(rs.load("sr400")), lambda o: o.explain()),
    "LoopKinematics": (lambda: rs.loop_kinematics(rs.load("sr400")), repr),
    "Simulation": (simulated, lambda o: [o.q, o.tau]),
    "Simulation of a function": (lambda: simulated(lambda t: [np.sin(t), t]), lambda o: [o.q, o.tau]),
    "Estimate": (estimated, lambda o: o.values),
    "Study": (lambda: rs.study(np.linalg.norm, np.eye(3)), lambda o: o.values),
    "Friction": (lambda: rs.Friction(stribeck=0.1, terms={"FC": "sin(q)"}), repr),
    "Log": (lambda: rs.Log(t=np.arange(40) / 100, q=np.zeros((40, 2)), tau=np.zeros((40, 2))), lambda o: o.q),
}  # fmt: skip


@pytest.mark.parametrize("used", [False, True], ids=["new", "used"])
@pytest.mark.parametrize("name", CASES)
def test_can_be_pickled_and_copied(name: str, used: bool) -> None:
    make, ask = CASES[name]
    one = make()
    expected = ask(one) if used else ask(make())
    for again in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
        found = ask(again)
        if isinstance(expected, str):
            assert found == expected
        else:  # machine code rounds differently from NumPy
            np.testing.assert_allclose(np.asarray(found), np.asarray(expected), atol=1e-12)


@pytest.mark.parametrize("name", ["frame_names", "position", "picture", "couplings"])
def test_mappings_of_a_robot_cannot_be_changed(name: str) -> None:
    robot = rs.load("sr400")
    mapping: Any = getattr(robot, name)
    before = dict(mapping)
    for change in (
        lambda: mapping.update(x=1), lambda: mapping.setdefault("x", 1), lambda: mapping.pop("x", 1), mapping.clear,
        lambda: mapping.__setitem__("x", 1), lambda: mapping.__delitem__("x"), lambda: mapping.__ior__({"x": 1}),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="read-only"):
            change()
    assert getattr(robot, name) == before


def test_mappings_of_description_are_immutable() -> None:
    frames = [{"theta": "t1"}, {"theta": "t2", "d": 0.4, "mu": 0}]
    body = {"XX": 1, "YY": 1, "ZZ": 1}
    coupled = rs.robot("coupled", frames=frames, links=[body] * 2, couplings={"t2": "2*t1"})
    mappings: list[Any] = [
        coupled.couplings["t2"].ratios, rs.load("tricept_wrist").position, rs.load("sr400").relations,
        rs.load("delta").followers, rs.Friction(terms={"FC": "sin(q)"}).terms,
    ]  # fmt: skip
    for mapping in mappings:
        with pytest.raises(TypeError, match="read-only"):
            mapping["t1"] = 3.0
    assert pickle.loads(pickle.dumps(coupled)) == copy.deepcopy(coupled) == coupled


def test_friction_rejects_text() -> None:
    with pytest.raises(
        rs.InputError, match=r"viscous: expected True or False, found 'stribeck'; for text use Friction\.of"
    ):
        rs.Friction("stribeck")  # type: ignore[arg-type]


def test_user_mappings_are_copied() -> None:
    position = {"t1": 0.5}
    robot = rs.load("planar2r").edit(position=position)
    position["t1"] = 2.0
    assert robot.position == {"t1": 0.5}


def test_trajectory_of_several_has_own_torques() -> None:
    torques = np.random.default_rng(3).normal(size=(3, 5, 2))
    several = rs.simulate(rs.load("planar2r"), q=np.zeros((3, 2)), until=0.04, step=0.01, torque=torques)
    for k in range(3):
        np.testing.assert_array_equal(several.trajectory(k).tau, torques[k])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(several.trajectory(k))).tau, torques[k])
