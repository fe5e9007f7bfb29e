"""Balances of energy and momentum of robots in free flight over 10 s, relative to their largest values.

A tumbling quadruped and a closed linkage with a wrist on a free base fall with moving joints: the energy is constant,
the angular momentum about the center of mass, too, and the linear momentum changes by the weight.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from table import Row, print_table

import robosym as rs

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from cases.floating import closed, quadruped

SECONDS, STEP = 10, 5e-4


def balances(robot: rs.Robot) -> tuple[float, float, float]:
    """Return the largest errors of energy, angular and linear momentum."""
    links = range(1, robot.NL + 1)
    robot = robot.edit({f"link{j}.{name}": 0 for j in links for name in ("FV", "FS", "IA")})
    rng = np.random.default_rng(1)
    count = len(rs.inverse_dynamics(robot).inputs["qd"])
    q = None if robot.loops else rng.uniform(-0.5, 0.5, len(robot.tree_joints))
    run = rs.simulate(
        robot, q, rng.uniform(-0.5, 0.5, count), until=SECONDS, step=STEP, every=20, method="rk5", friction="sign",
        base_velocity=rng.uniform(-0.5, 0.5, 6),
    )  # fmt: skip
    model = rs.centroidal_momentum(robot.with_inputs("orientation"), axes="world").compile()
    turned = run.state("base_pose")[:, 3:]
    found = model(q=run.q, qd=run.qd, base_velocity=run.state("base_velocity"), base_orientation=turned).momentum
    angular, linear = found[:, :3], found[:, 3:]
    mass = sum(float(str(link.M)) for link in robot.all_links)
    weight = mass * np.array([float(str(g)) for g in robot.gravity])
    fallen = linear - linear[0] - run.t[:, None] * weight
    return (
        float(np.abs(run.energy - run.energy[0]).max() / run.kinetic.max()),
        float(np.abs(angular - angular[0]).max() / np.abs(angular).max()),
        float(np.abs(fallen).max() / np.abs(linear).max()),
    )


def main() -> None:
    rows = []
    for what, robot in (("quadruped", quadruped()), ("linkage on a free base", closed("floating"))):
        names = ("energy", "angular momentum", "linear momentum")
        rows += [Row(f"{what}: {name}", error, 1e-9) for name, error in zip(names, balances(robot), strict=True)]
    print_table("Balances over 10 s of free flight", rows)


if __name__ == "__main__":
    main()
