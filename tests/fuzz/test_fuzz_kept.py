"""Inputs that once failed, a short fuzz run, and restrictions of references in files."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

import robosym as rs
from fuzz.fuzz import answer
from fuzz.hostile import HOSTILE, MEGABYTES, SECONDS, measured
from fuzz.mutations import mutated
from fuzz.readers import READERS

KEPT = Path(__file__).parent / "kept"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", sorted(KEPT.iterdir()), ids=lambda path: path.name)
def test_inputs_that_once_failed(path: Path) -> None:
    reader = READERS[path.name.rpartition("-")[0].replace("_", " ")]
    assert answer(reader, path.read_bytes())[1] is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_short_fuzz_run(name: str) -> None:
    reader, rng = READERS[name], random.Random(name)
    assert answer(reader, rng.choice(reader.good))[1] is None
    assert "read" in {answer(reader, data)[0] for data in reader.good}
    for _ in range(40):
        data = mutated(rng, rng.choice(reader.good), reader.good)
        message, wrong = answer(reader, data)
        assert wrong is None, (message, data)


@pytest.mark.parametrize(
    ("file", "reader"),
    [
        ("entities", "urdf"), ("elements", "mjcf"), ("attributes", "urdf"), ("lists", "yaml"), ("aliases", "yaml"),
        ("aliases", "limits"), ("comments", "listing"), ("signs", "listing"), ("brackets", "log"),
        ("zip bomb", "log archive"), ("par", "par"), ("quotes", "table"), ("short comments", "maple"),
        ("frames of frames", "sdf"), ("equalities", "mjcf"), ("parquet bomb", "log parquet"),
        ("parquet texts", "log parquet"), ("many arrays", "log archive"),
    ],
)  # fmt: skip
def test_large_hostile_files(file: str, reader: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, size, message = measured(READERS[reader], HOSTILE[file](900_000))
    assert not message.startswith("WRONG") and message != "read", message
    assert seconds < SECONDS and size < MEGABYTES


def test_rejects_xml_entities_and_yaml_tags() -> None:
    with pytest.raises(rs.FormatError):
        rs.loads('<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><robot name="&e;"/>', "urdf")
    with pytest.raises(rs.FormatError, match="tag"):
        rs.loads("name: !!python/object/apply:os.system [echo]\nframes: [{theta: t1}]\n", "yaml")


@pytest.mark.parametrize("place", ["../outside.xml", "/etc/passwd", "inner/../../outside.xml", "link.xml"])
def test_includes_stay_in_their_folder(place: str, tmp_path: Path) -> None:
    inside = tmp_path / "robot"
    (inside / "inner").mkdir(parents=True)
    (tmp_path / "outside.xml").write_text("<mujoco><worldbody><body/></worldbody></mujoco>")
    (inside / "link.xml").symlink_to(tmp_path / "outside.xml")
    path = inside / "main.xml"
    path.write_text(f'<mujoco><include file="{place}"/></mujoco>')
    with pytest.raises(rs.FormatError, match=r"folder|outside"):
        rs.load(path)
