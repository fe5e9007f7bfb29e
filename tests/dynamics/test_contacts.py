"""Feet and wheels on the ground against Pinocchio with rows by NumPy, the unicycle in closed form, and balances."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import robosym as rs
from cases.floating import humanoid, quadruped, tree
from cases.library import ON_THE_GROUND
from evaluation import agree
from oracles.contacts import Grounded
from oracles.regressor import Regressor, rank
from robosym.algebra import evaluate

Array = np.ndarray
BODY = {"M": 10.0, "XX": 0.2, "YY": 0.3, "ZZ": 0.4, "MX": 0.5, "MZ": 0.3}
WHEEL = {"M": 1.0, "XX": 0.005, "YY": 0.005, "ZZ": 0.01}


def standing(feet: str = "1234") -> rs.Robot:
    """Return a quadruped with some of its feet on the ground."""
    points = [{"frame": 3 * int(k), "type": "point", "at": [0.2, 0, 0.01], "name": f"foot{k}"} for k in "1234"]
    return quadruped().with_contacts(*points).with_contacts(*(f"foot{k}" for k in feet))


def biped(feet: tuple[int, ...] = (6, 12)) -> rs.Robot:
    return humanoid().with_contacts(*({"frame": j, "type": "plane", "at": [0.0, 0.05, 0.02]} for j in feet))


def cart() -> rs.Robot:
    """Return a floating body on two driven wheels and an omnidirectional wheel."""
    frames = [
        {"ant": 0, "alpha": "-Pi/2", "theta": "l", "r": 0.25}, {"ant": 0, "alpha": "-Pi/2", "theta": "m", "r": -0.25},
        {"ant": 0, "d": -0.3, "alpha": "-Pi/2", "theta": "c", "mu": 0, "r": 0.1},
    ]  # fmt: skip
    base = {"type": "floating", "link": BODY}
    robot = rs.robot("cart", frames=frames, links=[WHEEL] * 3, gravity=[0, 0, -9.81], base=base)
    return robot.with_contacts(
        {"frame": 1, "type": "wheel", "radius": 0.1}, {"frame": 2, "type": "wheel", "radius": 0.1},
        {"frame": 3, "type": "roller", "radius": 0.1, "angle": "90deg", "at": [0, 0, 0.02]},
    )  # fmt: skip


def coin() -> rs.Robot:
    """Return a disc with a free axle, which leans and rolls."""
    base = {"type": "floating", "link": {"M": 0.2, "XX": 0.01, "YY": 0.015, "ZZ": 0.01, "MY": 0.01}}
    frames = [{"ant": 0, "alpha": "-Pi/2", "theta": "spin", "mu": 0}]
    robot = rs.robot("coin", frames=frames, links=[WHEEL], gravity=[0, 0, -9.81], base=base)
    return robot.with_contacts({"frame": 1, "type": "wheel", "radius": 0.3})


STATES = {
    "stance": lambda: Grounded(standing()),
    "trot": lambda: Grounded(standing("14"), 1),
    "biped": lambda: Grounded(biped(), 2),
    "one foot": lambda: Grounded(biped((12,)), 3),
    "cart": lambda: Grounded(cart(), 4, upright=True),
    "coin": lambda: Grounded(coin(), 5),
    "base on the ground": lambda: Grounded(
        quadruped().with_contacts({"frame": 0, "type": "point", "at": [0.1, 0, -0.2]}), 6
    ),
    **{name: lambda name=name: Grounded(rs.load(name), 7) for name in ON_THE_GROUND},
}


@pytest.fixture(params=STATES, scope="module")
def state(request: pytest.FixtureRequest) -> Grounded:
    return STATES[request.param]()


def oriented(robot: rs.Robot) -> rs.Robot:
    return robot.with_inputs("orientation") if robot.base.kind == "floating" else robot


def in_columns(state: Grounded, J: Array) -> Array:
    """Return columns of Pinocchio in the order of the models: base (angular, linear), joints."""
    base = [3, 4, 5, 0, 1, 2] if state.floating else []
    joints = np.array([state.oracle.back(row) for row in J])
    return np.hstack([J[:, base], joints])


def test_rows_and_admissible_rates(state: Grounded) -> None:
    model = rs.contact_kinematics(oriented(state.robot))
    found, kept = state.of(model), state.kept
    J = in_columns(state, state.J[kept])
    agree(found.J, J, tolerance=1e-9)
    assert np.abs(found.slip).max() < 1e-12
    assert np.abs(found.drift - state.drift[kept]).max() < 1e-8 * max(1, np.abs(state.drift).max())
    rank = int(np.linalg.matrix_rank(J, tol=1e-8))
    assert model.rank == rank and model.mobility == J.shape[1] - rank
    assert found.S.shape == (J.shape[1], model.mobility) and np.linalg.matrix_rank(found.S) == model.mobility
    assert np.abs(J @ found.S).max() < 1e-9 * np.abs(found.S).max()


def test_direct_dynamics(state: Grounded) -> None:
    a, forces = state.accelerations()
    model = rs.direct_dynamics(oriented(state.robot))
    found = state.of(model)
    scale = np.abs(a).max()
    assert np.abs(found.qdd - state.oracle.back(a)).max() < 1e-7 * scale
    if state.floating:
        assert np.abs(found.base_acceleration - state.base_acceleration(a)).max() < 1e-7 * scale
    J = state.J[state.kept]
    assert np.abs(J.T @ found.contact - state.J.T @ forces).max() < 1e-7 * max(scale, np.abs(forces).max())


def test_inverse_dynamics(state: Grounded) -> None:
    """Torques and forces balance an admissible motion, and the forces are the least that do."""
    a, _ = state.accelerations()
    robot, J = oriented(state.robot), state.J[state.kept]
    without = state.motors(np.ones(len(state.tau))) == 0
    if np.linalg.matrix_rank(J[:, without], tol=1e-8) < without.sum():
        with pytest.raises(rs.InputError, match="coordinates without a motor"):
            rs.inverse_dynamics(robot)
        return
    more = {"qdd": state.oracle.back(a), "base_acceleration": state.base_acceleration(a) if state.floating else None}
    found = state.of(rs.inverse_dynamics(robot), **more)
    needed = state.inertia @ a + state.bias
    left = needed - state.motors(found.tau) - J.T @ found.contact
    assert np.abs(left).max() < 1e-9 * np.abs(needed).max()
    least = np.linalg.lstsq(J[:, without].T, needed[without], rcond=1e-11)[0]
    agree(found.contact, least, tolerance=1e-8)


def test_unicycle_in_closed_form() -> None:
    """A body on two wheels: v' and w' from the torques of the motors, with the center of mass before the axle."""
    m, c, inertia, wheel, spin, yaw, r, b = 12.0, 0.15, 0.9, 1.0, 0.005, 0.003, 0.1, 0.25
    frames = [
        {"sigma": 1, "gamma": "Pi/2", "alpha": "Pi/2", "theta": "Pi/2", "r": "x", "mu": 0},
        {"sigma": 1, "alpha": "Pi/2", "theta": "Pi/2", "r": "y", "mu": 0}, {"alpha": "Pi/2", "theta": "h", "mu": 0},
        {"alpha": "-Pi/2", "theta": "l", "r": b}, {"ant": 3, "alpha": "-Pi/2", "theta": "right", "r": -b},
    ]  # fmt: skip
    own = {"M": wheel, "XX": yaw, "YY": yaw, "ZZ": spin}
    robot = rs.robot("unicycle", frames=frames, gravity=[0, 0, -9.81],
                     links=[{}, {}, {"M": m, "MX": m * c, "ZZ": inertia}, own, own])  # fmt: skip
    robot = robot.with_contacts(*({"frame": j, "type": "wheel", "radius": "R"} for j in (4, 5)))
    v, w, (left, right) = 0.7, -0.4, (0.3, 0.8)
    h = 0.6
    qd = [v * np.cos(h), v * np.sin(h), w, (v - b * w) / r, (v + b * w) / r]
    model = rs.direct_dynamics(robot)
    assert model.inputs["parameters"] == ("R",)
    found = model.compile()(q=[0.2, 0.1, h, 0, 0], qd=qd, tau=[left, right], parameters=[r])
    vp = ((left + right) / r + m * c * w**2) / (m + 2 * wheel + 2 * spin / r**2)
    turning = inertia + 2 * (yaw + wheel * b**2) + 2 * spin * b**2 / r**2
    wp = (b * (right - left) / r - m * c * v * w) / turning
    agree(found.qdd[2], wp)
    agree(found.qdd[:2], [vp * np.cos(h) - v * w * np.sin(h), vp * np.sin(h) + v * w * np.cos(h)])
    agree(found.qdd[3:], [(vp - b * wp) / r, (vp + b * wp) / r])
    sideways = m * (v * w + c * wp) + 2 * wheel * v * w
    agree(found.contact[1] + found.contact[3], sideways)


@pytest.mark.parametrize("robot", [cart(), coin(), *map(rs.load, ON_THE_GROUND)], ids=lambda robot: robot.name)
def test_rolling_keeps_energy_and_does_not_drift(robot: rs.Robot) -> None:
    """Ten seconds without torque: energy within 1e-9, wheels neither slip nor leave the ground."""
    robot = robot.edit({f"link{j}.FV": 0 for j in range(1, robot.NL + 1)})
    model = rs.contact_kinematics(oriented(robot))
    state = Grounded(robot, 1, upright=True, q=0.3 * np.arange(1, len(robot.tree_joints) + 1) % 1)
    S = state.of(model).S
    rates = S @ np.linspace(0.5, 1.0, S.shape[1]) * (1.0 if robot.name != "car" else 0.2)
    base = {"base_velocity": rates[:6]} if state.floating else {}
    if robot.name == "coin":  # rolls on a curve and leans, up to 0.6 rad
        rates = S @ [0, 0.3, 2.0, 0.03]
        base = {"base_velocity": rates[:6]}
    run = rs.simulate(robot, state.q, rates[6 if base else 0 :], until=10, step=2e-3, every=20, method="rk5", **base)
    given: dict[str, Any] = {"q": run.q, "qd": run.qd}
    if base:
        given |= {"base_velocity": run.state("base_velocity"), "base_orientation": run.state("base_pose")[:, 3:]}
    slip = model.compile()(**{group: np.ascontiguousarray(given[group]) for group in model.inputs}).slip
    assert np.abs(slip).max() < 1e-9
    assert np.ptp(run.energy) < 1e-9 * np.abs(run.energy).max() + 1e-9 * run.kinetic.max()
    if robot.name == "coin":
        pose = run.state("base_pose")
        lean = 2 * (pose[:, 5] * pose[:, 6] + pose[:, 3] * pose[:, 4])
        assert np.abs(lean).max() > 0.5 and np.ptp(pose[:, 2] - 0.3 * np.sqrt(1 - lean**2)) < 1e-10
    if robot.name == "cart":
        assert np.abs(run.state("base_pose")[:, [2, 4, 5]]).max() < 1e-12


def test_stance_of_a_quadruped_does_not_drift() -> None:
    """Feet stay in place while torques move the trunk, and energy balances."""
    robot = standing()
    q = np.array([0.3, 0.5, -1.0] * 4)
    run = rs.simulate(robot, q, torque=np.linspace(-0.5, 0.5, 12), until=0.3, step=1e-3, method="rk5")
    body = rs.transform(robot.with_contacts(), *((0, j) for j in (3, 6, 9, 12))).compile()
    pose = run.state("base_pose")
    places = []
    for row, where in zip(run.q[::50], pose[::50], strict=True):
        w, x, y, z = where[3:]
        R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip
        feet = [T @ [0.2, 0, 0.01, 1] for T in body(q=row)]
        places.append([where[:3] + R @ foot[:3] for foot in feet])
    assert np.abs(run.q[-1] - run.q[0]).max() > 1e-2
    assert np.abs(np.array(places) - places[0]).max() < 1e-9
    assert np.abs(run.balance).max() < 1e-5 * max(run.kinetic.max(), np.abs(np.ptp(run.potential)))


def test_contacts_are_part_of_the_description() -> None:
    robot = rs.load("mecanum")
    for other in (rs.loads(robot.dumps(), "yaml"), pickle.loads(pickle.dumps(robot)), copy.deepcopy(robot)):
        assert other == robot and hash(other) == hash(robot)
    assert robot.with_contacts() != robot and robot.with_contacts(*robot.contacts) == robot
    assert [contact.frame for contact in robot.with_contacts(2, 4).contacts] == [5, 7]
    assert standing("31").contacts[0].name == "foot3"
    assert robot.with_values({}) == robot


def test_chosen_independent_rates() -> None:
    robot = rs.load("car")
    assert rs.contact_kinematics(robot, ["front", "steer"]).independent == ("front", "steer")
    for wrong in (["left"], ["left", "right"], ["heading", "heading"]):
        with pytest.raises(rs.InputError, match="independent: expected 2 rates that determine all others"):
            rs.contact_kinematics(robot, wrong)
    assert rs.contact_kinematics(standing(), None).independent == ("W1", "W2", "W3", "V1", "V2", "V3")


@pytest.mark.parametrize("robot", [cart(), standing("14"), *map(rs.load, ON_THE_GROUND)], ids=lambda robot: robot.name)
def test_base_parameters(robot: rs.Robot) -> None:
    """Their number is the rank of Pinocchio's regressor along admissible motions, whose efforts they reproduce."""
    base, regressor = rs.base_parameters(oriented(robot)), Regressor(robot.with_contacts(), {})
    states = [Grounded(robot, seed, upright=robot.name == "cart") for seed in range(45)]
    rows = [admissible_rows(s, regressor, seed) for seed, s in enumerate(states)]
    W = np.vstack(rows)
    standard = {p.place: evaluate([p.entry], {})[0] for p in base.standard.inertial}
    K = np.array([standard.get(place, 0.0) for place in regressor.columns])
    kept = [regressor.columns.index(place) for place in base.places.values()]
    values = np.array([*base.values().values()])
    assert len(base.names) == rank(W[:, [n for n, place in enumerate(regressor.columns) if place in standard]])
    assert np.abs(W @ K - W[:, kept] @ values).max() < 1e-10 * np.abs(W @ K).max()


