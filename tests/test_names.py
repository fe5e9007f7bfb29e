"""Public names agree between the lazy imports and the type declarations."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import robosym

#: stable names that external programs use
STABLE = """
Error Model Robot load loads library transform direct_geometry inverse_geometry loop_geometry jacobian velocities
accelerations jdot_qdot loop_kinematics inverse_dynamics lagrange inertia_matrix bias_torques direct_dynamics
base_parameters energy_identification power_identification dynamic_identification filtered_identification optimize
read_model
""".split()


def test_public_names_exist() -> None:
    assert set(STABLE) <= set(robosym.__all__) <= set(dir(robosym))
    for name in robosym.__all__:
        assert getattr(robosym, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = robosym.nothing


def test_type_checkers_see_same_names() -> None:
    tree = ast.parse(Path(robosym.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.asname: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("robosym.")
        for alias in node.names
        if alias.asname  # local imports are not exported
    }
    assert seen == {name: f"robosym.{home}" for name, home in robosym._HOME_OF.items()}


def test_import_loads_no_modules() -> None:
    code = "import sys, robosym; print([name for name in sys.modules if name.startswith(('robosym.', 'numpy'))])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout == "[]\n"
