"""Every public function on every kind of robot: a value confirmed by an oracle, or a robosym error.

The table in docs/trust.md contains the results; `python tools/table_of_kinds.py` writes it.
"""

from __future__ import annotations

import re
from inspect import unwrap
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from evaluation import on_groups
from kinds.models import CELLS
from kinds.states import KINDS, robot_of, state_of
from kinds.walk import LONG, WITHOUT_A_ROBOT, cell_of, public_functions, row_text
from long_cases import quick_and_long
from oracles.reduced import Reduced
from robosym.coordinates.accepts import accepted_by
from robosym.mechanism.needs import BASES

TRUST = Path(__file__).parent.parent / "docs" / "trust.md"


def test_covers_public_functions() -> None:
    assert set(public_functions()) == set(CELLS)
    assert set(WITHOUT_A_ROBOT) <= set(rs.__all__)
    kinds = re.search(r"^\| \| (.*) \|$", TRUST.read_text(), re.M)
    assert kinds is not None and tuple(kinds[1].split(" | ")) == KINDS


@pytest.mark.parametrize("function", quick_and_long(public_functions(), long=LONG))
def test_value_is_confirmed_or_error(function: str) -> None:
    row = row_text(function, [cell_of(function, kind) for kind in KINDS])
    assert row in TRUST.read_text().splitlines(), f"docs/trust.md lacks {row}: python tools/table_of_kinds.py"


def test_functions_declare_supported_bases() -> None:
    """Functions without a declaration would ignore the motion of a base silently."""
    platforms = (
        "cable_tensions", "dexterity", "platform_pose", "singularities", "singularity_free", "workspace",
        "workspace_volume",
    )  # fmt: skip
    models = ("compose", "formulations", "identify_payload", "load", "loads", "optimize", "read_model", "verify")
    for name in public_functions():
        function = getattr(rs, name)
        if name not in (*platforms, *models):
            assert (found := accepted_by(function.__wrapped__)) is not None and found.base in BASES, name
            assert unwrap(function).__code__.co_varnames[0] == "robot"


def test_springs_in_loops_act_or_raise() -> None:
    """Springs of passive joints load the motors; models without support raise an error."""
    s = state_of("closed")
    elastic = s.robot.edit({"joint3.eta": 1, "joint3.k": 40.0})
    t = Reduced(elastic, s.truth.q, np.random.default_rng(5))
    inputs = {"q": t.q, "qd": t.y, "qdd": t.yd}
    assert np.abs(t.G.T @ t.springs).max() > 1
    np.testing.assert_allclose(on_groups(rs.inverse_dynamics(elastic), **inputs), t.tau - t.G.T @ t.springs, atol=1e-9)
    for law in (rs.computed_torque, rs.bias_torques):
        law(elastic)
    for model in (
        rs.dynamic_identification, rs.energy_identification, rs.power_identification, rs.filtered_identification,
        rs.pd_gravity, rs.Recursive,
    ):  # fmt: skip
        with pytest.raises(rs.InputError, match="joint 3 is elastic"):
            model(elastic)


@pytest.mark.parametrize("kind", ["mobile", "floating"])
def test_recursive_estimate_needs_fixed_base(kind: str) -> None:
    with pytest.raises(rs.InputError, match=f"{kind} base: Recursive supports a fixed base"):
        rs.Recursive(robot_of(kind))


def test_unrelated_joints_are_not_singularities() -> None:
    """Also as a separate model: the wrist of a closed robot after the link, whose twists are exact."""
    s = state_of("closed")
    found = rs.inverse_kinematics(s.robot, 3)
    twist = on_groups(rs.jacobian(s.robot, 3), q=s.truth.q).reshape(6, 3) @ s.truth.y
    z = s.truth.y[2]
    by_model = on_groups(found.model, q=s.truth.q, twist=twist, gradient=[0, 0, z], parameters={"lambda2": 0.0})
    np.testing.assert_allclose(by_model, s.truth.y, atol=1e-9)
    assert found.manipulability(s.truth.q) > 1e-4
