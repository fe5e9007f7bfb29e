"""Paths, encodings and atomic writing: hostile paths raise our errors and leave no partial file."""

import os
import stat
from pathlib import Path

import pytest

from robosym.errors import Error, FormatError, InputError
from robosym.files import MAX_BYTES, write_text
from robosym.formats import dumps, load, write

RX90 = load("rx90")


def failure(path: object) -> str:
    with pytest.raises(Error) as caught:
        load(path)  # type: ignore[arg-type]
    return str(caught.value)


def test_unknown_names() -> None:
    assert "unknown robot 'rx9' (did you mean 'rx90'?)" in failure("rx9")
    assert "unknown robot ''" in failure("")
    assert "sr400" in failure("nothing like it")
    assert "unknown robot 'x\\x00'" in failure("x\0")
    assert "unknown robot" in failure("x" * 100_000)
    for wrong in (None, 3, b"rx90", ["rx90"]):
        with pytest.raises(InputError):
            load(wrong)  # type: ignore[arg-type]


def test_paths(tmp_path: Path) -> None:
    assert failure(tmp_path / "no.par").endswith("no.par: file not found")
    assert "file not found" in failure(tmp_path / "no" / "no.yaml")
    (tmp_path / "folder.par").mkdir()
    assert failure(tmp_path / "folder.par").endswith("folder.par: expected a file, found a directory")
    expected = "expected a file with the extension .par, .yaml, .yml, .urdf, .xml, .mjcf, .sdf, .xacro, found"
    assert f"{expected} '.dae'" in failure(tmp_path / "robot.dae")
    assert f"{expected} a directory" in failure(tmp_path)
    assert f"{expected} none" in failure("../rx90")
    assert "rx90" in failure("../library/rx90")
    assert "null" in failure("a\0b.par")
    assert "too long" in failure("x" * 5000 + ".par")
    (tmp_path / "loop.par").symlink_to(tmp_path / "loop.par")
    assert "loop.par: " in failure(tmp_path / "loop.par")
    if Path("/dev/zero").exists():
        (tmp_path / "zero.par").symlink_to("/dev/zero")
        assert "expected a regular file" in failure(tmp_path / "zero.par")
        os.mkfifo(tmp_path / "pipe.par")  # without a writer
        assert "expected a regular file" in failure(tmp_path / "pipe.par")


def test_unreadable(tmp_path: Path) -> None:
    secret = tmp_path / "secret.par"
    secret.write_text("NF = 1")
    secret.chmod(0)
    if os.access(secret, os.R_OK):
        pytest.skip("this user may read everything")
    assert failure(secret).endswith("secret.par: permission denied")


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "r.par"
    text = "(* 1 rue de la No\xeb, Nantes *)\n" + dumps(RX90)
    for encoding in ("utf-8", "utf-8-sig", "latin-1"):
        path.write_bytes(text.encode(encoding))
        assert load(path) == RX90
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert load(path) == RX90
    for encoding in ("utf-16", "utf-16-le", "utf-32"):
        path.write_bytes(text.encode(encoding))
        assert "expected text in UTF-8 or Latin-1" in failure(path)
    path.write_bytes(b"\x7fELF\x01\x01\x00\x00")
    assert "r.par:1: expected text in UTF-8 or Latin-1, found a zero byte" in failure(path)
    path.write_bytes(bytes(range(128, 256)) * 10)
    assert "r.par:1:1: expected a key" in failure(path)
    path.write_bytes(b"")
    assert failure(path).endswith("r.par: expected a robot description, found an empty file")


def test_error_position_starts_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "r.par"
    path.write_text(dumps(RX90).replace("D3", "D3$"))
    line = dumps(RX90)[: dumps(RX90).index("D3")].count("\n") + 1
    assert failure(path) == f"{path}:{line}:15: frame 3: d: unexpected character '$'"


def test_name_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "my arm.par"
    path.write_text(dumps(RX90).replace("Robotname = 'rx90'", ""))
    assert load(path).name == "my arm"


def test_too_long(tmp_path: Path) -> None:
    path = tmp_path / "r.par"
    with open(path, "wb") as stream:
        stream.truncate(MAX_BYTES + 10)
    assert "the file is longer than" in failure(path)


def test_write_is_atomic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.par"
    write(RX90, path)
    before = path.read_text()
    path.chmod(0o640)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(FormatError, match=r"r\.par: no space left on device"):
            write(load("sr400"), path)
    assert path.read_text() == before
    assert os.listdir(tmp_path) == ["r.par"]
    write(load("sr400"), path)
    assert load(path) == load("sr400")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["r.par"]


def test_write_to_hostile_paths(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="extension"):
        write(RX90, tmp_path / "r.txt")
    with pytest.raises(FormatError, match="directory not found"):
        write(RX90, tmp_path / "no" / "r.par")
    (tmp_path / "d.par").mkdir()
    with pytest.raises(FormatError, match="found a directory"):
        write(RX90, tmp_path / "d.par")
    os.mkfifo(tmp_path / "pipe.par")  # must not be replaced by a file; /dev/null likewise
    with pytest.raises(FormatError, match="found a device or a pipe"):
        write(RX90, tmp_path / "pipe.par")
    assert (tmp_path / "pipe.par").is_fifo()
    (tmp_path / "pipe.par").unlink()
    with pytest.raises(FormatError, match="null"):
        write(RX90, "a\0.par")
    with pytest.raises(FormatError, match="too long"):
        write(RX90, tmp_path / ("x" * 5000 + ".par"))
    with pytest.raises(FormatError, match="cannot be written"):
        write_text(tmp_path / "t", "\ud800")
    assert os.listdir(tmp_path) == ["d.par"]
    with pytest.raises(InputError, match="unknown format"):
        dumps(RX90, "pdf")


def test_write_follows_links(tmp_path: Path) -> None:
    target, link = tmp_path / "target.par", tmp_path / "link.par"
    write_text(target, "old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink() and target.read_text() == "new"
