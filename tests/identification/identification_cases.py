"""Robots for the tests of identification: trees near every special case, closed loops, the Gough-Stewart robot."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

import robosym as rs
from robosym.algebra import Graph, evaluate
from robosym.identification.closure import Closure
from robosym.identification.parallelograms import parallelograms
from robosym.identification.places import frame_places
from robosym.model import Model
from robosym.robot import INERTIA, Robot

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
    """A tree of one to six links with many parallel axes, zero lengths, prismatic joints and directions of gravity."""
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
    """Six legs (universal joint, prismatic joint) and a platform on spherical joints, links of which have no mass.

    The platform is link 6, at the end of leg 1; the spherical joints of the other legs are cut at their last axis.
    """
    rows: list[str] = []
    real: list[int] = []
    ends: list[int] = []
    legs = (("0", "0", "0"), ("0", "0", "D2"), *((f"g{i}", f"B{i}", f"D{i}") for i in range(3, 7)))
    for number, (gamma, b, d) in enumerate(legs):
        n = len(rows)
        rows += [
            f"{{ant: 0, mu: 0, gamma: {gamma}, b: {b}, alpha: -Pi/2, d: {d}, theta: t{n + 1}}}",
            f"{{ant: {n + 1}, mu: 0, alpha: Pi/2, theta: t{n + 2}}}",
            f"{{ant: {n + 2}, sigma: 1, alpha: Pi/2, r: r{n + 3}}}",
            f"{{ant: {n + 3}, mu: 0, theta: t{n + 4}}}",
            f"{{ant: {n + 4}, mu: 0, alpha: Pi/2, theta: t{n + 5}}}",
        ]
        real += [n + 1, n + 2, n + 3]
        if number == 0:
            rows.append(f"{{ant: {n + 5}, mu: 0, alpha: -Pi/2, theta: t{n + 6}}}")
            real.append(n + 6)
        else:
            ends.append(n + 5)
    count, platform = len(rows), 6
    rows += [f"{{ant: {end}, mu: 0, alpha: -Pi/2, theta: t{count + i}}}" for i, end in enumerate(ends, 1)]
    rows += [f"{{ant: {platform}, sigma: 2, gamma: pg{i}, b: pb{i}, d: pd{i}}}" for i in range(2, 7)]
    loops = ", ".join(f"[{count + i}, {count + 5 + i}]" for i in range(1, 6))
    frames = "".join(f"  - {row}\n" for row in rows)
    links = "".join(f"  {j}: {{{', '.join(f'{name}: {name}{j}' for name in INERTIA)}}}\n" for j in real)
    return yaml(f"name: gough_stewart\nframes:\n{frames}loops: [{loops}]\nlinks:\n{links}gravity: [0, 0, G3]\n")


def random_values(robot: Robot, rng: np.random.Generator) -> dict[str, float]:
    return {name: float(rng.uniform(0.3, 1.2)) for name in robot.parameters}


def matrix(model: Model, group: str, values: dict[str, float]) -> Array:
    """An output group of a model in numbers."""
    return np.array([evaluate([model.definitions[name] for name in row], values) for row in model.outputs[group]])


def with_motion(robot: Robot, values: dict[str, float], q: Array, qd: Array, qdd: Array) -> dict[str, float]:
    """Values of all symbols when the joints of the tree move so."""
    full = dict(values)
    for j, position, rate, acceleration in zip(robot.tree_joints, q, qd, qdd, strict=True):
        full |= {robot.variable(j): position, f"QP{j}": rate, f"QDP{j}": acceleration}
    return full


def closure(robot: Robot, values: dict[str, float]) -> Closure:
    return Closure(robot, values, parallelograms(robot, frame_places(robot, Graph())[0]))
