"""Simulated Windows and macOS: missing or different system functions, and machine code for their processors."""

from __future__ import annotations

import importlib
import io
import multiprocessing
import os
import pickle
import re
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import robosym as rs
from robosym import files, safe_text
from robosym.app.cli import main as command_line
from robosym.app.page import serve
from robosym.app.session import state_files
from robosym.errors import FormatError, InputError
from robosym.runtime import capi, compiled, engine
from robosym.studies import workers

SOURCE = Path(rs.__file__).parent


def windows(**others: object) -> SimpleNamespace:
    """Return the module os as on Windows, for one module; pathlib and pytest use the real one."""
    absent = ("sched_getaffinity", "geteuid", "fork", "nice", "O_NONBLOCK", "register_at_fork")
    kept = {name: value for name, value in vars(os).items() if name not in absent}
    return SimpleNamespace(**{**kept, "name": "nt", **others})


# ------------------------------------------------------------------------------------------------------------- files


def test_open_file_is_replaced_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows a virus scanner or a reader may hold the old file for a moment."""
    attempts = []

    def replace(*paths: str) -> None:
        attempts.append(paths)
        if len(attempts) < 4:
            raise PermissionError(13, "Permission denied")
        os.replace(*paths)

    monkeypatch.setattr(files, "os", windows(replace=replace))
    files.write_text(tmp_path / "a.txt", "new")
    assert len(attempts) == 4 and (tmp_path / "a.txt").read_text(encoding="utf-8") == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_rejects_file_that_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(*paths: str) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.txt").write_text("old", encoding="utf-8")
    monkeypatch.setattr(files, "os", windows(replace=replace))
    monkeypatch.setattr(files, "_PAUSES", (0.0, 0.0))
    with pytest.raises(FormatError, match="permission denied"):
        files.write_text(tmp_path / "a.txt", "new")
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["old"]


def test_directory_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows denies the permission to open a directory."""

    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "os", windows(open=denied))
    with pytest.raises(FormatError, match="found a directory"):
        files.read_bytes(tmp_path)


def test_written_text_has_plain_newlines(tmp_path: Path) -> None:
    rs.inverse_dynamics(rs.load("planar2r")).write(tmp_path / "arm.c")
    assert b"\r" not in (tmp_path / "arm.c").read_bytes()


