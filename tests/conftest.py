"""What holds for all tests: machine code is made anew, so that no test passes by what was kept from another run.

Tests that take many seconds are marked `long`: `make soak` runs them, `make test` does not.
"""

from __future__ import annotations

import os
import re

import pytest

os.environ["ROBOSYM_CACHE"] = "off"

_LONG = re.compile(
    r"test_every_command_opens|test_unsaved_work_outlives|test_restored_and_compared|test_long_work_is_told"
    r"|test_new_robots|test_files_are_dropped|test_a_motion_plays|test_frames_are_added_moved|test_cells_are_edited"
    r"|test_models_are_as_recorded\[(gs_tree|gen3|panda|iiwa14|tx90|ur5e|ur10e|puma560|lwr|lumped2axis|akr3000)"
    r"|test_a_mode_is_followed\[(stephenson|rrr3)|test_as_many_as_the_rank\[(delta_pa|delta_rods|orthoglide)"
    r"|test_other_models_are_left_what_they_are|test_closed_robots_get_fewer|test_closed_robots_have_second_moments"
    r"|test_no_level_costs_more\w*\[(gs_tree|stanford|ur5e|puma560)|test_speed_adds_no_angle|test_random_robots_at_every_level"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if _LONG.search(item.nodeid):
            item.add_marker(pytest.mark.long)
