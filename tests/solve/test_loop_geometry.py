"""Test loop geometry: an independent forward model closes every assembly mode, and none is missing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import robosym as rs
from cases.forward import build, gap, place
from robosym.errors import InputError, ModeWarning
from robosym.solve import inverse_geometry, simultaneous
from robosym.solve.loop_geometry import loop_geometry

FOUR_BAR = [{"theta": "t1"}, {"mu": 0, "d": 0.3, "theta": "t2"}, {"ant": 0, "mu": 0, "d": 1.0, "theta": "t3"},
            {"ant": 2, "mu": 0, "d": 0.9, "theta": "t4"}, {"ant": 3, "sigma": 2, "d": 0.7}]  # fmt: skip
FIVE_BAR = [{"theta": "t1"}, {"mu": 0, "d": 0.6, "theta": "t2"}, {"ant": 0, "d": 0.5, "theta": "t3"},
            {"mu": 0, "d": 0.55, "theta": "t4"}, {"ant": 2, "mu": 0, "d": 0.8, "theta": "t5"},
            {"ant": 4, "sigma": 2, "d": 0.85}]  # fmt: skip
SLIDER = [{"theta": "t1"}, {"mu": 0, "d": 0.3, "theta": "t2"},
          {"ant": 0, "sigma": 1, "mu": 0, "gamma": "Pi/2", "alpha": "Pi/2", "r": "r3"},
          {"ant": 2, "mu": 0, "d": 1.0, "theta": "t4"}, {"ant": 3, "sigma": 2, "alpha": "-Pi/2"}]  # fmt: skip
#: two spherical joints; the rod between them can spin about its axis
RSSR = [{"theta": "t1"}, {"mu": 0, "d": 0.3, "theta": "t2"}, {"mu": 0, "alpha": "Pi/2", "theta": "t3"},
        {"mu": 0, "alpha": "Pi/2", "theta": "t4"},
        {"ant": 0, "mu": 0, "gamma": 0.4, "b": 0.2, "alpha": 1.1, "d": 1.0, "theta": "t5"},
        {"mu": 0, "d": 0.7, "theta": "t6"}, {"mu": 0, "alpha": "Pi/2", "theta": "t7"},
        {"ant": 4, "mu": 0, "d": 0.9, "alpha": "Pi/2", "theta": "t8"},
        {"ant": 7, "sigma": 2, "alpha": "Pi/2"}]  # fmt: skip


def closed(robot, values):
    """Return the closure error: z axes and origins, or whole frames if the cut joint is known."""
    worst = 0.0
    for cut, fixed in robot.loops:
        values = {**values, robot.variable(cut): values.get(robot.variable(cut), 0.0)}
        A, B = place(robot, values, cut), place(robot, values, fixed)
        worst = max(worst, np.abs((A - B)[:3, 2:]).max())
    return worst


@pytest.mark.parametrize(
    ("rows", "modes"), [(FOUR_BAR, 2), (FIVE_BAR, 2), (SLIDER, 2)], ids=["four-bar", "five-bar", "slider-crank"]
)
def test_planar_loops(rows, modes):
    robot = build("loop", rows, loops=1)
    model = loop_geometry(robot)
    assert model.method == "explicit"
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (25, len(model.known)))
    for row, solutions in zip(q, model.solve(q), strict=True):
        assert len(solutions) == modes
        for solution in solutions:
            values = dict(zip(model.joints, solution, strict=True))
            assert closed(robot, values) < 1e-9
            assert [values[name] for name in model.known] == pytest.approx(row)


def test_four_bar_agrees_with_intersection_of_circles():
    """The end of the coupler is the intersection of two circles, found without robosym's equations."""
    model = loop_geometry(build("loop", FOUR_BAR, loops=1))
    t1 = 0.8
    A, B = 0.3 * np.array([np.cos(t1), np.sin(t1)]), np.array([1.0, 0.0])
    along = (B - A) / np.linalg.norm(B - A)
    distance = np.linalg.norm(B - A)
    x = (0.9**2 - 0.7**2 + distance**2) / (2 * distance)
    height = np.sqrt(0.9**2 - x**2)
    meets = [A + x * along + sign * height * np.array([-along[1], along[0]]) for sign in (1, -1)]
    rockers = sorted(np.arctan2(point[1], point[0] - 1.0) for point in meets)
    found = sorted(model.solve([t1])[:, model.joints.index("t3")])
    assert found == pytest.approx(rockers)


def test_symbolic_lengths():
    rows = [dict(row) for row in FOUR_BAR]
    for place_, name in ((1, "L1"), (2, "L0"), (3, "L2"), (4, "L3")):
        rows[place_]["d"] = name
    model = loop_geometry(build("loop", rows, loops=1))
    assert model.method == "explicit" and set(model.parameters) == {"L0", "L1", "L2", "L3"}
    numbers = loop_geometry(build("loop", FOUR_BAR, loops=1))
    lengths = {"L1": 0.3, "L0": 1.0, "L2": 0.9, "L3": 0.7}
    expected = np.asarray(numbers.solve([0.8]))
    found = model.solve([0.8], parameters=lengths)
    assert len(found) == 2 and all(gap(found, row, [False] * 3) < 1e-9 for row in expected)


