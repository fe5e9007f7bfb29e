"""Failing robots as files: shrunk as long as they fail, read and checked again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import robosym as rs
from soak.closed_checks import check_closed, check_parallel
from soak.findings import Finding
from soak.tree_checks import check_tree

KEPT = Path(__file__).parent / "kept"


def check(robot: rs.Robot, values: Mapping[str, float], seed: int) -> Iterator[Finding]:
    if robot.modules:
        yield from check_parallel(robot, seed)
    elif robot.loops:
        yield from check_closed(robot, seed)
    else:
        yield from check_tree(robot, values, seed)


def first_failure(robot: rs.Robot, values: Mapping[str, float], seed: int) -> str | None:
    """Return a description of the first failure: a difference, or any exception."""
    try:
        return next((str(found) for found in check(robot, values, seed) if found.failed), None)
    except Exception as error:  # the soak test must continue
        return f"{type(error).__name__}: {error}"


@dataclass(frozen=True)
class StoredCase:
    """Text of a robot with its random values."""

    text: str
    values: dict[str, float]
    seed: int
    failure: str = ""

    def fails(self) -> str | None:
        try:
            robot = rs.loads(self.text, "yaml")
        except Exception:  # an unreadable text is not a smaller case
            return None
        return first_failure(robot, self.values, self.seed)

    def write(self, folder: Path = KEPT) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        name = rs.loads(self.text, "yaml").name
        path = folder / f"{name}_{self.seed}.yaml"
        failure = " ".join(self.failure.split())[:300]
        path.write_text(f"# failed: {failure}\n# seed: {self.seed}\n# values: {json.dumps(self.values)}\n{self.text}")
        return path

    @staticmethod
    def read(path: Path) -> StoredCase:
        text = path.read_text()
        found = dict(line[2:].split(": ", 1) for line in text.splitlines()[:3])
        return StoredCase(text, json.loads(found["values"]), int(found["seed"]), found["failed"])


def _kind(failure: str) -> str:
    """Return what must stay the same during shrinking: the check, or the exception and its first words."""
    return failure.split(":")[0]


def shrunk(case: StoredCase, seconds: float = 60.0) -> StoredCase:
    """Simplify entries and remove frames one at a time, as long as the same check fails."""
    until = time.monotonic() + seconds
    wanted = _kind(case.failure)
    data = yaml.safe_load(case.text)
    again = True
    while again and time.monotonic() < until:
        again = False
        for change in list(_changes(data)):
            if time.monotonic() > until:
                break
            smaller = json.loads(json.dumps(data))
            if not change(smaller):
                continue
            trial = StoredCase(yaml.safe_dump(smaller, sort_keys=False), case.values, case.seed, case.failure)
            failure = trial.fails()
            if failure is not None and _kind(failure) == wanted:
                data, case, again = smaller, StoredCase(trial.text, case.values, case.seed, failure), True
    used = rs.loads(case.text, "yaml")
    known = {*used.parameters, *getattr(used, "variables", ())}
    return StoredCase(case.text, {n: v for n, v in case.values.items() if n in known}, case.seed, case.failure)


def _changes(data: Any, path: tuple[Any, ...] = ()) -> Iterator[Any]:
    """Iterate over simplifications of a description, the largest first."""
    if not path and isinstance(data.get("frames"), list):
        for k in reversed(range(len(data["frames"]))):
            yield _without_frame(k)
    entries = list(data.items()) if isinstance(data, dict) else list(enumerate(data)) if isinstance(data, list) else []
    for key, value in entries:
        yield _removed((*path, key))
        if isinstance(value, (dict, list)):
            yield from _changes(value, (*path, key))
        elif value not in (0, 1) and key not in ("name", "ant", "sigma", "mu", "theta"):
            yield _put((*path, key), 0)
            yield _put((*path, key), 1)


def _at(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def _removed(path: tuple[Any, ...]) -> Any:
    def change(data: Any) -> bool:
        try:
            parent = _at(data, path[:-1])
            if not isinstance(parent, dict):
                return False
            del parent[path[-1]]
        except (KeyError, IndexError, TypeError):
            return False
        return True

    return change


def _put(path: tuple[Any, ...], value: int) -> Any:
    def change(data: Any) -> bool:
        try:
            parent = _at(data, path[:-1])
            if parent[path[-1]] == value:
                return False
            parent[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            return False
        return True

    return change


def _without_frame(k: int) -> Any:
    """Return a change that removes frame k, attaching its successors to the previous frame."""

    def change(data: Any) -> bool:
        frames = data["frames"]
        if k >= len(frames) or len(frames) < 2 or data.get("loops"):
            return False
        before = frames[k].get("ant", k)
        del frames[k]
        for j, frame in enumerate(frames):
            ant = frame.get("ant", j if j < k else j + 1)
            frame["ant"] = before if ant == k + 1 else ant - (ant > k + 1)
        for name in ("links", "joints"):
            rows = data.get(name)
            if isinstance(rows, list) and k < len(rows):
                del rows[k]
            elif isinstance(rows, dict):
                data[name] = {
                    str(int(n) - (int(n) > k + 1)) if str(n).isdigit() else n: row
                    for n, row in rows.items()
                    if str(n) != str(k + 1)
                }
                data[name] = {int(n) if str(n).isdigit() else n: row for n, row in data[name].items()}
        return True

    return change
