"""Robots for identification tests: trees near special cases, closed loops, the Gough-Stewart robot."""

from __future__ import annotations

import random
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

import robosym as rs
from robosym.algebra import Graph, evaluate
from robosym.coordinates.closed_samples import closed_positions
from robosym.coordinates.closing import Closing
from robosym.coordinates.loops import parallelograms
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.motion import frame_places
from robosym.model import Model

Array = NDArray[np.float64]

GRAVITIES = ("[0, 0, G3]", "[0, 0, G3]", "[G1, 0, 0]", "[G1, G2, G3]", "[0, 0, 0]", "[0, G2, 0]")

PUMA = """name: puma
frames:
  - {theta: t1}
  - {alpha: -Pi/2, theta: t2}
  - {d: D3, theta: t3, r: RL3}
  - {alpha: Pi/2, d: D4, theta: t4, r: RL4}
  - {alpha: -Pi/2, theta: t5}
  - {alpha: Pi/2, theta: t6}
links: symbolic
gravity: [0, 0, G3]
"""


def yaml(text: str) -> Robot:
    return rs.loads(text, format="yaml")


def special_tree(seed: int) -> Robot:
    """Return a tree of 1 to 6 links with many parallel axes, zero lengths, prismatic joints and gravities."""
    rng = random.Random(seed)
    sliding, parallel = rng.choice((0.1, 0.3, 0.6)), rng.choice((0.2, 0.5, 0.8))

    def angle(name: str) -> str:
        return rng.choice(("0", "0", "Pi")) if rng.random() < parallel else rng.choice(("Pi/2", "-Pi/2", name, "0.7"))

    def length(name: str) -> str:
        return "0" if rng.random() < 0.5 else name

    rows = []
    for j in range(1, rng.randint(1, 6) + 1):
        sigma = 1 if rng.random() < sliding else 2 if j > 1 and rng.random() < 0.12 else 0
        ant = j - 1 if rng.random() < 0.75 else rng.randrange(j)
        gamma, b = (angle(f"g{j}"), length(f"B{j}")) if rng.random() < 0.3 else ("0", "0")
        theta = angle(f"th{j}") if sigma else f"t{j}"
        r = f"r{j}" if sigma == 1 else length(f"R{j}")
        rows.append(
            f"  - {{ant: {ant}, sigma: {sigma}, gamma: {gamma}, b: {b}, alpha: {angle(f'a{j}')}, "
            f"d: {length(f'D{j}')}, theta: {theta}, r: {r}}}\n"
        )
    return yaml(f"name: tree{seed}\nframes:\n{''.join(rows)}links: symbolic\ngravity: {rng.choice(GRAVITIES)}\n")


FOUR_BAR = """name: four_bar
frames:
  - {ant: 0, theta: t1}
  - {ant: 1, mu: 0, d: D2, theta: t2}
  - {ant: 0, mu: 0, d: D3, theta: t3}
  - {ant: 2, mu: 0, d: D4, theta: t4}
  - {ant: 3, sigma: 2, d: D5}
loops: [[4, 5]]
links: symbolic
gravity: [0, G2, 0]
"""
PARALLELOGRAM = FOUR_BAR.replace("D5", "D2").replace("D4", "D3")
FOUR_BAR_ON_AN_ARM = """name: four_bar_on_an_arm
frames:
  - {ant: 0, theta: t1}
  - {ant: 1, alpha: Pi/2, d: D2, theta: t2}
  - {ant: 1, mu: 0, alpha: Pi/2, d: D3, theta: t3}
  - {ant: 3, mu: 0, d: D4, theta: t4}
  - {ant: 2, mu: 0, d: D5, theta: t5}
  - {ant: 4, sigma: 2, d: D6}
loops: [[5, 6]]
links: symbolic
gravity: [0, G2, 0]
"""
SLIDER_CRANK = """name: slider_crank
frames:
  - {ant: 0, theta: t1}
  - {ant: 1, mu: 0, d: D2, theta: t2}
  - {ant: 0, mu: 0, sigma: 1, alpha: Pi/2, r: r3}
  - {ant: 2, mu: 0, d: D4, theta: t4}
  - {ant: 3, sigma: 2, alpha: -Pi/2}
loops: [[4, 5]]
links: symbolic
gravity: [0, G2, 0]
"""
SWINGING_BLOCK = """name: swinging_block
frames:
  - {ant: 0, theta: t1}
  - {ant: 0, mu: 0, d: D2, theta: t2}
  - {ant: 1, mu: 0, d: D3, theta: t3}
  - {ant: 2, mu: 0, sigma: 1, alpha: Pi/2, r: r4}
  - {ant: 3, sigma: 2, alpha: Pi/2}
loops: [[4, 5]]
links: symbolic
gravity: [0, G2, 0]
"""
PANTOGRAPH = """name: pantograph
frames:
  - {ant: 0, theta: t1}
  - {ant: 1, mu: 0, d: D2, theta: t2}
  - {ant: 0, theta: t3}
  - {ant: 3, mu: 0, d: D4, theta: t4}
  - {ant: 2, mu: 0, d: D4, theta: t5}
  - {ant: 4, sigma: 2, d: D2}
loops: [[5, 6]]
links: symbolic
gravity: [0, G2, 0]
"""