def test_every_text_file_is_opened_with_an_encoding() -> None:
    """Without one, Windows takes a code page."""
    wrong = []
    for path in (*SOURCE.rglob("*.py"), *(SOURCE.parent.parent / "tools").glob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            call = re.search(r"\.(read_text|write_text)\((.*)|(?<![\w.])open\((.*)", line)
            if call and "def " not in line and not re.search(r'encoding=|"utf-8"|"[rwx]b"|\bImage\b', line):
                wrong.append(f"{path.name}:{number}: {line.strip()}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["con", "NUL.yaml", "com1.urdf", "a. ", "aux."])
def test_names_of_devices_are_no_names_of_files(name: str) -> None:
    safe = state_files.safe_name(name)
    assert not re.match(r"(?i)(con|nul|com\d|aux)(\.|$)", safe) and safe == safe.rstrip(". ")


def test_token_survives_restart_without_file_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows reports every file as readable by all."""
    monkeypatch.setattr(state_files, "os", windows())
    stored = state_files.SessionFiles(tmp_path)
    first = stored.token("a" * 30)
    (tmp_path / "token").chmod(0o666)
    assert stored.token("b" * 30) == first == "a" * 30


# --------------------------------------------------------------------------------------------------------- processes


def square(number: int) -> int:
    return number * number


def test_spawned_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "start_method", lambda: "spawn")
    assert sorted(workers.on_cores(square, [1, 2, 3], 2)) == [(1, 1), (2, 4), (3, 9)]
    with pytest.raises(InputError, match="expected a function that can be pickled"):
        list(workers.on_cores(lambda number: number, [1, 2], 2))


def test_spawned_workers_find_same_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    """The data of the workers can be pickled, and the motion is the same as in one process."""
    module = importlib.import_module("robosym.experiment.exciting_trajectory")
    sent: list[bytes] = []

    def received(work: Callable[[int], object], pieces: list[int], count: int) -> Iterator[tuple[int, object]]:
        sent.append(pickle.dumps(work))
        return workers.here(pickle.loads(sent[-1]), pieces)

    limits = {"position": 2.0, "velocity": 3.0, "acceleration": 10.0}
    asked = {"limits": limits, "harmonics": 2, "starts": 2, "period": 5.0}
    alone = rs.exciting_trajectory(rs.load("scara"), workers=1, **asked)
    monkeypatch.setattr(module, "on_cores", received)
    spread = rs.exciting_trajectory(rs.load("scara"), workers=2, **asked)
    assert sent and spread.condition == pytest.approx(alone.condition, rel=1e-9)


@pytest.mark.parametrize(
    ("platform", "methods", "expected"),
    [
        ("linux", ["fork", "spawn"], "fork"),
        ("darwin", ["spawn", "fork"], "spawn"),
        ("win32", ["spawn"], "spawn"),
    ],
)
def test_start_method(platform: str, methods: list[str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: methods)
    assert workers.start_method() == expected


def test_cores_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    for count, expected in ((None, 1), (8, 8), (128, 60)):
        monkeypatch.setattr(workers, "os", windows(cpu_count=lambda count=count: count))
        assert workers.cores() == expected


# ------------------------------------------------------------------------------------------------------ command line


def test_command_line_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["robosym", "show", r"C:\my robots\arm.yaml", "--near=1,2"]
    monkeypatch.setattr(safe_text, "os", windows())
    assert safe_text.shell_line(words) == r'robosym show "C:\my robots\arm.yaml" --near=1,2'


def test_output_is_utf_8(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp437")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(command_line, "os", windows())
    assert command_line.main(["show", "rx90"]) == 0
    stream.flush()
    assert "Stäubli" in stream.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined]


def test_rejects_port_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """SO_REUSEADDR of Windows lets two programs serve one port; there the exclusive option is asked for."""
    asked = []

    class Trial(socket.socket):
        def setsockopt(self, level: int, option: int, value: int) -> None:  # type: ignore[override]
            asked.append(option)

    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", -5, raising=False)
    monkeypatch.setattr(socket, "socket", Trial)
    assert serve._free(0) > 0 and asked == [-5]


# ------------------------------------------------------------------------------------------------------ machine code

HOSTS = {
    "windows": engine.Host("x86_64-pc-windows-msvc", "x86-64-v3", "+fma", 32),
    "macos-arm": engine.Host("arm64-apple-darwin", "apple-m1", "", 16),
    "macos-intel": engine.Host("x86_64-apple-darwin", "x86-64-v3", "+fma", 32),
    "linux-arm": engine.Host("aarch64-unknown-linux-gnu", "generic", "", 16),
}
MAGIC = {
    "windows": b"\x7fELF",
    "linux-arm": b"\x7fELF",
    "macos-arm": b"\xcf\xfa\xed\xfe",
    "macos-intel": b"\xcf\xfa\xed\xfe",
}


class Emitted(Exception):
    """Object file for another machine, which cannot be loaded here."""


@pytest.fixture(scope="module", autouse=True)
def every_target() -> None:
    engine.host()
    engine.llvm.initialize_all_targets()
    engine.llvm.initialize_all_asmprinters()


@pytest.mark.parametrize("name", HOSTS)
def test_machine_code_for_other_systems(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the format that the JIT of that system links, and it calls nothing but functions that are made known to it."""
    machine = HOSTS[name]
    make = engine._compiled

    def emit(text: str, _: object, loops: bool) -> bytes:
        raise Emitted(make(text, machine, loops), text)

    monkeypatch.setenv("ROBOSYM_CACHE", "off")
    monkeypatch.setattr(engine, "_compiled", emit)
    for module in (engine, *(sys.modules[key] for key in list(sys.modules) if key.startswith("robosym.runtime."))):
        if hasattr(module, "host"):
            monkeypatch.setattr(module, "host", lambda: machine)
    if name == "windows":  # llvmlite checks the system here
        monkeypatch.setattr(sys.modules["llvmlite.binding.targets"], "os", windows())
    with pytest.raises(Emitted) as found:
        rs.inverse_dynamics(rs.load("rx90")).compile(cached=False)
    code, text = found.value.args
    assert code.startswith(MAGIC[name])
    called = set(re.findall(rb"[\w.]*(?:Py[A-Z]\w+_\w+|robosym_\w+|__chkstk|memcpy|memset|memmove|sincos\w*)", code))
    known = (
        {f"robosym_{function}" for function in (*engine.LIBM, "malloc", "free")} | {"PyArray_New"} | set(capi._PYTHON)
    )
    known |= {"__chkstk"} if name == "windows" else set()  # the host provides it from ntdll
    defined = set(re.findall(r"define [^@]*@(\w+)", text))
    strange = {word.decode().lstrip("_") for word in called} - {word.lstrip("_") for word in known | defined}
    assert not strange and len(called) > 10
    assert name != "windows" or b"__chkstk" in code


def test_c_functions_by_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def library(name: str) -> object:
        asked.append(name)
        return SimpleNamespace()

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(engine.ctypes, "CDLL", library)
    with pytest.raises(RuntimeError, match="does not have the function sin"):
        engine._address("sin")
    assert asked == ["ucrtbase", "msvcrt", "ntdll"]


def test_general_call_for_unknown_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another build of Python or NumPy may have other field offsets: calls then go through NumPy."""
    usual = rs.inverse_dynamics(rs.load("planar2r")).compile()
    state = {
        group: np.full(len(names), 0.3) for group, names in rs.inverse_dynamics(rs.load("planar2r")).inputs.items()
    }
    for module in (capi, *(sys.modules[key] for key in list(sys.modules) if key.startswith("robosym.runtime."))):
        if hasattr(module, "layout_is_known"):
            monkeypatch.setattr(module, "layout_is_known", lambda: False)
    other = rs.inverse_dynamics(rs.load("planar2r")).compile(cached=False)
    assert isinstance(other, compiled.Compiled)
    np.testing.assert_array_equal(other(**state), usual(**state))
