"""Every public function on every kind of robot: a number that an oracle confirms, or an error of ours.

The table in docs/trust.md is what the walk gives; `python tools/table_of_kinds.py` writes it.
"""

from __future__ import annotations

import re
from inspect import unwrap
from pathlib import Path

import pytest

import robosym as rs
from kinds.models import CELLS
from kinds.states import KINDS
from kinds.walk import LONG, WITHOUT_A_ROBOT, cell_of, public_functions, row_text
from long_cases import quick_and_long
from robosym.description.kinds import BASES

TRUST = Path(__file__).parent.parent / "docs" / "trust.md"


def test_every_public_name_is_walked_or_takes_no_robot() -> None:
    assert set(public_functions()) == set(CELLS)
    assert set(WITHOUT_A_ROBOT) <= set(rs.__all__)
    kinds = re.search(r"^\| \| (.*) \|$", TRUST.read_text(), re.M)
    assert kinds is not None and tuple(kinds[1].split(" | ")) == KINDS


@pytest.mark.parametrize("function", quick_and_long(public_functions(), long=LONG))
def test_a_number_that_an_oracle_confirms_or_an_error(function: str) -> None:
    row = row_text(function, [cell_of(function, kind) for kind in KINDS])
    assert row in TRUST.read_text().splitlines(), f"docs/trust.md lacks {row}: python tools/table_of_kinds.py"


def test_functions_of_robots_declare_what_the_base_may_do() -> None:
    """Those that say nothing would drop the motion of a base without a word."""
    platforms = ("cable_tensions", "dexterity", "platform_pose", "singularities", "workspace")
    models = ("compose", "formulations", "identify_payload", "load", "loads", "optimize", "read_model")
    for name in public_functions():
        function = getattr(rs, name)
        if name not in (*platforms, *models):
            assert getattr(function.__wrapped__, "base", None) in BASES, name
            assert unwrap(function).__code__.co_varnames[0] == "robot"
