"""Test error messages for impossible descriptions of closed robots."""

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


def with_frame(place: int, row: str) -> list[str]:
    return [row if k == place else frame for k, frame in enumerate(FOUR)]


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (with_frame(2, "ant: 0, mu: 0, d: 9, theta: t3"), "found no position in which the loops are closed"),
        (
            with_frame(4, "ant: 3, sigma: 2, alpha: 0.3, d: 0.7"),
            "in which the loops are closed|leave no degree of freedom",
        ),
        (with_frame(1, "ant: 1, sigma: 2, mu: 0, d: 0.4"), "leave no degree of freedom|degrees of freedom"),
        (
            with_frame(3, "ant: 2, mu: 0, alpha: 0.2, d: 0.9, theta: t4"),
            "in which the loops are closed|leave no degree of freedom",
        ),
    ],
)
def test_rejects_impossible_loops(frames: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        rs.inverse_dynamics(build("linkage", frames, [(4, 5)]))


def test_rejects_linkage_without_degrees_of_freedom() -> None:
    """A four-bar with two more rods, which is no parallelogram, cannot move."""
    frames = ["ant: 0, theta: t1", "ant: 1, mu: 0, d: 0.4, theta: t2", "ant: 0, mu: 0, d: 1, theta: t3",
              "ant: 0, mu: 0, gamma: 0.4, d: 0.5, theta: t4", "ant: 2, mu: 0, d: 0.9, theta: t5",
              "ant: 4, mu: 0, d: 0.55, theta: t6", "ant: 3, sigma: 2, d: 0.7",
              "ant: 2, sigma: 2, gamma: 0.3, d: 0.5"]  # fmt: skip
    with pytest.raises(InputError, match="leave no degree of freedom"):
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
def test_rejects_impossible_reference_positions(position: dict[str, float], message: str) -> None:
    for model in (rs.loop_kinematics, rs.inverse_dynamics, rs.base_parameters):
        with pytest.raises(InputError, match=message):
            model(four_bar(), reference=position)


def test_rejects_reference_with_open_loops() -> None:
    """The eye of an excavator's cylinder is not at the end of the rod."""
    robot, position = excavator()
    moved = robot.edit({"frame15.d": 3.0, "position": position})
    with pytest.raises(InputError, match=r"does not close the loops: (frames \d+ and \d+ stay|the nearest)"):
        rs.inverse_dynamics(moved)


def test_rejects_invalid_entries_of_a_position() -> None:
    with pytest.raises(RobotError, match="t8 is not a joint variable or length of a frame"):
        four_bar().edit({"position": {"t8": 1.0}})
    with pytest.raises(RobotError, match="t1: expected a finite number"):
        four_bar().edit({"position": {"t1": float("nan")}})


def test_rejects_couplings_of_cut_joints() -> None:
    robot = universal_cut()
    virtual = [j for j in rs.loop_kinematics(robot).cut if j in robot.tree_joints]
    with pytest.raises(InputError, match="couplings: t7 belongs to a cut joint"):
        rs.loop_kinematics(replace(robot, couplings={robot.variable(virtual[0]): Coupling({"t1": 1.0})}))


def test_rejects_rates_of_a_crossed_parallelogram() -> None:
    """A loop that can be a parallelogram is treated as one, so rates of a crossed position would be wrong."""
    robot = four_bar()
    q = rs.loop_kinematics(robot, parallelograms=False).close([0.9, -2.6, -1.2])
    loops = rs.loop_kinematics(robot)
    assert loops.rates([0.7, -0.7, 0.7], [1.0]).tolist() == pytest.approx([1, -1, 1])
    with pytest.raises(InputError, match="a parallelogram is crossed in this position"):
        loops.rates(q, [1.0])
    crossed = rs.loop_kinematics(robot, reference=dict(zip(("t1", "t2", "t3"), q, strict=True)))
    assert abs(crossed.rates(q, [1.0])[2]) > 1e-3


def test_rejects_motor_blocked_by_its_loop() -> None:
    """Three revolute joints in generic position block each other's rotation: only the prismatic joints move."""
    path = Path(__file__).parent / "held_motor.yaml"
    with pytest.raises(InputError, match="the motors 1 do not determine the motion of its loops"):
        rs.inverse_dynamics(rs.load(path))


def test_warns_that_numeric_loop_is_taken_as_parallelogram() -> None:
    """The same links can be crossed: without a reference position the assumption is reported."""
    frames = [{"theta": "t1"}, {"mu": 0, "d": 0.5, "theta": "t2"}, {"ant": 0, "mu": 0, "d": 1.0, "theta": "t3"},
              {"ant": 2, "mu": 0, "d": 1.0, "theta": "t4"}, {"ant": 3, "sigma": 2, "d": 0.5}]  # fmt: skip
    given = {"frames": frames, "loops": [[4, 5]], "links": "symbolic"}
    with pytest.warns(ModeWarning, match="hold for the parallelogram.*reference"):
        rs.inverse_dynamics(rs.robot("four_bar", **given))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rs.inverse_dynamics(rs.robot("four_bar", **given, position={"t1": 1.0, "t2": -1.0, "t3": 1.0}))
        frames[1]["d"] = frames[4]["d"] = "L"
        rs.inverse_dynamics(rs.robot("four_bar", **given))  # symbolic lengths: the parallelogram of the guide
