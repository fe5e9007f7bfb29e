"""The characteristic polynomial of the general method: coefficients in powers of x."""

from __future__ import annotations

import numpy as np
import pytest

import robosym as rs
from robosym.algebra import evaluate


@pytest.mark.parametrize("name", ["ur10e", "rx90"])
def test_polynomial_is_the_determinant_and_vanishes_at_solutions(name: str) -> None:
    robot = rs.load(name)
    found = rs.general_equations(robot, stop="determinant")
    lengths = {parameter: 0.45 + 0.1 * k for k, parameter in enumerate(robot.parameters)}
    q = np.array([0.3, -0.5, 0.7, 0.4, -0.6, 0.9])
    T = rs.direct_geometry(robot.with_values(lengths), 0, 6).compile()(q=q)
    assert found.polynomial is not None and found.determinant is not None
    at = {**lengths, **dict(zip(found.problem.entries, T[:3].ravel(), strict=True))}
    values = []
    for x in (0.2, -0.7, 1.3):
        at |= {found.x: x, found.hidden: 2 * np.arctan(x)}
        values.append(np.polyval(evaluate(found.polynomial, at)[::-1], x))
        assert values[-1] == pytest.approx(evaluate([found.determinant], at)[0], rel=1e-6)
    root = np.polyval(evaluate(found.polynomial, at)[::-1], np.tan(q[0] / 2))
    assert abs(root) < 1e-9 * max(map(abs, values))
    assert "p0 + p1*x_t1" in " ".join(str(found.model.code("listing")).split())
