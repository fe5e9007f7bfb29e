"""Writing that is killed, or has no room: the old file or the new one, never half of it."""

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


def test_a_writer_that_is_killed(tmp_path: Path) -> None:
    """At moments that nobody chose; what is there is whole."""
    path = tmp_path / "file.txt"
    path.write_text("a" * 300_000)
    for turn in range(4):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(0.05 + 0.013 * turn)
            writer.send_signal(signal.SIGKILL)
        assert path.read_text() in ("a" * 300_000, "b" * 500_000)


def test_a_disk_without_room(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk: a message, the old file, nothing left beside it."""
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


def test_no_home_and_no_cache(tmp_path: Path) -> None:
    """Machine code is made without a place to keep it, and with one that cannot be written."""
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


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(rs.FormatError):
        write_text(tmp_path / "file" / "robot.yaml", "a")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device stands for a full disk")
@pytest.mark.parametrize("line", ["show planar2r", "inverse-dynamics scara", "--version"])
def test_what_is_printed_into_a_file_on_a_full_disk(line: str) -> None:
    """More than a buffer holds, and less, which Python writes at its end."""
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "robosym", *line.split()]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "robosym: standard output: no space left on device\n")