def test_rssr_has_an_idle_spin_and_two_rocker_positions():
    robot = build("rssr", RSSR, loops=1)
    model = loop_geometry(robot)
    for t1 in (-2.0, 0.3, 1.7):
        solutions = model.solve([t1])
        assert solutions.singular
        rocker = np.unique(np.round(solutions[:, model.joints.index("t5")], 6))
        # the end of the rocker lies on a sphere around the end of the crank
        assert len(rocker) == 2
        for solution in solutions:
            values = dict(zip(model.joints, solution, strict=True))
            crank, end = place(robot, values, 2)[:3, 3], place(robot, values, 6)[:3, 3]
            assert np.linalg.norm(crank - end) == pytest.approx(0.9, abs=1e-9)


def test_sr400():
    robot = rs.load("sr400")
    model = loop_geometry(robot)
    lengths = {"D3": 0.8, "D8": 0.3}
    assert set(model.parameters) == set(lengths)
    q = dict(zip(model.known, (0.1, 0.3, 0.2, 0.5, 0.6, 0.9), strict=True))
    solutions = model.solve(list(q.values()), parameters=lengths)
    whole = {**q, "t3": np.pi / 2 - q["t2"] + q["t7"], "t8": q["t2"] - q["t7"]}  # the parallelogram
    expected = np.array([whole[name] for name in model.joints])
    assert len(solutions) == 2 and gap(solutions, expected, [False] * 8) < 1e-9  # the other mode is crossed
    motors = loop_geometry(robot, known=["t1", "t2", "t3", "t4", "t5", "t6"])
    back = motors.solve([whole[name] for name in motors.known], parameters=lengths)
    assert gap(back, expected, [False] * 8) < 1e-9


def test_inverse_model_of_a_closed_robot_returns_its_motors():
    robot = rs.load("sr400")
    lengths = {"D2": 0.1, "D3": 0.8, "D4": 0.2, "RL4": 0.9, "D8": 0.3}
    model = inverse_geometry(robot)
    assert model.joints == ("t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8")
    q = {"t1": 0.1, "t2": -0.4, "t3": 0.9, "t4": 0.3, "t5": 0.5, "t6": 0.7}
    q |= {"t7": q["t3"] - np.pi / 2 + q["t2"]}
    q |= {"t8": q["t2"] - q["t7"]}
    solutions = model.solve(place(robot, {**lengths, **q}, 6), parameters=lengths)
    assert gap(solutions, np.array([q[name] for name in model.joints]), [False] * 8) < 1e-7


def test_akr3000():
    """Each of the two loops is a triangle with a jack; the law of cosines gives the same angles."""
    robot = rs.load("akr3000")
    model = loop_geometry(robot)
    assert model.method == "explicit" and len(model.stages) == 2
    lengths = {"D3": 0.7, "D4": 0.6, "D7": 0.9, "g13": 0.4, "D13": 0.5, "g14": 0.3, "D14": 0.55}
    q = {"t1": 0.2, "r5": 0.95, "r6": 0.8, "t8": 0.1, "t9": 0.2, "t10": 0.3}
    solutions = model.solve([q[name] for name in model.known], parameters=lengths)
    assert len(solutions)
    for solution in solutions:
        values = {**lengths, "RL8": 1.0, **dict(zip(model.joints, solution, strict=True))}
        assert closed(robot, values) < 1e-9
    cosine = (lengths["D4"] ** 2 + lengths["D14"] ** 2 - q["r6"] ** 2) / (2 * lengths["D4"] * lengths["D14"])
    t2 = {round(sign * np.arccos(cosine) - lengths["g14"], 6) for sign in (1, -1)}
    assert {round(float(value), 6) for value in solutions[:, model.joints.index("t2")]} == t2


def test_general_spatial_loop():
    rng = np.random.default_rng(0)
    rows = [{"theta": "t1"}] + [
        {"mu": 0, "alpha": rng.uniform(-2, 2), "d": rng.uniform(0.2, 0.8), "r": rng.uniform(0.1, 0.5), "theta": f"t{j}"}
        for j in range(2, 7)
    ]
    rows += [{"ant": 6, "mu": 0, "alpha": 0.7, "d": 0.4, "theta": "t7"},
             {"ant": 0, "sigma": 2, "alpha": 0.3, "d": 0.5, "b": 0.2}]  # fmt: skip
    robot = build("seven", rows, loops=1)
    model = loop_geometry(robot)
    assert model.method == "numeric"
    found = [model.solve([t1]) for t1 in np.linspace(-3, 3, 9)]
    assert any(len(solutions) for solutions in found)
    for solutions in found:
        assert len(solutions) % 2 == 0
        for solution in solutions:
            assert closed(robot, dict(zip(model.joints, solution, strict=True))) < 1e-9


