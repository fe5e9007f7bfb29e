"""Positions in which loop coefficients vanish, in evaluation, machine code and every language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from cases import toolchains
from cases.linkages import orthoglide_at_home, upu_at_home
from cases.moving import Moving, off
from long_cases import each_once
from robosym.coordinates.closing import Closing, reached_from, reference_position
from robosym.model import Model

LANGUAGES: dict[str, Callable[..., toolchains.Outputs]] = {
    "c": toolchains.c, "c++": toolchains.cpp, "fortran": toolchains.fortran, "octave": toolchains.octave,
    "python": toolchains.python, "rust": toolchains.rust,
}  # fmt: skip
ROBOTS = {"orthoglide": orthoglide_at_home, "three_upu": upu_at_home}


@cache
def at_home(name: str) -> Moving:
    """Return the home position of a robot with another reference position in the same mode."""
    robot, home = ROBOTS[name]()
    closing = Closing(robot)
    start = reference_position(closing, home, {})
    away = reached_from(
        closing, start, 30, np.random.default_rng(2), (1, 7, 12) if name == "orthoglide" else (3, 8, 12)
    )
    return Moving(robot, away[-1], 4, also=[start])


@cache
def models(name: str) -> dict[str, Model]:
    robot = at_home(name).robot
    loops, inverse, direct = rs.loop_kinematics(robot), rs.inverse_dynamics(robot), rs.direct_dynamics(robot)
    return {"W": loops.solution(), "inverse": inverse, "direct": direct}


def expected(m: Moving, kind: str) -> np.ndarray:
    if kind == "inverse":
        return np.array([list(tau.values()) for tau in m.tau])
    joints = (*m.constraints.active, *m.constraints.passive)
    return m.over(m.qdd, joints)


@pytest.mark.parametrize("kind", ["inverse", "direct"])
@pytest.mark.parametrize("name", ROBOTS)
def test_machine_code(name: str, kind: str) -> None:
    m, model = at_home(name), models(name)[kind]
    found = model.compile()(**{group: states(m, names) for group, names in model.inputs.items()})
    table = found if kind == "inverse" else np.concatenate(found, axis=1)
    assert off(table, expected(m, kind)) < 1e-9


@pytest.mark.parametrize("name", ROBOTS)
def test_rates(name: str) -> None:
    m, model = at_home(name), models(name)["W"]
    W = model.compile()(q=m.q)[0]
    found = np.einsum("spa,sa->sp", W, m.over(m.qd, m.constraints.active))
    assert off(found, m.over(m.qd, m.constraints.passive)) < 1e-9


def states(m: Moving, names: tuple[str, ...]) -> np.ndarray:
    return np.column_stack([m.values[name] for name in names])


@pytest.mark.parametrize(("language", "case"), each_once(list(LANGUAGES), ["orthoglide inverse", "three_upu direct"]))
def test_emitted_code(language: str, case: str, tmp_path: Path) -> None:
    name, kind = case.split()
    m, model = at_home(name), models(name)[kind]
    given: list[Mapping[str, list[float]]] = [
        {group: states(m, names)[s].tolist() for group, names in model.inputs.items()} for s in range(len(m.q))
    ]
    assert off(np.array(LANGUAGES[language](model, given, tmp_path)), expected(m, kind)) < 1e-9
