"""Descriptions of closed robots that cannot be: what is wrong is said in words."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest

import robosym as rs
from cases.closed_robots import build, four_bar, universal_cut
from cases.linkages import excavator
from robosym.errors import InputError, ModeWarning, RobotError
from robosym.mechanism import Coupling

FOUR = ["ant: 0, theta: t1", "ant: 1, mu: 0, d: 0.4, theta: t2", "ant: 0, mu: 0, d: 1, theta: t3",
        "ant: 2, mu: 0, d: 0.9, theta: t4", "ant: 3, sigma: 2, d: 0.7"]  # fmt: skip


def changed(place: int, row: str) -> list[str]:
    return [row if k == place else frame for k, frame in enumerate(FOUR)]


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (changed(2, "ant: 0, mu: 0, d: 9, theta: t3"), "no position was found in which its loops close"),
        (changed(4, "ant: 3, sigma: 2, alpha: 0.3, d: 0.7"), "no position was found|leave no freedom"),
        (changed(1, "ant: 1, sigma: 2, mu: 0, d: 0.4"), "leave no freedom|degrees of freedom"),
        (changed(3, "ant: 2, mu: 0, alpha: 0.2, d: 0.9, theta: t4"), "no position was found|leave no freedom"),
    ],
)
def test_loops_that_cannot_be(frames: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rs.inverse_dynamics(build("linkage", frames, [(4, 5)]))


def test_an_over_constrained_mechanism_that_is_a_structure() -> None:
    """Two more rods on a four-bar that is no parallelogram: three loops, and nothing moves."""
    frames = ["ant: 0, theta: t1", "ant: 1, mu: 0, d: 0.4, theta: t2", "ant: 0, mu: 0, d: 1, theta: t3",
              "ant: 0, mu: 0, gamma: 0.4, d: 0.5, theta: t4", "ant: 2, mu: 0, d: 0.9, theta: t5",
              "ant: 4, mu: 0, d: 0.55, theta: t6", "ant: 3, sigma: 2, d: 0.7",
              "ant: 2, sigma: 2, gamma: 0.3, d: 0.5"]  # fmt: skip
    with pytest.raises(InputError, match="leave no freedom"):
        rs.inverse_dynamics(build("truss", frames, [(5, 7), (6, 8)]))


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ({"t1": 0.0, "t2": 0.0, "t3": 0.0, "t4": 0.0}, "the reference position is singular: the loops leave 2"),
        (
            {"t1": 0.7, "t2": 1.2, "t3": -2.9, "t4": 2.0},
            "the reference position does not close the loops: the nearest is",
        ),
    ],
)
def test_reference_positions_that_cannot_be(position: dict[str, float], message: str) -> None:
    for model in (rs.loop_kinematics, rs.inverse_dynamics, rs.base_parameters):
        with pytest.raises(InputError, match=message):
            model(four_bar(), reference=position)


def test_legs_that_do_not_meet() -> None:
    """A cylinder of an excavator whose eye is not where the rod ends."""
    robot, position = excavator()
    moved = robot.edit({"frame15.d": 3.0, "position": position})
    with pytest.raises(InputError, match=r"does not close the loops: (frames \d+ and \d+ stay|the nearest)"):
        rs.inverse_dynamics(moved)


def test_positions_are_checked() -> None:
    with pytest.raises(RobotError, match="t8 is no joint variable and no length of the frames"):
        four_bar().edit({"position": {"t8": 1.0}})
    with pytest.raises(RobotError, match="t1: expected a finite number"):
        four_bar().edit({"position": {"t1": float("nan")}})


def test_couplings_of_joints_of_a_cut() -> None:
    robot = universal_cut()
    virtual = [j for j in rs.loop_kinematics(robot).cut if j in robot.tree_joints]
    with pytest.raises(InputError, match="couplings: t7 belongs to a cut joint"):
        rs.loop_kinematics(replace(robot, couplings={robot.variable(virtual[0]): Coupling({"t1": 1.0})}))


def test_a_crossed_parallelogram_is_told() -> None:
    """A loop that can be a parallelogram is taken to be one: a position in which it is crossed gets no wrong rates."""
    robot = four_bar()
    q = rs.loop_kinematics(robot, parallelograms=False).close([0.9, -2.6, -1.2])
    loops = rs.loop_kinematics(robot)
    assert loops.rates([0.7, -0.7, 0.7], [1.0]).tolist() == pytest.approx([1, -1, 1])
    with pytest.raises(InputError, match="a parallelogram is crossed in this position"):
        loops.rates(q, [1.0])
    crossed = rs.loop_kinematics(robot, reference=dict(zip(("t1", "t2", "t3"), q, strict=True)))
    assert abs(crossed.rates(q, [1.0])[2]) > 1e-3


def test_a_motor_that_its_loop_holds() -> None:
    """Three turning joints in general position close a loop of turns: only the slides of the loop move."""
    path = Path(__file__).parent / "held_motor.yaml"
    with pytest.raises(InputError, match="the motors 1 do not determine the motion of its loops"):
        rs.inverse_dynamics(rs.load(path))


def test_a_parallelogram_in_numbers_is_told_to_be_taken_so() -> None:
    """The same links can be crossed: without a reference it is said what is assumed, with one it is known."""
    frames = [{"theta": "t1"}, {"mu": 0, "d": 0.5, "theta": "t2"}, {"ant": 0, "mu": 0, "d": 1.0, "theta": "t3"},
              {"ant": 2, "mu": 0, "d": 1.0, "theta": "t4"}, {"ant": 3, "sigma": 2, "d": 0.5}]  # fmt: skip
    given = {"frames": frames, "loops": [[4, 5]], "links": "symbolic"}
    with pytest.warns(ModeWarning, match="taken to be a parallelogram.*reference"):
        rs.inverse_dynamics(rs.robot("four_bar", **given))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rs.inverse_dynamics(rs.robot("four_bar", **given, position={"t1": 1.0, "t2": -1.0, "t3": 1.0}))
        frames[1]["d"] = frames[4]["d"] = "L"
        rs.inverse_dynamics(rs.robot("four_bar", **given))  # letters: the parallelogram of the guide
