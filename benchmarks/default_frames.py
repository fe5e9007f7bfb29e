"""Compare the default frames of `bundle`, `inverse_geometry` and `jacobian` for every URDF file in a folder.

By default the files of the package example-robot-data are used (`pip install example-robot-data`). A file passes if the
three functions agree on a frame that a joint moves, or name the same candidates, each moved by a joint.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from table import Row, print_table

import robosym as rs
from robosym.mechanism.end_frame import end_frame

_PLACE = "cmeel.prefix/share/example-robot-data/robots"
_FUNCTIONS = ("bundle", "inverse_geometry", "jacobian")


def files_of(words: list[str]) -> list[Path]:
    """Return every URDF file below the given folders, or below that of the package."""
    folders = [Path(word) for word in words] or [Path(place) / _PLACE for place in sys.path]
    return sorted({path.resolve() for folder in folders for path in folder.rglob("*.urdf")})


def answers(robot: Any) -> dict[str, str]:
    """Return the frame or the error message of each function."""
    with tempfile.TemporaryDirectory() as folder:
        calls: dict[str, Callable[[], Any]] = {
            "bundle": lambda: rs.bundle(robot, folder),
            "inverse_geometry": lambda: rs.inverse_geometry(robot),
            "jacobian": lambda: rs.jacobian(robot),
        }
        return {name: _answer(calls[name]) for name in _FUNCTIONS}


def _answer(call: Callable[[], Any]) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
            error = ""
        except rs.Error as problem:
            error = str(problem)
    notes = [str(note.message) for note in caught if issubclass(note.category, rs.FrameWarning)]
    chosen = notes[0].split("using frame ")[1].split(", ")[0] if notes else ""
    return error if "candidates are" in error else chosen or "the only end"


def verdict(robot: Any, found: dict[str, str]) -> tuple[bool, str]:
    """Return whether the answers agree on frames that joints move, and the answer."""
    first = found[_FUNCTIONS[0]].replace("with frame=", "").replace("with link=", "")
    same = all(answer.replace("with frame=", "").replace("with link=", "") == first for answer in found.values())
    moved = {name for name, j in robot.frame_names.items() if any(robot.frame(k).is_joint for k in _path(robot, j))}
    if "candidates are" in first:
        named = first.split("candidates are ")[1].split("; choose")[0].split(" and ")[0].split(", ")
        return same and {*named} <= moved, f"candidates: {', '.join(named)}"
    chosen = end_frame(robot).label if first == "the only end" else first
    return same and chosen in moved, chosen


def _path(robot: Any, j: int) -> list[int]:
    found = []
    while j:
        found.append(j)
        j = robot.frame(j).ant
    return found


def main() -> None:
    files = files_of(sys.argv[1:])
    if not files:
        print("default frames: the package example-robot-data is not installed, and no folder is given")
        return
    passed = 0
    for path in files:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                robot = rs.load(path)
        except rs.Error as error:  # a robot without joints has no end
            passed += 1
            print(f"{path.name}: {str(error).rsplit(': ', 1)[-1]}")
            continue
        right, what = verdict(robot, answers(robot))
        passed += right
        print(f"{path.name}: {'' if right else 'DIFFERENT '}{what}", flush=True)
    print_table(
        "Default frames", [Row("URDF files with an agreed frame or agreed candidates", passed, len(files), True)]
    )


if __name__ == "__main__":
    main()
