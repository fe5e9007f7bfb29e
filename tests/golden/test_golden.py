"""Every model of every library robot as it was recorded: no operation more, no name, no character different."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

import robosym as rs
from cases.library import ROBOTS
from golden.record import path_of, records
from long_cases import quick_and_long

#: robots of which others of their kind are quicker
LONG = "gs_tree gen3 panda iiwa14 tx90 ur5e ur10e puma560 lwr lumped2axis akr3000 gough_stewart stanford"


#: what searches for many seconds
SEARCHED = "optimize max"


@pytest.mark.parametrize("name", quick_and_long(ROBOTS, long=LONG))
def test_models_are_as_recorded(name: str) -> None:
    check(name, lambda key: not key.startswith(SEARCHED))


@pytest.mark.parametrize("name", quick_and_long(["rx90", "stanford", "scara"], long="rx90 stanford"))
def test_searched_models_are_as_recorded(name: str) -> None:
    check(name, lambda key: key.startswith(SEARCHED))


def check(name: str, wanted: Callable[[str], bool]) -> None:
    kept = {k: v for k, v in json.loads(path_of(name).read_text(encoding="utf-8")).items() if wanted(k)}
    found = {key: make() for key, make in records(rs.load(name)) if wanted(key)}
    assert found
    different = [
        f"{key}: {part}"
        for key in {**kept, **found}
        for part in _parts(kept.get(key)) | _parts(found.get(key))
        if _part(kept.get(key), part) != _part(found.get(key), part)
    ]
    assert not different, f"{len(different)} records differ: {', '.join(sorted(different)[:40])}"


def _parts(record: object) -> set[str]:
    return set(record) if isinstance(record, dict) else {"whole"}


def _part(record: object, part: str) -> object:
    return record.get(part) if isinstance(record, dict) else record
