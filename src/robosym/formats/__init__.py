"""Text to robot and back: `load`, `loads`, `dumps`, `write`, and the robots that come with the package."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from robosym.errors import FormatError, InputError, RobotWarning, closest
from robosym.files import MAX_BYTES, decode, read_bytes, write_text
from robosym.formats.par_reader import read_par
from robosym.formats.par_writer import write_opensymoro, write_symoro
from robosym.formats.yaml import LibraryEntry, find, library, library_entries, read_yaml, write_yaml
from robosym.formats.yaml_nodes import nodes_of
from robosym.formats.yaml_reader import Reader
from robosym.mechanism import Robot

__all__ = ["LibraryEntry", "dumps", "library", "library_entries", "load", "loads", "robot", "write"]


class TextFormat(NamedTuple):
    """A text format of robots: how it is read (text, file, name where the text tells none) and written."""

    read: Callable[..., Robot]
    write: Callable[[Robot], str]
    extensions: tuple[str, ...] = ()
    parallel: bool = False  #: whether it holds parallel robots too
    floating: bool = False  #: whether its reader takes `floating`


def _later(place: str) -> Callable[..., Any]:
    """A function that is fetched when it is called: the forms of XML take as long to import as all the rest."""
    module, _, name = place.partition(":")

    def fetched(*given: object, **options: object) -> object:
        return getattr(import_module(f"robosym.formats.{module}"), name)(*given, **options)

    return fetched


_read_xml = _later("tree_robot:read_robot_xml")
_FORMATS = {
    "par": TextFormat(read_par, write_symoro, (".par",)),
    "opensymoro": TextFormat(read_par, write_opensymoro),
    "yaml": TextFormat(read_yaml, write_yaml, (".yaml", ".yml"), parallel=True),
    "urdf": TextFormat(_read_xml, _later("urdf_writer:write_urdf"), (".urdf",), floating=True),
    "mjcf": TextFormat(_read_xml, _later("mjcf_writer:write_mjcf"), (".xml", ".mjcf"), floating=True),
    "sdf": TextFormat(_read_xml, _later("sdf_writer:write_sdf"), (".sdf",), floating=True),
}
_expanded_xacro = _later("xacro_files:expanded_xacro")
_XACRO = ".xacro"  #: URDF with macros: read by its path alone, never written
_EXTENSIONS = {extension: name for name, form in _FORMATS.items() for extension in form.extensions}


def load(
    name_or_path: str | os.PathLike[str], *, floating: bool = False, arguments: Mapping[str, Any] | None = None
) -> Robot:
    """A robot of the library by its name ("rx90"), or one from a file (.par, .yaml, .urdf, .xacro, .xml, .sdf).

    With `floating` the root link of a URDF, MJCF or SDF is a base that floats, with its inertia. `arguments` are those
    of a xacro file, which is expanded by the package xacro (an extra).
    """
    given = arguments or {}
    if not isinstance(name_or_path, (str, os.PathLike)):
        raise InputError(f"expected the name of a robot or a path, found {name_or_path!r}")
    wanted = os.fspath(name_or_path)
    if not isinstance(wanted, str):
        raise InputError(f"expected a path as a string, found {wanted!r}")
    path = Path(wanted)
    form = _EXTENSIONS.get(path.suffix.lower())
    if path.suffix.lower() == _XACRO:
        return _load_xacro(path, wanted, floating, given)
    if given:
        raise InputError(f"arguments: expected a file with the extension {_XACRO}, found {wanted!r}")
    if form is not None:
        data = read_bytes(path)
        made = _reader(form, floating)(decode(data, wanted), wanted, path.stem.strip() or None)
        return _plausible(_from(made, path.name, data), wanted)
    name = wanted.strip().lower()
    if name in library():
        text, file = find(name), f"{name}.yaml"
        return _from(_reader("yaml", floating)(text, file, None), f"{file} of the library", text.encode())
    if isinstance(name_or_path, os.PathLike) or path.suffix or len(path.parts) > 1 or (name and _is_there(path)):
        raise FormatError(_unknown_extension(path), wanted)
    raise InputError(f"no robot {wanted!r} in the library{closest(name, library())}: it has {', '.join(library())}")


def _load_xacro(path: Path, wanted: str, floating: bool, arguments: Mapping[str, Any]) -> Robot:
    text: str = _expanded_xacro(path, arguments)
    name = path.name[: -len(_XACRO)].removesuffix(".urdf").strip() or None
    made = _reader("urdf", floating)(text, f"{wanted} (expanded)", name)
    return _plausible(_from(made, path.name, text.encode()), wanted)


def _from(made: Robot, file: str, data: bytes) -> Robot:
    """The robot, which knows its file."""
    return replace(made, origin=f"{file}, sha256 {hashlib.sha256(data).hexdigest()}")


def _reader(form: str, floating: bool) -> Callable[[str, str | None, str | None], Robot]:
    read = _FORMATS[form].read
    if floating and not _FORMATS[form].floating:
        raise InputError(
            f"floating is for URDF, MJCF and SDF, found {form}: give `base: {{type: floating, link: ...}}`"
        )
    return partial(read, floating=True) if floating else read


def loads(text: str, format: str | None = None, name: str | None = None, *, floating: bool = False) -> Robot:
    """A robot from a text; the format is found where none is given; `name` holds where the text does not tell one."""
    if not isinstance(text, str):
        raise InputError(f"expected a text, found {type(text).__name__}")
    reader = _reader(_detected(text) if format is None else _known(format), floating)
    if len(text) > MAX_BYTES:
        raise FormatError(f"the text is longer than {MAX_BYTES} characters, the most that is read")
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    return _plausible(reader(text, None, name), name)


def robot(name: str = "robot", **description: Any) -> Robot:
    """A robot from Python's lists and mappings, with the keys of the YAML format: `frames`, `links`, `gravity` ...

    `links` may be a list, in the order of the frames. Messages name the frame and the field.
    """
    if not isinstance(name, str):
        raise InputError(f"expected the name of the robot first, found {name!r}")
    given = {key: value for key, value in description.items() if value is not None}
    made = Reader(None).robot(nodes_of({"name": name, "gravity": (0, 0, "G3"), **given}, name), name)
    return _plausible(made, name)


def _plausible(made: Robot, where: str | None) -> Robot:
    """The same robot; a warning for each body that cannot be."""
    for remark in made.check_bodies():
        warnings.warn(RobotWarning(remark, where or made.name), stacklevel=3)
    return made


def _detected(text: str) -> str:
    """The format of a text: XML tells by its root; YAML has a key `frames:` or `legs:`; .par has `NF = 6`."""
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        root = re.search(r"<(robot|mujoco|sdf)\b", text)
        form = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}.get(root[1] if root else "")
        if form not in _FORMATS:
            raise FormatError("expected the XML of a robot: <robot> (URDF), <mujoco> or <sdf>")
        return form
    return "yaml" if re.search(r"^(frames|legs|modules|links|gravity|name)\s*:", text, re.MULTILINE) else "par"


def dumps(robot: Robot, format: str = "par") -> str:
    """The description as text: "par" (SYMORO+), "opensymoro", "yaml", "urdf", "mjcf" or "sdf"."""
    form = _FORMATS[_known(format)]
    if robot.modules and not form.parallel:
        raise FormatError(f"{format} has no parallel robots: write yaml, or the robot with loops of to_closed()")
    return form.write(robot)


def write(robot: Robot, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write the description to a file, whole or not at all; the extension chooses the format unless it is given."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"expected a path, found {path!r}")
    path = Path(path)
    chosen = format or _EXTENSIONS.get(path.suffix.lower())
    if chosen is None:
        raise FormatError(_unknown_extension(path), str(path))
    write_text(path, dumps(robot, chosen))


def _known(format: str) -> str:
    if format not in _FORMATS:
        raise InputError(f"unknown format {format!r}{closest(str(format), _FORMATS)}: it is {', '.join(_FORMATS)}")
    return format


def _unknown_extension(path: Path) -> str:
    found = repr(path.suffix) if path.suffix else "none"
    return f"expected a file with the extension {', '.join((*_EXTENSIONS, _XACRO))}, found {found}"


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name too long, or with a zero byte, is no file
        return False