def admissible_rows(s: Grounded, regressor: Regressor, seed: int) -> Array:
    """Return Pinocchio's regressor along the rates that the contacts admit, for a random admissible motion."""
    a = np.random.default_rng(100 + seed).uniform(-1, 1, len(s.v))
    a -= np.linalg.pinv(s.J) @ (s.J @ (a - s.still) + s.drift)
    base = (s.v[:6], a[:6]) if s.floating else None
    W = regressor(s.q, s.oracle.back(s.v), s.oracle.back(a), base)
    if s.floating:
        W = W[[3, 4, 5, 0, 1, 2, *range(6, len(W))]]
    J = in_columns(s, s.J)
    admissible = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, tol=1e-8) :]
    return np.asarray(admissible @ W)


def test_base_parameters_need_numbers_in_the_geometry() -> None:
    robot = rs.load("car").with_contacts({"frame": 4, "type": "wheel", "radius": "R"})
    with pytest.raises(rs.InputError, match=r"expected numbers for its geometry.*missing: R"):
        rs.base_parameters(robot)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"frame": 3, "type": "weel"}, "did you mean 'wheel'"),
    ({"frame": 30}, "expected a moving link from 1 to 12, found 30"),
    ({"frame": "knee"}, "expected the number or name of a link, found 'knee'"),
    ({"frame": 3, "type": "wheel"}, "radius: missing key of a wheel"),
    ({"frame": 3, "radius": 1}, "radius: not allowed for a point"),
    ({"frame": 3, "type": "wheel", "radius": 0}, "expected a positive number"),
    ({"frame": 3, "type": "wheel", "radius": 1, "at": [1, 0, 0]}, "center on the z axis"),
    ({"frame": 3, "at": [1, 0]}, "expected three coordinates"),
    ({"frame": 3, "radios": 2}, "did you mean 'radius'"),
]


