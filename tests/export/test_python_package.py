"""Packages for pip: built and imported without robosym, compared with Pinocchio."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import robosym as rs
from oracles.pinocchio import Oracle

CHECK = """
import sys
import numpy as np
import arm
assert not any(name.startswith("robosym") for name in sys.modules)
q, qd, qdd = np.load("states.npy")
np.savez("found.npz", tau=arm.inverse_dynamics(q, qd, qdd=qdd), one=arm.inverse_dynamics(q[0], qd, qdd),
         T=arm.direct_geometry(q[0].tolist()), J=arm.jacobian(q.reshape(5, 4, 6)))
for wrong in (dict(), dict(q=q[0], qd=q[0]), dict(q=q[0][:5], qd=qd, qdd=qdd)):
    try:
        arm.inverse_dynamics(**wrong)
    except (TypeError, ValueError) as error:
        print(error)
try:
    arm._functions.inverse_dynamics(q, qd, qdd, np.empty((3, 6)))
except ValueError as error:
    print(error)
"""


def installed(folder: Path) -> Path:
    """Build the extension module beside its sources."""
    pytest.importorskip("setuptools")
    done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, capture_output=True,
                          text=True, timeout=300)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert "warning" not in done.stderr.split("error:")[-1].lower() or "deprecat" in done.stderr.lower()
    return folder


def test_package_agrees_with_pinocchio(tmp_path: Path) -> None:
    robot = rs.load("ur5e")
    rs.build(robot, "python", tmp_path, "inverse_dynamics direct_geometry jacobian", name="arm")
    installed(tmp_path)
    states = np.random.default_rng(1).uniform(-2, 2, (3, 20, 6))
    np.save(tmp_path / "states.npy", states)
    (tmp_path / "check.py").write_text(CHECK)
    done = subprocess.run([sys.executable, "check.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "inverse_dynamics: expected the arguments q, qd, qdd", "inverse_dynamics: expected the arguments q, qd, qdd",
        "inverse_dynamics: q: expected a last axis of length 6, found shape (5,)", "tau: expected doubles, 6 per state",
    ]  # fmt: skip
    found = np.load(tmp_path / "found.npz")
    oracle = Oracle(robot, {})
    right = [oracle.torques(*row, {}) for row in zip(*states, strict=True)]
    np.testing.assert_allclose(found["tau"], right, atol=1e-10)
    mixed = [oracle.torques(states[0, 0], qd, qdd, {}) for qd, qdd in zip(*states[1:], strict=True)]
    np.testing.assert_allclose(found["one"], mixed, atol=1e-10)
    model = rs.direct_geometry(robot)
    assert isinstance(model, rs.Model)
    np.testing.assert_allclose(found["T"], model.compile()(q=states[0, 0]), atol=1e-14)
    np.testing.assert_allclose(found["J"][4, 3], rs.jacobian(robot).compile()(q=states[0, 19]), atol=1e-13)


def test_inputs_that_all_states_share(tmp_path: Path) -> None:
    model = rs.gravity_torques(rs.load("rx90"))
    model.build("python", tmp_path, name="arm")
    installed(tmp_path)
    random = np.random.default_rng(2)
    given = {g: random.uniform(0.1, 1, (3, 6) if g == "q" else len(names)) for g, names in model.inputs.items()}
    np.savez(tmp_path / "given.npz", **given)
    code = "import numpy as np, arm; np.save('found.npy', arm.arm(**np.load('given.npz')))"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=120)
    np.testing.assert_allclose(np.load(tmp_path / "found.npy"), model.compile()(**given), atol=1e-14)
    with pytest.raises(rs.InputError, match="precision: expected auto or double for python"):
        model.build("python", tmp_path, precision="single")
