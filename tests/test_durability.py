"""Interrupted writes and full disks leave the old or the new file, never a partial one."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import robosym as rs
from robosym.files import write_text

WRITER = """
import sys
from robosym.files import write_text
texts = ["a" * 300_000, "b" * 500_000]
print("begun", flush=True)
while True:
    for text in texts:
        write_text(sys.argv[1], text)
"""


def test_killed_writer(tmp_path: Path) -> None:
    """A writer killed at random times leaves complete files."""
    path = tmp_path / "file.txt"
    path.write_text("a" * 300_000)
    for turn in range(4):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.05 + 0.013 * turn)
            writer.send_signal(signal.SIGKILL)
        assert path.read_text() in ("a" * 300_000, "b" * 500_000)


def test_full_disk(tmp_path: Path) -> None:
    """A file size limit simulates a full disk: a message, the old file, no temporary files."""
    path = tmp_path / "robot.yaml"
    rs.load("rx90").write(path)
    before = path.read_text()
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        try:
            rs.load("puma560").write(path)
        except rs.Error as error:
            os._exit(0 if "robot.yaml" in str(error) else 2)
        finally:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


def test_missing_home_and_cache(tmp_path: Path) -> None:
    """Machine code is generated without a cache, and with a cache that is not writable."""
    code = (
        "import robosym as rs; print(rs.inverse_dynamics('planar2r').compile()(q=[0, 0], qd=[0, 0], qdd=[1, 1]).shape)"
    )
    (tmp_path / "file").write_text("")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("ROBOSYM", "XDG", "HOME"))}
    for extra in ({}, {"HOME": str(tmp_path / "file")}):
        done = subprocess.run(
            [sys.executable, "-c", code], env=plain | extra, capture_output=True, text=True, check=False
        )
        assert done.stdout.strip() == "(2,)", done.stderr


def test_unwritable_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(rs.FormatError):
        write_text(tmp_path / "file" / "robot.yaml", "a")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device stands for a full disk")
@pytest.mark.parametrize("line", ["show planar2r", "inverse-dynamics scara", "--version"])
def test_output_to_full_disk(line: str) -> None:
    """Output larger and smaller than a buffer, which Python writes at exit."""
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "robosym", *line.split()]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "robosym: standard output: no space left on device\n")
