"""The JSON Schema of the YAML format accepts what the reader accepts, and rejects unknown keys and wrong types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import robosym as rs
from robosym.errors import FormatError
from robosym.formats import yaml_legs, yaml_platforms, yaml_reader
from robosym.formats.standard_dh import STANDARD
from robosym.formats.yaml import _ARM, _OWN, _PARALLEL, _REFERENCE, find
from robosym.formats.yaml_compound import _OWN as COMPOUND
from robosym.formats.yaml_compound import _WORDS
from robosym.mechanism import DRIVE, GEOMETRY, INERTIA, MOTION
from robosym.mechanism.contacts import CONTACT_KEYS
from robosym.mechanism.elements import CONTACTS

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "src" / "robosym" / "formats" / "robosym.schema.json").read_text(encoding="utf-8"))
PARTS = SCHEMA["definitions"]
jsonschema = pytest.importorskip("jsonschema")
CHECK = jsonschema.Draft7Validator(SCHEMA)


def as_json(text: str) -> Any:
    """Return a description as an editor sees it: keys are texts."""
    return json.loads(json.dumps(yaml.safe_load(text)))


def descriptions() -> Iterator[str]:
    """Yield the descriptions of the library and of the pages."""
    yield from map(find, rs.library())
    for page in sorted((ROOT / "docs").rglob("*.md")):
        yield from re.findall(r"```yaml[^\n]*\n(name: .*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def test_accepts_descriptions() -> None:
    CHECK.check_schema(SCHEMA)
    texts = list(descriptions())
    assert len(texts) > 30
    for text in texts:
        assert not list(CHECK.iter_errors(as_json(text))), text[:60]


@pytest.mark.parametrize(
    ("part", "keys"),
    [
        (SCHEMA, {*yaml_reader._TOP, *yaml_platforms._TOP, "modules"}),
        (PARTS["frame"], {*yaml_reader._FRAME, *COMPOUND, *STANDARD}),
        (PARTS["link"]["anyOf"][1], {*INERTIA, *DRIVE, *yaml_reader._AT_CENTRE, *yaml_reader._OF_JOINT}),
        (PARTS["limits"], {*yaml_reader._LIMITS}),
        (PARTS["base"], {*yaml_reader._BASE}),
        (PARTS["contact"], {*CONTACT_KEYS}),
        (PARTS["place"], {*GEOMETRY}),
        (PARTS["leg"], {*yaml_platforms._LEG}),
        (PARTS["legOfPoints"], {*yaml_legs._KEYS}),
        (PARTS["module"], {*_REFERENCE, *_PARALLEL, *_ARM, *_OWN}),
        (SCHEMA["properties"]["motion"], {*MOTION}),
        (SCHEMA["properties"]["platform"]["anyOf"][1], {*INERTIA, *yaml_reader._AT_CENTRE, "wrench"}),
    ],
    ids="top frame link limits base contact place leg points module motion platform".split(),
)
def test_has_the_keys_of_the_reader(part: dict[str, Any], keys: set[str]) -> None:
    assert set(part["properties"]) == keys and part["additionalProperties"] is False


def test_has_the_words_of_the_reader() -> None:
    assert set(PARTS["frame"]["properties"]["type"]["enum"]) == set(_WORDS)
    assert set(PARTS["contact"]["properties"]["type"]["enum"]) == set(CONTACTS)
    assert set(PARTS["legOfPoints"]["properties"]["type"]["enum"]) == set(yaml_legs.LEG_TYPES)
    assert set(PARTS["base"]["properties"]["type"]["enum"]) == set(yaml_reader._KINDS)
    assert set(SCHEMA["properties"]["convention"]["enum"]) == set(yaml_reader._CONVENTIONS)


ARM = "name: arm\nframes: [{theta: t1}, {d: 0.3, theta: t2}]\nlinks: {1: {M: 2}}\ngravity: [0, 0, -9.81]\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("theta: t1", "tehta: t1"), ("M: 2", "m: 2"), ("gravity: [0, 0, -9.81]", "gravity: [0, -9.81]"),
        ("gravity: [0, 0, -9.81]", ""), ("frames: [{theta: t1}, {d: 0.3, theta: t2}]", "frames: []"),
        ("links:", "link:"), ("{M: 2}", "[2]"), ("{d: 0.3", "{type: helix, d: 0.3"), ("{M: 2}", "{com: [0, 0]}"),
    ],
)  # fmt: skip
def test_rejects_invalid_descriptions(old: str, new: str) -> None:
    assert not list(CHECK.iter_errors(as_json(ARM)))
    text = ARM.replace(old, new)
    assert text != ARM and list(CHECK.iter_errors(as_json(text)))
    with pytest.raises(FormatError):
        rs.loads(text, "yaml")
