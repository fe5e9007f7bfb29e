"""Test gaps and numeric closing of loops, and the choice of equations, against poses and NumPy ranks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from cases.closed_robots import five_bar
from cases.forward import build
from cases.identification import PARALLELOGRAM, yaml
from robosym.algebra import Graph, evaluate
from robosym.coordinates.choice import choose
from robosym.coordinates.closed_samples import closed_positions, closed_samples
from robosym.coordinates.closing import Closing
from robosym.coordinates.constraints import LoopConstraints
from robosym.coordinates.cut import cut_of
from robosym.coordinates.loops import loops_of, parallelograms
from robosym.errors import InputError
from robosym.formats import load
from robosym.kinematics import direct_geometry
from robosym.mechanism.motion import frame_places
from robosym.mechanism.path import Poses
from robosym.model import Workspace

NAMES = ("sr400", "akr3000", "gough_stewart")


def closing_of(name: str, shapes: bool = False) -> Closing:
    robot = load(name)
    return Closing(robot, parallelograms(robot, frame_places(robot, Graph())[0]) if shapes else ())


def parameters_of(closing: Closing, seed: int = 0) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {name: float(rng.uniform(0.5, 1.5)) for name in closing.gaps.parameters}


@pytest.mark.parametrize("name", NAMES)
def test_poses_agree_with_the_model(name: str) -> None:
    closing = closing_of(name)
    values, gaps = parameters_of(closing), closing.gaps
    q = np.random.default_rng(1).normal(size=(3, len(gaps.joints)))
    poses = gaps.poses(gaps.geometry(values).frames, q)
    model = direct_geometry(closing.robot, 0, closing.robot.NL)
    names = [name for row in model.outputs["T"] for name in row]
    for row in range(3):
        numbers = evaluate([model.definitions[name] for name in names], values | gaps.named(q[row]))
        np.testing.assert_allclose(poses[row, closing.robot.NL].ravel(), numbers, atol=1e-12)


@pytest.mark.parametrize("shapes", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_derivative_of_the_gaps_at_closed_positions(name: str, shapes: bool) -> None:
    closing = closing_of(name, shapes)
    (values,) = closed_samples(closing, 1)
    gaps, geometry = closing.gaps, closing.gaps.geometry(values)
    q, step = gaps.position(values), 1e-6
    gap, slope = gaps.linearized(geometry, q)
    assert np.abs(gap).max() < 1e-9
    moves = step * np.eye(len(gaps.joints))
    differences = gaps.linearized(geometry, q + moves)[0] - gaps.linearized(geometry, q - moves)[0]
    np.testing.assert_allclose(slope[0].T, differences / (2 * step), atol=1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_velocities_keep_closed_positions_closed(name: str) -> None:
    closing = closing_of(name)
    parameters = parameters_of(closing)
    positions = closed_positions(closing, parameters, np.random.default_rng(2), 5)
    assert len(positions) == 5
    for values in positions:
        assert {name: values[name] for name in parameters} == parameters
        closing.check(values)
        tree = [closing.robot.variable(j) for j in closing.robot.tree_joints]
        rates = closing.velocities(values) @ np.ones(closing.velocities(values).shape[1])
        for step in (1e-4, 2e-4):  # the gap is of second order in the step
            moved = {name: values[name] + step * rate for name, rate in zip(tree, rates, strict=True)}
            open_by = np.abs(closing.gap(closing.with_cut(parameters | moved))).max()
            assert open_by < 50 * (step * np.abs(rates).max()) ** 2


def test_fixed_joints_stay_and_open_positions_are_rejected() -> None:
    closing = closing_of("sr400")
    (values,) = closed_samples(closing, 1)
    held = closing.robot.tree_joints[1]
    name = closing.robot.variable(held)
    moved, left = closing.move(values | {name: values[name] + 0.05}, [held])
    assert left < 1e-9
    assert moved[name] == values[name] + 0.05
    with pytest.raises(InputError, match="the loops are open in this position"):
        closing.check(values | {name: values[name] + 0.3})


@pytest.mark.parametrize("name", NAMES)
def test_chosen_rows_are_independent_at_given_positions(name: str) -> None:
    robot, asked = load(name), []

    def positions(closing: Closing) -> Iterator[dict[str, float]]:
        asked.append(closing)
        yield from closed_samples(closing, 2)

    constraints = LoopConstraints(robot, positions=positions)
    assert len(asked) == 1
    assert constraints.samples == list(closed_samples(asked[0], 2))
    assert constraints.choice.sample in constraints.samples
    with Workspace(robot, ("q", "parameters")) as work:
        equations = constraints.equations(Poses(robot, work.value), work.graph)
    Wp = np.array([evaluate(row, dict(constraints.choice.sample)) for row in equations.Wp])
    assert np.linalg.matrix_rank(Wp) == len(Wp) == len(constraints.passive)


@pytest.mark.parametrize("over", [(), (2, 4), (2, 3, 4, 5), (1, 2), (1, 2, 3, 4)])
def test_links_of_a_parallelogram_stay_parallel(over: tuple[int, ...]) -> None:
    """Opposite links do not rotate relative to each other, also if some axes point the other way."""
    lines = PARALLELOGRAM.splitlines()
    for j in over:
        lines[j + 1] = (
            lines[j + 1].replace("d: ", "alpha: Pi, d: ") if j > 1 else lines[2].replace("th", "alpha: Pi, th")
        )
    robot = yaml("\n".join(lines))
    (shape,) = parallelograms(robot, frame_places(robot, Graph())[0])
    closing = Closing(robot)
    up = {0: 1}  # the sense of each axis
    for j in (1, 2, 3):
        up[j] = up[robot.frame(j).ant] * (-1 if j in over else 1)
    leaning = {"t1": 0.5 * up[1], "t2": -0.5 * up[2], "t3": 0.5 * up[3]}
    values = closing.with_cut({"D2": 0.4, "D3": 0.7, **leaning})
    gap, slope = closing.gaps.linearized(closing.gaps.geometry(values), closing.gaps.position(values))
    assert np.abs(gap).max() < 1e-9
    (motion,) = np.linalg.svd(slope[0])[2][np.linalg.matrix_rank(slope[0]) :]
    rates = dict(zip(closing.gaps.joints, motion, strict=True))
    for relation in shape.relations:
        assert relation and sum(way * rates[j] for j, way in relation.items()) == pytest.approx(0, abs=1e-9)


def test_chooses_simplest_independent_rows() -> None:
    graph = Graph()
    a, b, one = graph.symbol("a"), graph.symbol("b"), graph.one
    rows = [{1: a * b, 2: a * b, 3: b * b}, {}, {1: one, 2: one}, {1: b, 2: b}, {3: a * b}, {3: a}]
    found = choose("arm", rows, (1,), (1, 2, 3), [{"a": 0.0, "b": 0.0}, {"a": 1.0, "b": 2.0}])
    assert found.remark.startswith("arm: its loops leave 1, 2 degrees of freedom")
    assert (found.active, found.passive, found.rows) == ((1,), (2, 3), (2, 5))
    assert found.sizes([a - b]).tolist() == [[-1.0]]
    fewer = choose("arm", rows[2:3], (1,), (1, 2, 3), [{}])
    assert (fewer.active, fewer.passive, fewer.rows) == ((1, 3), (2,), (0,))
    with pytest.raises(InputError, match="arm: the loops leave no degree of freedom"):
        choose("arm", [{1: one}, {2: a}, {3: b}], (1,), (1, 2, 3), [{"a": 1.0, "b": 2.0}])


def test_tries_other_positions_if_motors_are_insufficient() -> None:
    graph = Graph()
    a, one = graph.symbol("a"), graph.one
    rows = [{1: one, 2: one}, {2: a, 3: a}]
    fits, loose = {"a": 1.0}, {"a": 0.0}
    found = choose("arm", rows, (1,), (1, 2, 3), [fits], others=[loose, {"a": 2.0}])
    assert found.positions == (fits,) and found.others == ({"a": 2.0},) and not found.remark
    wider = choose("arm", rows, (1,), (1, 2, 3), [loose], others=[fits])
    assert (wider.positions, wider.others, wider.active) == ((fits,), (), (1,))
    assert wider.remark.startswith("arm: its loops leave 1, 2 degrees of freedom")


def test_uses_rows_of_the_first_position_if_none_fit_all() -> None:
    graph = Graph()
    a, b = graph.symbol("a"), graph.symbol("b")
    rows = [{1: a, 2: a}, {1: b, 2: b}]
    found = choose("arm", rows, (1,), (1, 2), [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0}])
    assert (found.active, found.passive, found.rows, found.solved) == ((1,), (2,), (0,), (0, 1))


@pytest.mark.parametrize("axes", [1, 2, 3, 4])
def test_cut_absorbs_at_most_three_intersecting_axes(axes: int) -> None:
    """Further axes add no rotation and remain joints of the tree."""
    ball = [{"mu": 0, "alpha": "Pi/2", "theta": f"t{3 + k}"} for k in range(axes)]
    rows = [{"theta": "t1"}, {"mu": 0, "d": 0.5, "theta": "t2"}, {"ant": 0, "mu": 0, "d": 0.8, **ball[0]}]
    rows += [{**row, "ant": 2 + k} for k, row in enumerate(ball[1:], 1)]
    last = len(rows)
    rows += [{"ant": 2, "mu": 0, "d": 0.6, "theta": "t9"}, {"ant": last, "sigma": 2, "alpha": "Pi/2"}]
    robot = build("ball", rows, loops=1)
    (loop,) = loops_of(robot)
    with Workspace(robot, ("q", "parameters")) as work:
        cut = cut_of(robot, loop, Poses(robot, work.value))
    turns = min(axes + 1, 3)
    assert cut.joints == (*loop.far[::-1][: turns - 1], loop.cut)
    assert (len(cut.free_angular), len(cut.angular), len(cut.linear)) == (turns, 3 - turns, 3)


def test_rejects_geometry_that_cannot_close() -> None:
    closing = Closing(five_bar())
    with pytest.raises(InputError, match="fivebar: the loops cannot be closed"):
        closed_positions(closing, parameters_of(closing) | {"L0": 50.0}, np.random.default_rng(0), 2)
