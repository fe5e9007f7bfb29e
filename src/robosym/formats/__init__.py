"""Robot descriptions: `load`, `loads`, `dumps`, `write`, and the robots of the library."""

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
    """A text format of robots: functions that read (text, file, default name) and write it."""

    read: Callable[..., Robot]
    write: Callable[[Robot], str]
    extensions: tuple[str, ...] = ()
    parallel: bool = False  #: whether it can describe parallel robots
    floating: bool = False  #: whether its reader takes `floating`


def _later(place: str) -> Callable[..., Any]:
    """Return a function that is imported when it is first called: the XML formats double the import time."""
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
_XACRO = ".xacro"  #: URDF with macros: read from a path only, never written
_EXTENSIONS = {extension: name for name, form in _FORMATS.items() for extension in form.extensions}


def load(
    name_or_path: str | os.PathLike[str], *, floating: bool = False, arguments: Mapping[str, Any] | None = None
) -> Robot:
    """Load a robot of the library by name, or from a file.

    Parameters
    ----------
    name_or_path : str or PathLike
        A name of the library ("rx90", see `library`) or the path of a file: .par (SYMORO+, OpenSYMORO), .yaml, .urdf,
        .xacro, .xml (MJCF) or .sdf.
    floating : bool
        Treat the root link of a URDF, MJCF or SDF file as a floating base with its inertia.
    arguments : mapping, optional
        Arguments of a xacro file. Xacro files need the package xacro (``pip install 'robosym[xacro]'``).

    Returns
    -------
    Robot

    Raises
    ------
    FormatError
        The file cannot be read; the error has file, line and column.
    InputError
        The name is not in the library, or an option does not fit the format.

    Examples
    --------
    >>> import robosym as rs
    >>> rs.load("scara").joint_names
    ('t1', 't2', 'r3', 't4')
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
    known = ", ".join(library())
    raise InputError(f"unknown robot {wanted!r}{closest(name, library())}; the library has {known}")


def _load_xacro(path: Path, wanted: str, floating: bool, arguments: Mapping[str, Any]) -> Robot:
    text: str = _expanded_xacro(path, arguments)
    name = path.name[: -len(_XACRO)].removesuffix(".urdf").strip() or None
    made = _reader("urdf", floating)(text, f"{wanted} (expanded)", name)
    return _plausible(_from(made, path.name, text.encode()), wanted)


def _from(made: Robot, file: str, data: bytes) -> Robot:
    """Return the robot with its origin set."""
    return replace(made, origin=f"{file}, sha256 {hashlib.sha256(data).hexdigest()}")


def _reader(form: str, floating: bool) -> Callable[[str, str | None, str | None], Robot]:
    read = _FORMATS[form].read
    if floating and not _FORMATS[form].floating:
        raise InputError(
            f"floating: expected URDF, MJCF or SDF, found {form}: write `base: {{type: floating, link: ...}}` instead"
        )
    return partial(read, floating=True) if floating else read


def loads(text: str, format: str | None = None, name: str | None = None, *, floating: bool = False) -> Robot:
    """Read a robot from a string.

    Parameters
    ----------
    text : str
        The description.
    format : {"par", "opensymoro", "yaml", "urdf", "mjcf", "sdf"}, optional
        Default: detected from the text.
    name : str, optional
        Name of the robot if the text has none.
    floating : bool
        Treat the root link of a URDF, MJCF or SDF text as a floating base with its inertia.

    Returns
    -------
    Robot

    Raises
    ------
    FormatError
        The text cannot be read; the error has line and column.

    Examples
    --------
    >>> import robosym as rs
    >>> text = rs.load("planar2r").dumps("yaml")
    >>> rs.loads(text) == rs.load("planar2r")
    True
    """
    if not isinstance(text, str):
        raise InputError(f"text: expected a string, found {type(text).__name__}")
    reader = _reader(_detected(text) if format is None else _known(format), floating)
    if len(text) > MAX_BYTES:
        raise FormatError(f"text: expected at most {MAX_BYTES} characters, found {len(text)}")
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    return _plausible(reader(text, None, name), name)


def robot(name: str = "robot", **description: Any) -> Robot:
    """Create a robot from Python lists and dicts with the keys of the YAML format: `frames`, `links`, `gravity` etc.

    Parameters
    ----------
    name : str
        Name of the robot.
    **description
        Keys of the YAML format (docs/yaml.md). `links` may be a list in the order of the frames.

    Returns
    -------
    Robot

    Raises
    ------
    RobotError
        An entry is invalid; the error has frame and field.

    Examples
    --------
    >>> import robosym as rs
    >>> arm = rs.robot("arm", frames=[{"theta": "t1"}, {"d": 0.5, "theta": "t2"}], gravity=[0, 0, -9.81])
    >>> arm.joint_names
    ('t1', 't2')
    """
    if not isinstance(name, str):
        raise InputError(f"name: expected a string, found {name!r}")
    given = {key: value for key, value in description.items() if value is not None}
    made = Reader(None).robot(nodes_of({"name": name, "gravity": (0, 0, "G3"), **given}, name), name)
    return _plausible(made, name)


def _plausible(made: Robot, where: str | None) -> Robot:
    """Warn about each link without physically consistent inertia, and return the robot."""
    for remark in made.check_bodies():
        warnings.warn(RobotWarning(remark, where or made.name), stacklevel=3)
    return made


def _detected(text: str) -> str:
    """Detect the format: XML by its root element, YAML by a key `frames:` or `legs:`, .par by `NF = 6`."""
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        root = re.search(r"<(robot|mujoco|sdf)\b", text)
        form = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}.get(root[1] if root else "")
        if form not in _FORMATS:
            raise FormatError("unknown XML root element: expected <robot> (URDF), <mujoco> (MJCF) or <sdf>")
        return form
    return "yaml" if re.search(r"^(frames|legs|modules|links|gravity|name)\s*:", text, re.MULTILINE) else "par"


def dumps(robot: Robot, format: str = "par") -> str:
    """Return the description as text in "par" (SYMORO+), "opensymoro", "yaml", "urdf", "mjcf" or "sdf" format."""
    form = _FORMATS[_known(format)]
    if robot.modules and not form.parallel:
        raise FormatError(f"{format} cannot describe parallel robots: write yaml, or robot.to_closed()")
    if robot.contacts and format != "yaml":
        raise FormatError(f"{format} cannot describe contacts: write yaml, or robot.with_contacts(), without contacts")
    return form.write(robot)


def write(robot: Robot, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write the description to a file, atomically; the default format is that of the extension."""
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(f"path: expected a path, found {path!r}")
    path = Path(path)
    chosen = format or _EXTENSIONS.get(path.suffix.lower())
    if chosen is None:
        raise FormatError(_unknown_extension(path), str(path))
    write_text(path, dumps(robot, chosen))


def _known(format: str) -> str:
    if format not in _FORMATS:
        raise InputError(f"unknown format {format!r}{closest(str(format), _FORMATS)}; known: {', '.join(_FORMATS)}")
    return format


def _unknown_extension(path: Path) -> str:
    found = "a directory" if path.is_dir() else repr(path.suffix) if path.suffix else "none"
    return f"expected a file with the extension {', '.join((*_EXTENSIONS, _XACRO))}, found {found}"


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # the name is too long or contains a zero byte
        return False