@pytest.mark.parametrize(("contact", "message"), WRONG)
def test_rejects_wrong_contacts(contact: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.RobotError, match=message):
        quadruped().with_contacts(contact)


def test_rejects_robots_and_functions_without_support() -> None:
    foot = {"frame": 3, "type": "point"}
    with pytest.raises(rs.RobotError, match="expected a robot without transmission and platform"):
        rs.load("planar2r").with_transmission([[1, 0], [0, 2]]).with_contacts({"frame": 2, "type": "point"})
    with pytest.raises(rs.InputError, match="has a mobile base: contacts support"):
        rs.direct_dynamics(tree("mobile").with_contacts(foot))
    with pytest.raises(rs.InputError, match=r"robot\.with_inputs\('orientation'\)"):
        rs.direct_dynamics(cart())
    with pytest.raises(rs.InputError, match="expected fewer contacts"):
        rs.contact_kinematics(rs.load("planar2r").with_contacts({"frame": 2, "at": [1, 0, 0]}))
    with pytest.raises(rs.InputError, match="the name or number of a contact"):
        standing().with_contacts("foot5")
    for name in ("inertia_matrix", "lagrange", "computed_torque", "linearize"):
        with pytest.raises(rs.InputError, match=f"{name} does not take a robot with contacts"):
            getattr(rs, name)(standing())
    for form in ("par", "urdf", "mjcf", "sdf"):
        with pytest.raises(rs.FormatError, match="cannot describe contacts"):
            standing().dumps(form)
    with pytest.raises(rs.InputError, match=r"qd: expected velocities that the contacts of .* allow, found a slip"):
        rs.simulate(rs.load("car"), qd=[1, 0, 0, 0, 0, 0, 0], until=0.1)


def test_energy_balances_over_ten_seconds_under_torques() -> None:
    """The wheels of a castor, two motors and Mecanum wheels neither slip nor lose energy."""
    for name, torque in {
        "differential_drive": lambda t: [0.02 * np.sin(t), 0.03 * np.cos(t)],
        "mecanum": lambda t: [0.1 * np.sin(t), 0.1 * np.cos(t), 0.1, -0.1],
    }.items():
        robot = rs.load(name)
        run = rs.simulate(robot, torque=torque, until=10, step=2e-3, method="rk5", friction="sign")
        slip = rs.contact_kinematics(robot).compile()(q=run.q, qd=run.qd).slip
        assert np.abs(slip).max() < 1e-9
        assert np.abs(run.balance).max() < 1e-9 * run.kinetic.max()
