"""Compare base inertial parameters with figaroh: their number, and the time to find them.

figaroh evaluates Pinocchio's regressor at random states and finds dependent columns by QR. robosym groups the
parameters by symbolic rules. Both receive the same arm as a URDF file with ten inertial parameters per link, without
friction and rotors. Rank is the rank of figaroh's regressor by NumPy. Not installed programs are left out:
`make compare` installs them.
"""

from __future__ import annotations

import contextlib
import io
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from table import Row, note, print_table, spread_of

import robosym as rs

ARMS = ("ur5e", "puma560", "panda")
STATES, ROUNDS = 200, 7
OPTIONS = {"is_joint_torques": True, "has_friction": False, "has_actuator_inertia": False, "has_joint_offset": False}


def with_figaroh(file: Path) -> Callable[[], tuple[int, int]]:
    """Return a function that computes the number of base parameters, and the rank of the regressor."""
    regressor, decomposition = import_module("figaroh.tools.regressor"), import_module("figaroh.tools.qrdecomposition")
    arm = import_module("figaroh.tools.load_robot").load_robot(str(file))
    angles, qd, qdd = np.random.default_rng(5).uniform(-2, 2, (3, STATES, arm.model.nv))
    pin = import_module("pinocchio")  # a continuous joint has two entries in its q
    q = np.array([pin.integrate(arm.model, pin.neutral(arm.model), x) for x in angles])

    options = OPTIONS | {"act_idxv": list(range(arm.model.nv))}

    def run() -> tuple[int, int]:
        W = regressor.build_regressor_basic(arm, q, qd, qdd, options)
        names: dict[str, Any] = {f"p{k}": 0.0 for k in range(W.shape[1])}
        removed, left = regressor.get_index_eliminate(W, names, 1e-6)
        reduced = regressor.build_regressor_reduced(W, removed)
        return len(decomposition.get_baseIndex(reduced, left)), int(np.linalg.matrix_rank(W))

    return run


def seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def compare(name: str, folder: Path) -> list[Row]:
    file = folder / f"{name}.urdf"
    rs.load(name).write(file)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            theirs = with_figaroh(file)
            found, rank = theirs()
    except ImportError as error:
        print(f"left out: figaroh ({error})")
        return []

    def ours() -> int:
        robot = rs.load(str(file)).symbolic()
        without_rotors = robot.with_values({str(link.IA): 0 for link in robot.links if str(link.IA).startswith("IA")})
        return len(rs.base_parameters(without_rotors).names)

    own = ours()
    for program, number in (("figaroh", found), ("robosym", own), ("rank", rank)):
        note(f"{name}: base parameters, {program}", number)
    pairs = [(seconds(theirs), seconds(ours)) for _ in range(ROUNDS)]
    them, us = (statistics.median(side) * 1e3 for side in zip(*pairs, strict=True))
    ratios = [a / b for a, b in pairs]
    what = f"{name}: figaroh over robosym ({them:.0f} ms over {us:.0f} ms; {found}, {own}, rank {rank})"
    return [Row(what, statistics.median(ratios), 0.01, at_least=True, spread=spread_of(ratios), key=name)]


def main() -> None:
    warnings.simplefilter("ignore", rs.RobotWarning)  # published inertias of the Puma 560 are not consistent
    with tempfile.TemporaryDirectory() as temporary:
        rows = [row for name in ARMS for row in compare(name, Path(temporary))]
    print_table("base inertial parameters: time over that of robosym", rows)


if __name__ == "__main__":
    main()