def test_coupled_loops(monkeypatch):
    """In a 3-RRR robot each loop has four unknowns, and the platform couples the two loops."""
    legs = []
    for number, (x, y) in enumerate([(0.0, 0.0), (1.0, 0.0), (0.5, 0.9)]):
        distance, turn = float(np.hypot(x, y)), float(np.arctan2(y, x))
        first = 2 * number + 1
        legs += [{"ant": 0, "gamma": turn, "d": distance, "theta": f"t{first}"},
                 {"ant": first, "mu": 0, "d": 0.5, "theta": f"t{first + 1}"}]  # fmt: skip
    platform = {"ant": 2, "mu": 0, "d": 0.5, "theta": "t7"}
    cuts = [{"ant": 4, "mu": 0, "d": 0.5, "theta": "t8"}, {"ant": 6, "mu": 0, "d": 0.5, "theta": "t9"}]
    fixed = [{"ant": 7, "sigma": 2, "d": 0.3}, {"ant": 7, "sigma": 2, "gamma": np.pi / 3, "d": 0.3}]
    robot = build("platform", [*legs, platform, *cuts, *fixed], loops=2)
    model = loop_geometry(robot)
    assert model.method == "numeric" and model.known == ("t1", "t3", "t5")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solutions = model.solve([0.9, 2.0, -1.5])
    assert len(solutions) % 2 == 0 and len(solutions) >= 2
    for solution in solutions:
        assert closed(robot, dict(zip(model.joints, solution, strict=True))) < 1e-9
    followed = model.solve([0.91, 2.0, -1.5], near=solutions[1])
    assert np.abs(np.sin((followed[0] - solutions[1]) / 2)).max() < 0.1
    monkeypatch.setattr(simultaneous, "_MANY", 1)  # the limit of the number of modes
    with pytest.warns(ModeWarning, match=r"\d assembly modes were found, and there are more"):
        assert len(model.solve([0.9, 2.0, -1.5])) >= 2


def test_error_messages():
    with pytest.raises(InputError, match="expected a robot with loops or couplings"):
        loop_geometry(rs.load("rx90"))
    model = loop_geometry(build("loop", FOUR_BAR, loops=1))
    with pytest.raises(InputError, match="expected the joints t1"):
        model.solve([1.0, 2.0])
    with pytest.raises(InputError, match="finite"):
        model.solve([np.nan])
    with pytest.raises(InputError, match="expected a joint"):
        loop_geometry(build("loop", FOUR_BAR, loops=1), known=["t9"])
    with pytest.raises(InputError, match="expected 2 joints in the loops of sr400, such as t7, t2, found t2"):
        loop_geometry(rs.load("sr400"), known=["t1", "t2"])
    far = [dict(row) for row in FOUR_BAR]
    far[2]["d"] = 5.0
    assert loop_geometry(build("loop", far, loops=1)).solve([0.3]).shape == (0, 3)


def test_known_joints_may_omit_those_outside_loops() -> None:
    robot = rs.load("sr400").with_values({"D2": 0.1, "D3": 0.3, "D4": 0.1, "RL4": 0.4, "D8": 0.25})
    model = loop_geometry(robot, known=["t2", "t3"])
    assert model.known == ("t2", "t3", "t1", "t4", "t5", "t6")
    q = np.array([0.2, 0.5, 0.1, 0.3, 0.4, 0.6])
    both = loop_geometry(robot, known=["t1", "t2", "t3", "t4", "t5", "t6"]).solve(q[[2, 0, 1, 3, 4, 5]])
    np.testing.assert_allclose(model.solve(q), both, atol=1e-12)


def test_motors_of_a_gough_stewart_robot_as_a_robot_with_loops() -> None:
    """Legs that differ only in names are solved once; leg lengths are distances with either sign."""
    robot = rs.load("gough_stewart")
    model = rs.inverse_geometry(robot, frame=6)
    rng = np.random.default_rng(5)
    values = {name: float(rng.uniform(0.3, 1.2)) for name in model.parameters}
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = turn * np.sign(np.linalg.det(turn)), [0.1, 0.2, 0.9]
    found = np.asarray(model.solve(T, values, passive=False))
    assert model.motors == ("r3", "r9", "r14", "r19", "r24", "r29")
    assert found.shape == (64, 6)

    def stands(gamma: float, b: float, d: float) -> np.ndarray:
        return np.array([d * np.cos(gamma), d * np.sin(gamma), b, 1])

    named = {**dict.fromkeys(("g1", "B1", "D1", "pg1", "pb1", "pd1", "g2", "B2"), 0.0), **values}
    feet = [stands(named[f"g{i}"], named[f"B{i}"], named[f"D{i}"]) for i in range(1, 7)]
    balls = [T @ stands(named[f"pg{i}"], named[f"pb{i}"], named[f"pd{i}"]) for i in range(1, 7)]
    lengths = [np.linalg.norm(ball - foot) for foot, ball in zip(feet, balls, strict=True)]
    assert np.abs(np.abs(found) - lengths).max() < 1e-9
    (out,) = np.asarray(model.solve(T, values, passive=False, limits=dict.fromkeys(model.motors, (0, 9))))
    assert np.abs(out - lengths).max() < 1e-9
