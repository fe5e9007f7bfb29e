"""Long sums are printed in linear time; constants that are not finite are rejected."""

from __future__ import annotations

import time

import pytest

import robosym as rs

ARM = """name: arm
gravity: [0, 0, G3]
frames:
  - {{theta: t1, d: "{0}", r: 0.1}}
  - {{theta: t2, d: 0.5}}
links:
  - {{M: 1, ZZ: "{1}"}}
  - {{M: 1}}
"""


def test_sum_of_6000_terms_prints_quickly() -> None:
    """A file of 41 kB took 30 s when every partial sum was printed."""
    total = "+".join(f"a{k}" for k in range(6000))
    start = time.process_time()
    robot = rs.loads(ARM.format("0.3", total), "yaml")
    assert rs.loads(robot.dumps("yaml"), "yaml") == robot
    assert str(robot)
    text = rs.inverse_dynamics(robot).code("c")
    assert text.count("a5999") >= 1
    assert time.process_time() - start < 8


@pytest.mark.parametrize("text", ["4*Pi/5e-324", "Pi*1e308", "sqrt(1e308)*1e308", "1e200*1e200", "2*Pi*1e308 + L"])
def test_rejects_infinite_constants(text: str) -> None:
    with pytest.raises(rs.Error, match=r"4:\d+: frame 1: d: .*finite"):
        rs.loads(ARM.format(text, "1"), "yaml")


@pytest.mark.parametrize("length", ["1e200", "1e308", "L/5e-324", "L + 1e308", "5e-324", "Pi*1e300"])
def test_huge_lengths_never_print_inf(length: str) -> None:
    """The result is a model with finite constants or an error."""
    robot = rs.loads(ARM.format(length, "1"), "yaml")
    for make in (
        rs.inverse_dynamics,
        lambda r: rs.direct_geometry(r, 0, 2),
        lambda r: rs.inverse_geometry(r, given="P"),
    ):
        try:
            texts = [make(robot).code(language) for language in ("c", "python", "rust")]
        except rs.Error:
            continue
        for source in texts:
            assert " inf" not in source and "nan" not in source.replace("not a n", "")
