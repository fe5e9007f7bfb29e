"""Inputs that once raised what they should not, a fuzz of seconds, and what references of a file may reach."""

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
def test_what_failed_once(path: Path) -> None:
    reader = READERS[path.name.rpartition("-")[0].replace("_", " ")]
    assert answer(reader, path.read_bytes())[1] is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", READERS)
def test_every_reader(name: str) -> None:
    reader, rng = READERS[name], random.Random(name)
    assert answer(reader, rng.choice(reader.good))[1] is None
    assert "read" in {answer(reader, data)[0] for data in reader.good}
    for _ in range(40):
        data = mutated(rng, rng.choice(reader.good), reader.good)
        said, wrong = answer(reader, data)
        assert wrong is None, (said, data)


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
def test_a_large_hostile_file(file: str, reader: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seconds, size, said = measured(READERS[reader], HOSTILE[file](900_000))
    assert not said.startswith("WRONG") and said != "read", said
    assert seconds < SECONDS and size < MEGABYTES


def test_xml_has_no_entities_and_yaml_no_tags() -> None:
    with pytest.raises(rs.FormatError):
        rs.loads('<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><robot name="&e;"/>', "urdf")
    with pytest.raises(rs.FormatError, match="tag"):
        rs.loads("name: !!python/object/apply:os.system [echo]\nframes: [{theta: t1}]\n", "yaml")


@pytest.mark.parametrize("place", ["../outside.xml", "/etc/passwd", "inner/../../outside.xml", "link.xml"])
def test_an_included_file_stays_in_its_folder(place: str, tmp_path: Path) -> None:
    inside = tmp_path / "robot"
    (inside / "inner").mkdir(parents=True)
    (tmp_path / "outside.xml").write_text("<mujoco><worldbody><body/></worldbody></mujoco>")
    (inside / "link.xml").symlink_to(tmp_path / "outside.xml")
    path = inside / "main.xml"
    path.write_text(f'<mujoco><include file="{place}"/></mujoco>')
    with pytest.raises(rs.FormatError, match=r"folder|outside"):
        rs.load(path)
