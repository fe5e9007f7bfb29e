"""Invalid logs are rejected or corrected."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robosym as rs
from robosym.experiment.filters import between, derivatives

T = np.arange(0, 4, 0.01)
Q = np.column_stack([np.sin(3 * T), np.cos(2 * T)])
TAU = np.column_stack([T, -T])


def changed(array: np.ndarray[Any, Any], at: Any, value: Any) -> np.ndarray[Any, Any]:
    array = array.copy()
    array[at] = value
    return array


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"t": T, "q": changed(Q, (7, 1), np.nan), "tau": TAU}, "q2: sample 7: expected a finite number, found nan"),
        ({"t": T, "q": Q, "tau": changed(TAU, (3, 0), np.inf)}, "tau1: sample 3: expected a finite number"),
        ({"t": T, "q": Q.astype(object), "tau": [["a", "b"]] * len(T)}, "tau: sample 0: expected a number, found 'a'"),
        ({"t": T[:1], "q": Q[:1], "tau": TAU[:1]}, "at least 20 samples, found 1"),
        ({"t": T[::-1], "q": Q, "tau": TAU}, "expected increasing times"),
        ({"t": 0 * T, "q": Q, "tau": TAU}, "the same time in all samples"),
        ({"t": T, "q": Q.T, "tau": TAU}, "transpose it"),
        ({"t": T, "q": Q, "tau": TAU[:, :1]}, "tau: expected 2 joints"),
        ({"t": T, "q": Q}, "expected torques"),
        ({"q": Q, "tau": TAU}, "expected times"),
        ({"t": T, "tau": TAU}, "expected positions"),
        ({"t": T, "q": 1j * Q, "tau": TAU}, "real numbers"),
        ({"t": T, "q": Q, "tau": TAU, "current": TAU}, "found both"),
    ],
)
def test_rejects_arrays(arrays: dict[str, Any], words: str) -> None:
    with pytest.raises(rs.InputError, match=words):
        rs.Log(**arrays)


def test_columns_in_any_order(tmp_path: Path) -> None:
    columns = {"tau2": TAU[:, 1], "q2": Q[:, 1], "time": T, "q1": Q[:, 0], "tau1": TAU[:, 0], "mode": ["auto"] * len(T)}
    logs = [rs.Log(columns)]
    path = tmp_path / "log.csv"
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]))
    logs.append(rs.Log(path))
    np.savez(tmp_path / "log.npz", t=T, q=Q, tau=TAU)
    logs.append(rs.Log(str(tmp_path / "log.npz")))
    logs.append(rs.Log({"axis": Q[:, 1], "q1": Q[:, 0], "t": T, "torque_1": TAU[:, 0], "torque_2": TAU[:, 1]},
                       columns={"q2": "axis"}))  # fmt: skip
    for log in logs:
        assert np.allclose(log.q, Q) and np.allclose(log.effort, TAU) and np.allclose(log.t, T)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("1,2,3\n4,5,6", "numbers in the first line"),
        ("t,q1,tau1\n0,1", "log.csv:2: expected 3 columns, found 2"),
        ("t,q1,q1,tau1\n0,1,1,1", "found 'q1' twice"),
        ("t,a,b\n0,1,1", "expected columns t, q1"),
        ("t,q1,q3,tau1,tau3\n" + "0,1,1,1,1\n" * 30, r"expected joints 1 to 3, found \[1, 3\]"),
        ("t,q1,q2,tau1\n" + "0,1,1,1\n" * 30, r"tau: expected the joints \[1, 2\]"),
        ("t,q1,tau1\n" + "0,1,x\n" * 30, "expected a number, found 'x'"),
    ],
)
def test_rejects_files(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(rs.Error, match=words):
        rs.Log(path)


def test_detects_degrees() -> None:
    robot = rs.loads("name: r\nframes: [{theta: a}, {d: 1, theta: b}]\nlinks: symbolic\ngravity: [0, -9.81, 0]", "yaml")
    motion = rs.prepare(rs.Log(t=T, q=np.rad2deg(Q), tau=TAU), cut=10)
    with pytest.raises(rs.InputError, match="looks like degrees"):
        rs.identify(robot, motion)
    right = rs.prepare(rs.Log(t=T, q=np.rad2deg(Q), tau=TAU, degrees=True), cut=10)
    assert np.allclose(right.q, rs.prepare(rs.Log(t=T, q=Q, tau=TAU), cut=10).q)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cut": 0}, "cut: expected a positive number"),
        ({"cut": 60}, "less than half the rate"),
        ({"rate": 1000}, "at most the rate of the log"),
        ({"rest": -1}, "rest"),
        ({"drive": rs.Drive(ratio=[1, 2, 3])}, "expected 2 motors"),
        ({"drive": rs.Drive(ratio=2, gain=3)}, "without gain"),
        ({"cut": 0.1}, "without gaps .*, found shorter parts only"),
    ],
)
def test_rejects_options_of_prepare(options: dict[str, Any], words: str) -> None:
    with pytest.raises(rs.InputError, match=words):
        rs.prepare(rs.Log(t=T, q=Q, tau=TAU), **options)


def test_uneven_times_gaps_and_duplicates() -> None:
    random = np.random.default_rng(0)
    t = np.arange(4000) * 0.005 + random.uniform(-0.002, 0.002, 4000)
    t = np.delete(t, np.flatnonzero((t > 9) & (t < 10)))
    t = np.sort(np.concatenate([t, t[100:110]]))
    q = np.column_stack([np.sin(3 * t), np.cos(2 * t)])
    motion = rs.prepare(rs.Log(t=t, q=q, tau=q), cut=8, rate=50)
    assert len(motion.segments) == 2 and len(motion.remarks) == 2
    assert not ((motion.t > 9.01) & (motion.t < 9.99)).any()
    assert np.abs(motion.q[:, 0] - np.sin(3 * motion.t)).max() < 1e-2
    assert np.abs(motion.qd[:, 0] - 3 * np.cos(3 * motion.t)).max() < 0.1


def test_marks_stationary_samples() -> None:
    t = np.arange(0, 6, 1e-3)
    q = np.where(t < 2, 0.0, np.where(t < 4, 1 - np.cos(np.pi * (t - 2) / 2), 2.0))[:, None]
    motion = rs.prepare(rs.Log(t=t, q=q, tau=q), cut=20, rate=100, rest=0.02)
    moves = motion.moves[:, 0]
    assert not moves[motion.t < 1.9].any() and not moves[motion.t > 4.1].any()
    assert moves[(motion.t > 2.1) & (motion.t < 3.9)].all()


def test_derivatives_of_a_sine() -> None:
    t = np.arange(0, 5, 0.005)
    q, qd, qdd = derivatives(np.sin(4 * t)[:, None], 0.005, 30)
    inside = slice(50, -50)
    assert np.abs(q[inside, 0] - np.sin(4 * t)[inside]).max() < 1e-6
    assert np.abs(qd[inside, 0] - 4 * np.cos(4 * t)[inside]).max() < 1e-4
    assert np.abs(qdd[inside, 0] + 16 * np.sin(4 * t)[inside]).max() < 2e-2


def test_interpolation() -> None:
    t = np.linspace(0, 1, 50)
    x = np.linspace(0.1, 0.9, 77)
    assert np.abs(between(x, t, np.sin(5 * t)) - np.sin(5 * x)).max() < 1e-4


def test_uses_velocities_if_less_noisy() -> None:
    t = np.arange(0, 8, 0.002)
    q = np.column_stack([np.sin(2 * t), np.cos(3 * t)])
    qd = np.column_stack([2 * np.cos(2 * t), -3 * np.sin(3 * t)])
    random = np.random.default_rng(0)
    coarse = q + 1e-3 * random.normal(size=q.shape)
    better = rs.prepare(rs.Log(t=t, q=coarse, qd=qd + 1e-4 * random.normal(size=q.shape), tau=q), cut=10)
    wanted = 2 * np.cos(2 * better.t)
    assert np.abs(better.qd[:, 0] - wanted).max() < 1e-3
    late = np.interp(t - 0.01, t, qd[:, 0]), np.interp(t - 0.01, t, qd[:, 1])
    motion = rs.prepare(rs.Log(t=t, q=q, qd=np.column_stack(late), tau=q), cut=10)
    assert any("lag behind" in remark for remark in motion.remarks)
    assert np.abs(motion.qd[:, 0] - 2 * np.cos(2 * motion.t)).max() < 5e-3
    odd = rs.prepare(rs.Log(t=t, q=q, qd=np.rad2deg(qd), tau=q), cut=10)
    assert any("inconsistent with the positions" in remark for remark in odd.remarks)


def columns() -> dict[str, np.ndarray]:
    t = np.arange(0, 5, 0.01)
    return {"t": t, "q1": np.sin(t), "q2": np.cos(t), "tau1": 2 * np.sin(t), "tau2": 2 * np.cos(t)}


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns()), tmp_path / "log.parquet")
    log = rs.Log(tmp_path / "log.parquet")
    assert np.array_equal(log.q[:, 0], columns()["q1"]) and len(log) == 500
    (tmp_path / "bad.parquet").write_text("hello")
    with pytest.raises(rs.FormatError, match="cannot be read"):
        rs.Log(tmp_path / "bad.parquet")


def test_columns_of_different_lengths() -> None:
    with pytest.raises(rs.InputError, match="q: expected the same number of samples for each joint, found 1 and 500"):
        rs.Log(columns() | {"q1": np.zeros(1)})


@pytest.mark.parametrize("kind", ["csv", "npz", "parquet"])
def test_rejects_devices_and_pipes(kind: str, tmp_path: Path) -> None:
    """Neither has an end: /dev/zero would fill the memory, a pipe would block."""
    (tmp_path / f"device.{kind}").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / f"pipe.{kind}")
    for name in ("device", "pipe"):
        with pytest.raises(rs.FormatError, match="expected a regular file"):
            rs.Log(tmp_path / f"{name}.{kind}")


def test_units_of_columns_and_names_of_joints() -> None:
    given = columns()
    degrees = rs.Log({
        "time [ms]": 1e3 * given["t"], "q1 [deg]": np.rad2deg(given["q1"]), "q2 [deg]": np.rad2deg(given["q2"]),
        "tau1 [Nm]": given["tau1"], "tau2 [Nm]": given["tau2"],
    })  # fmt: skip
    assert np.allclose(degrees.q[:, 1], given["q2"]) and degrees.t[-1] == pytest.approx(4.99)
    assert any("deg" in remark for remark in rs.prepare(degrees).remarks)
    with pytest.raises(rs.InputError, match="unit"):
        rs.Log({"t [h]": given["t"], "q1": given["q1"], "tau1": given["tau1"]})
    named = rs.Log({
        "time": given["t"], "effort.elbow": given["tau2"], "position.shoulder": given["q1"],
        "position.elbow": given["q2"], "effort.shoulder": given["tau1"],
    })  # fmt: skip
    assert np.array_equal(named.q[:, 1], given["q2"]) and np.array_equal(named.effort[:, 1], given["tau2"])
    assert any("shoulder, elbow" in remark for remark in named.remarks)


def test_positions_that_jump() -> None:
    t = np.arange(0, 8, 0.01)
    angle = 1.5 * t
    wrapped = (angle + np.pi) % (2 * np.pi) - np.pi
    motion = rs.prepare(rs.Log(t=t, q=wrapped, tau=t))
    assert np.allclose(motion.qd, 1.5, atol=0.05) and any("turn" in remark for remark in motion.remarks)
    jumping = np.sin(t) + 2.0 * (t > 4)
    motion = rs.prepare(rs.Log(t=t, q=jumping, tau=t))
    assert np.abs(motion.qd[:, 0]).max() < 1.1 and any("jumps by" in remark for remark in motion.remarks)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"q": [[1, 2], [3]]}, "lengths"),
        ({"q": np.zeros((500, 2)) > 1}, "real numbers"),
        ({"tau": np.zeros(500)}, "joints"),
        ({"t": np.arange(500.0)[::-1]}, "increasing"),
    ],
)
def test_rejects_invalid_columns(change: dict[str, object], words: str) -> None:
    t = np.arange(0, 5, 0.01)
    given: dict[str, object] = {"t": t, "q": np.column_stack([t, t]), "tau": np.column_stack([t, t])}
    with pytest.raises(rs.InputError, match=words):
        rs.Log(**(given | change))  # type: ignore[arg-type]