TWO_PARALLELOGRAMS = """name: two_parallelograms
frames:
  - {ant: 0, theta: t1}
  - {ant: 1, mu: 0, d: D2, theta: t2}
  - {ant: 0, mu: 0, d: D3, theta: t3}
  - {ant: 2, d: D6, theta: t4}
  - {ant: 4, mu: 0, d: D7, theta: t5}
  - {ant: 2, mu: 0, theta: t6}
  - {ant: 2, mu: 0, d: D3, theta: t7}
  - {ant: 5, mu: 0, d: D6, theta: t8}
  - {ant: 3, sigma: 2, d: D2}
  - {ant: 6, sigma: 2, gamma: Pi, d: -D7}
loops: [[7, 9], [8, 10]]
links: symbolic
gravity: [0, G2, 0]
"""


def gough_stewart() -> Robot:
    """Six legs and a platform; links of spherical joints are massless."""
    return rs.load("gough_stewart")


def random_values(robot: Robot, rng: np.random.Generator) -> dict[str, float]:
    return {name: float(rng.uniform(0.3, 1.2)) for name in robot.parameters}


def matrix(model: Model, group: str, values: dict[str, float]) -> Array:
    """Return an output group of a model in numbers."""
    return np.array([evaluate([model.definitions[name] for name in row], values) for row in model.outputs[group]])


def with_motion(robot: Robot, values: dict[str, float], q: Array, qd: Array, qdd: Array) -> dict[str, float]:
    """Return values of all symbols for this motion of the joints of the tree."""
    full = dict(values)
    for j, position, rate, acceleration in zip(robot.tree_joints, q, qd, qdd, strict=True):
        full |= {robot.variable(j): position, f"QP{j}": rate, f"QDP{j}": acceleration}
    return full


class ClosedRobot:
    """Loop closure of a robot for given parameters, over the joints of the tree."""

    def __init__(self, robot: Robot, values: dict[str, float]) -> None:
        self.closing = Closing(robot, parallelograms(robot, frame_places(robot, Graph())[0]))
        self.names = [robot.variable(j) for j in robot.tree_joints]
        self.active = [n for n, j in enumerate(robot.tree_joints) if robot.frame(j).mu]
        self.tree_joints = robot.tree_joints
        self.values = values
        self.last = dict.fromkeys(self.closing.gaps.names, 0.0)

    def at(self, q: Array) -> dict[str, float]:
        """Return the values of all joints; the last ones are those of the cut joints."""
        guess = self.values | self.last | dict(zip(self.names, q, strict=True))
        values, _ = self.closing.move(guess, self.tree_joints)
        self.last = {name: values[name] for name in self.closing.gaps.names}
        return values

    def tree(self, values: dict[str, float]) -> Array:
        return np.array([values[name] for name in self.names])

    def sample(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return the most regular of several closed configurations, and a basis of closed velocities."""

        def transmission(values: dict[str, float]) -> float:
            """Return the rate of the fastest joint for unit rates of the active joints."""
            basis = self.closing.velocities(values)
            return float(np.abs(basis @ np.linalg.pinv(basis[self.active])).max())

        values = min(closed_positions(self.closing, self.values, rng, 3), key=transmission)
        return self.tree(values), self.closing.velocities(values)

    def frames(self, q: Array) -> Array:
        """Poses in frame 0, the cut joints at zero."""
        still = dict.fromkeys(self.closing.gaps.names, 0.0)
        values = self.values | still | dict(zip(self.names, q, strict=True))
        gaps = self.closing.gaps
        return gaps.poses(gaps.geometry(values).frames, gaps.position(values))[0]

    def constraints(self, q: Array) -> tuple[Array, Array]:
        """Return the gaps, and a matrix that vanishes for velocities that keep the loops closed."""
        values = self.at(q)
        basis, _ = np.linalg.qr(self.closing.velocities(values))
        return self.closing.gap(values), np.eye(len(q)) - basis @ basis.T

    def _close(self, q: Array) -> Array | None:
        values, left = self.closing.move(self.at(q))
        return self.tree(values) if left < 1e-12 else None


def closure(robot: Robot, values: dict[str, float]) -> ClosedRobot:
    return ClosedRobot(robot, values)


def closing_values(robot: Robot, rng: np.random.Generator) -> dict[str, float]:
    """Return random lengths with which the loops close."""
    for _ in range(10):
        values = random_values(robot, rng)
        with suppress(InputError):
            closure(robot, values).sample(rng)
            return values
    raise AssertionError(robot.name)
