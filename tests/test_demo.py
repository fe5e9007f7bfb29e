"""The script of the live demonstration in the documentation, run by Node."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import numpy as np

from cases.toolchains import run, tool
from oracles.pinocchio import Oracle

ROOT = Path(__file__).parent.parent
CHECK = """
globalThis.window = {}; globalThis.document = { baseURI: "file:///page.html" };
const { readFileSync } = await import("node:fs");
(0, eval)(readFileSync("rx90.js", "utf8"));
const arm = await window.robosymDemo;
const q = [0.5, 1.1, -2.4, 0.3, 1.0, 0.2], rest = new Array(6).fill(0);
const T = arm.direct_geometry(q);
const reached = arm.inverse_geometry(T, q).map((solution) => [...arm.direct_geometry(solution)]);
console.log(JSON.stringify([[...arm.inverse_dynamics(q, rest, rest)], [...T], reached]));
"""


def test_functions_of_the_demonstration(tmp_path: Path) -> None:
    demo = runpy.run_path(str(ROOT / "tools" / "demo.py"))
    (tmp_path / "rx90.js").write_text(demo["script"]())
    (tmp_path / "check.mjs").write_text(CHECK)
    tau, T, reached = json.loads(run(tool("node"), "check.mjs", cwd=tmp_path))
    q = np.array([0.5, 1.1, -2.4, 0.3, 1.0, 0.2])
    expected = Oracle(demo["robot"](), {}).torques(q, 0 * q, 0 * q, {})
    np.testing.assert_allclose(tau, expected, atol=1e-10)
    assert len(reached) == 8
    np.testing.assert_allclose(reached, [T] * 8, atol=1e-9)
    page = (ROOT / "docs" / "demo.md").read_text()
    assert 'src="demo/rx90.js"' in page and 'src="demo.js"' in page and 'id="robot-demo"' in page
