"""The models of the library as they were recorded: no operation more, no name different; four of them to the letter."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

import pytest

import robosym as rs
from cases.library import PARALLEL, ROBOTS
from golden.record import FOLDER, LISTINGS, listing_of, path_of, record_of
from long_cases import quick_and_long

#: robots that take long; others of their kind are tested always
LONG = (
    "gs_tree gen3 panda iiwa14 tx90 ur5e ur10e puma560 lwr lumped2axis akr3000 gough_stewart stanford trainer "
    "agile_eye cable8 fivebar gough33 gough63 hexa orthoglide tricept"
)


@pytest.mark.parametrize("name", quick_and_long((*ROBOTS, *PARALLEL), long=LONG))
def test_counts_and_names_are_as_recorded(name: str) -> None:
    same_text(record_of(rs.load(name)), path_of(name))


@pytest.mark.parametrize("name", quick_and_long(["rx90", "stanford", "scara"], long="rx90 stanford scara"))
def test_counts_after_the_longest_search_are_as_recorded(name: str) -> None:
    same_text(record_of(rs.load(name), searched=True), path_of(name, searched=True))


@pytest.mark.parametrize("name", LISTINGS)
def test_listings_are_as_recorded(name: str) -> None:
    same_text(listing_of(name), FOLDER / name)


def test_changed_count_is_shown_as_diff(tmp_path: Path) -> None:
    recorded = tmp_path / "planar2r.txt"
    recorded.write_text("inverse_dynamics 13 16\njacobian 4 4\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"-inverse_dynamics 13 16\n +\+inverse_dynamics 14 16\n +jacobian"):
        same_text("inverse_dynamics 14 16\njacobian 4 4\n", recorded)


def same_text(found: str, recorded: Path) -> None:
    lines = recorded.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = unified_diff(lines, found.splitlines(keepends=True), recorded.name, "now", n=2)
    difference = "".join(changed)
    assert not difference, f"run tests/golden/record.py if this is meant:\n{difference}"
