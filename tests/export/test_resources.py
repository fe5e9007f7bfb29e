"""Counted instructions compared with those that a debugger steps through."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import robosym as rs
from robosym.export.processors.objects import object_code

MAIN = """
void counted(const double *q, double *Q);
int main(void) {{ double q[] = {{{q}}}, Q[8]; counted(q, Q); return Q[0] > 1e9; }}
"""
STEPS = """
break counted
run
python
count, frame = 0, gdb.selected_frame().older().pc()
while int(gdb.parse_and_eval("(long)$pc")) != frame:
    gdb.execute("stepi", to_string=True)
    count += 1
print("executed", count)
end
"""
_DEBUGGER = platform.machine() == "x86_64" and all(map(shutil.which, ("gdb", "gcc")))


@pytest.mark.skipif(not _DEBUGGER, reason="counts instructions of x86-64 by gdb")
def test_debugger_executes_as_many_instructions(tmp_path: Path) -> None:
    model = rs.gravity_torques(rs.load("planar2r"))
    found = model.resources("x86_64-linux")
    (tmp_path / "counted.o").write_bytes(object_code({"counted": model}, "x86_64-linux"))
    (tmp_path / "steps").write_text(STEPS, "utf-8")
    least, most = found.instructions
    for q in ("0.1, 0.2", "1.2, -2.5", "100, 3"):
        (tmp_path / "main.c").write_text(MAIN.format(q=q), "utf-8")
        subprocess.run(["gcc", "main.c", "counted.o", "-o", "main"], cwd=tmp_path, check=True, capture_output=True)
        line = ["gdb", "-batch", "-nx", "-x", "steps", "main"]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
        executed = re.search(r"executed (\d+)", done.stdout)
        if executed is None:
            pytest.skip(f"gdb cannot run a program here: {done.stderr[-200:]}")
        assert least <= int(executed[1]) <= most
    assert most - least <= 4


@pytest.mark.parametrize("target", ["cortex-m4f", "cortex-m7", "aarch64-linux", "riscv64-linux"])
def test_counts_grow_with_the_model(target: str) -> None:
    small, large = (rs.gravity_torques(rs.load(name)).resources(target) for name in ("planar2r", "puma560"))
    assert 2 * small.instructions[1] < large.instructions[0] <= large.instructions[1]
    if target == "cortex-m4f":
        assert large.cycles is not None and large.instructions[1] < large.cycles < 5 * large.instructions[1]
        assert "cycles (Cortex-M4F" in str(large)
    else:
        assert large.cycles is None


def test_reports_models_that_cannot_be_counted() -> None:
    model = rs.gravity_torques("planar2r")
    with pytest.raises(rs.InputError, match="run-time library"):
        model.resources("cortex-m0plus")
    with pytest.raises(rs.InputError, match="target: expected cortex"):
        model.resources("cortex-m5")
