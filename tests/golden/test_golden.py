"""Every model of every library robot as it was recorded: no operation more, no name, no character different."""

from __future__ import annotations

import json

import pytest

import robosym as rs
from cases.library import ROBOTS
from golden.record import path_of, records


@pytest.mark.parametrize("name", ROBOTS)
def test_models_are_as_recorded(name: str) -> None:
    kept = json.loads(path_of(name).read_text(encoding="utf-8"))
    found = {key: make() for key, make in records(rs.load(name))}
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
