"""The tables of a draft: their cells, and the location of each cell in the draft."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from robosym.algebra import Graph, parse
from robosym.algebra.canonical import canonical_text
from robosym.errors import InputError
from robosym.formats.draft import Draft, chains, symbols_of, variable_key, variables
from robosym.formats.draft_table import (
    DraftCell,
    DraftColumn,
    DraftEntry,
    DraftTable,
    link_place,
    links_table,
)
from robosym.mechanism import BASE_MOTION, DRIVE, FLOATING, GEOMETRY, INERTIA, JOINT_TYPES, MOTION, WRENCH, Robot

__all__ = ["draft_tables", "table_of"]

_IDENTITY = ["1" if row == column else "0" for row in range(4) for column in range(4)]
_RODS = ("length", "width")  #: dimensions of a parallelogram, which is one joint of a leg
_LIMITS = ("lower", "upper", "velocity", "effort")
_SIGMA = DraftColumn("sigma", "choice", tuple((str(kind.sigma), kind.name) for kind in JOINT_TYPES.values()))
_MU = DraftColumn("mu", "choice", (("1", "active"), ("0", "passive")), "1")
_ETA = DraftColumn("eta", "choice", (("0", "rigid"), ("1", "elastic")))
_LENGTHS = tuple(DraftColumn(key, "angle" if key in ("gamma", "alpha", "theta") else "expression") for key in GEOMETRY)
_STEPS = "Rot(z, γ) Trans(z, b) Rot(x, α) Trans(x, d) Rot(z, θ) Trans(z, r)"


def draft_tables(draft: Draft, forms: Mapping[str, str], robot: Robot) -> list[DraftTable]:
    """Return all tables of a draft in display order.

    `forms` selects "frame" or "center" as the reference point of the inertias of each table of links. The other form is
    computed from the links of `robot`, the last valid robot.
    """
    found: list[DraftTable] = []
    for key, chain in chains(draft):
        found += _of_chain(key, chain, forms, robot)
    owners = (
        [("", draft)] if "modules" not in draft else [(f"module{k}.", m) for k, m in enumerate(draft["modules"], 1)]
    )
    for prefix, owner in owners:
        if "legs" in owner:
            found += _of_platform(prefix, owner)
        if "rows" in owner:
            found += _of_base(prefix, owner["base"])
        if owner.get("position") or "legs" in owner or owner.get("loops"):
            found.append(_position(prefix, owner))
    found.append(_vectors([(draft, "gravity", "")], "gravity", "Gravity", "in frame 0, m/s²", ("x", "y", "z")))
    return found


def table_of(tables: list[DraftTable], key: str) -> DraftTable:
    """Return a table by its key."""
    for grid in tables:
        if grid.key == key:
            return grid
    raise InputError(f"there is no table {key!r}")


def _columns(*keys: str, kind: str = "expression", usual: str = "0") -> tuple[DraftColumn, ...]:
    return tuple(DraftColumn(key, kind, usual=usual) for key in keys)


def _numbered(count: int) -> list[str]:
    return [str(j) for j in range(1, count + 1)]


def _vectors(
    rows: list[tuple[Draft, str, str]], key: str, title: str, about: str, heads: tuple[str, ...], stays: bool = True
) -> DraftTable:
    """Return the vectors of a draft that form rows of a table: owner, key and row label."""

    def place(row: int, column: str) -> DraftEntry:
        owner, name, _ = rows[row]
        return DraftEntry(owner, name, heads.index(column), ["0"] * len(heads), stays)

    return DraftTable(key, title, about, _columns(*heads), [label for _, _, label in rows], place)


# ---------------------------------------------------------------------------------------------------- frames and links


def _of_chain(key: str, chain: Draft, forms: Mapping[str, str], robot: Robot) -> Iterator[DraftTable]:
    prefix, rows = f"{key}." if key else "", chain["rows"]
    words = " of " + key.replace(".", ", ").replace("leg", "leg ").replace("module", "module ") if key else ""
    loops = int(chain.get("loops", 0))
    is_leg = key.rpartition(".")[2].startswith("leg")
    joints, links = len(rows) - loops, len(rows) - 2 * loops

    def own(grid: DraftTable) -> DraftTable:
        grid.chain, grid.frames = key, [int(label) for label in grid.labels]
        return grid

    frames = [row["frame"] for row in rows]
    columns = (
        *(() if is_leg else _columns("ant", kind="integer")), _SIGMA, _MU,
        *(_columns("pitch", kind="number") if any("pitch" in frame for frame in frames) else ()), *_LENGTHS,
        *(_columns(*_RODS) if any("type" in frame for frame in frames) else ()),
    )  # fmt: skip
    yield own(
        DraftTable(
            f"{prefix}frames", f"Frames{words}",
            f"{_STEPS}, each from the last" if is_leg else f"{_STEPS} from frame ant", columns, _numbered(len(rows)),
            lambda row, column: _frame_cell(frames[row], column),
            locked=lambda row, column: _locked(frames[row], column),
        )
    )  # fmt: skip
    shown = rows[: links - 1 if is_leg else links]  # the last link of a leg is the platform
    yield own(links_table(f"{prefix}links", f"Links{words}", shown, key, forms.get(f"{prefix}links", ""), robot))
    if is_leg:
        return
    yield own(
        DraftTable(
            f"{prefix}joints", f"Joints{words}", "rates, torques, elasticity, names and limits",
            (*_columns(*MOTION), _ETA, *_columns("k"), *_columns("name", kind="name", usual=""),
             *_columns(*_LIMITS, kind="number", usual="")),
            _numbered(joints), lambda row, column: _joint_cell(rows[row], row + 1, column),
            locked=lambda row, column: _no_joint(frames[row], column),
        )
    )  # fmt: skip
    loads = [(row, "wrench", label) for row, label in zip(rows, _numbered(links), strict=False)]
    about = "exerted by link j on the environment, N, N m"
    yield own(_vectors(loads, f"{prefix}wrench", f"External wrench{words}", about, WRENCH, stays=False))


def _frame_cell(frame: Draft, column: str) -> DraftEntry | DraftCell:
    usual = ("0" if frame.get("sigma") == "2" else "1") if column == "mu" else "0"
    place = DraftEntry(frame, column, usual=usual, stays=column in ("mu", "ant"))
    if column == "sigma":
        return DraftCell(lambda: str(frame.get("type", place.read())), lambda text: _retype(frame, place, text))
    if column == "theta" and "type" in frame:
        return DraftCell(lambda: " ".join(frame.get("variables", ())[:1]), place.write)
    return place


def _retype(frame: Draft, place: DraftEntry, sigma: str) -> None:
    """Change the joint type and move the joint variable; a fixed frame loses its motor."""
    before, after = variable_key(str(frame.get("sigma", "0"))), variable_key(sigma)
    place.write(sigma)
    if before and after and before != after:
        _move_variable(frame, before, after)
    if sigma.strip() == "2":
        for key in ("mu", "joint", "limits", "follows", "pitch"):
            frame.pop(key, None)
    elif variable_key(sigma) and frame.get("mu") == "0" and "joint" not in frame:
        frame.pop("mu", None)


def _move_variable(frame: Draft, before: str, after: str) -> None:
    """Move the variable between theta and r: t4 + Pi/2 in theta and 0.2 in r become Pi/2 and r4 + 0.2.

    A constant with symbols gives way to the variable, which allows only a number beside it.
    """
    text = str(frame.get(before, ""))
    names = symbols_of(text)
    name = next(iter(names), "")
    if len(names) != 1 or name in symbols_of(str(frame.get(after, "0"))):
        return
    letters = {"theta": "t", "r": "r"}
    moved = letters[after] + name[1:] if re.fullmatch(rf"{letters[before]}\d+\w*", name) else name
    rest, offset = canonical_text(parse(f"({text}) - {name}", Graph())), str(frame.get(after, "0"))
    frame[before] = rest
    frame[after] = moved if offset in ("", "0") or symbols_of(offset) else f"{moved} + {offset}"


def _locked(frame: Draft, column: str) -> str:
    if "type" not in frame:
        return "only of a parallelogram" if column in _RODS else ""
    return "of a parallelogram: it is chosen in a file" if column in ("sigma", "mu", "theta") else ""


def _no_joint(frame: Draft, column: str) -> str:
    fixed = frame.get("sigma") == "2"
    return "a fixed frame has no joint" if fixed and column not in ("QP", "QDP", "GAM") else ""


def _joint_cell(row: Draft, j: int, column: str) -> DraftEntry | DraftCell:
    frame = row["frame"]
    if column in MOTION:
        fixed = frame.get("sigma") == "2" and column != "GAM"
        return DraftEntry(row, column, usual="0" if fixed else f"{column}{j}", inside="motion")
    if column in ("eta", "k"):
        return DraftEntry(row["link"], column)
    if column == "name":
        return DraftEntry(frame, "joint", usual="")
    if column in ("lower", "upper"):
        ends = DraftEntry(frame, "position", int(column == "upper"), ["-inf", "inf"], inside="limits")
        unlimited = ends.usual[int(column == "upper")]
        return DraftCell(
            lambda: "" if ends.read() in ("inf", "-inf") else ends.read(),
            lambda text: ends.write(text.strip() or unlimited),
        )
    return DraftEntry(frame, column, usual="", inside="limits")


# -------------------------------------------------------------------------------------------- base, platform, positions


def _of_base(prefix: str, base: Draft) -> Iterator[DraftTable]:
    kind = base.get("type", "fixed")
    if kind != "fixed" or "Z" in base:
        yield DraftTable(
            f"{prefix}Z", "Pose of the base", "frame 0 in the world", _columns("1", "2", "3", "4"), _numbered(4),
            lambda row, column: DraftEntry(base, "Z", 4 * row + int(column) - 1, _IDENTITY, stays=True),
        )  # fmt: skip
    if kind == "fixed":
        return
    usual = FLOATING if kind == "floating" else {}

    def motion(row: int, column: str) -> DraftEntry:
        name = BASE_MOTION[row]
        return DraftEntry(base, name, "xyz".index(column), usual.get(name, ("0", "0", "0")), stays=True)

    yield DraftTable(f"{prefix}motion", "Motion of the base", "in frame 0", _columns(*"xyz"), list(BASE_MOTION), motion)
    yield DraftTable(
        f"{prefix}baselink", "Link of the base", "at the origin of frame 0", _columns(*INERTIA), ["0"],
        lambda row, column: DraftEntry(base, column, inside="link"),
    )  # fmt: skip


def _of_platform(prefix: str, owner: Draft) -> Iterator[DraftTable]:
    legs, platform = owner["legs"], owner["platform"]
    yield DraftTable(
        f"{prefix}places", "Legs on the platform", f"place of the last frame of each leg on it: {_STEPS}", _LENGTHS,
        _numbered(len(legs)), lambda row, column: DraftEntry(legs[row], column, inside="place"),
    )  # fmt: skip
    own = tuple(column for column in links_table("", "", [{"link": platform}]).columns if column.key not in DRIVE)
    about = "inertia in its own frame"
    yield DraftTable(
        f"{prefix}platform", "Platform", about, own, ["P"], lambda row, column: link_place(platform, column)
    )
    title, about = "Wrench of the platform", "exerted by it on the environment, N, N m"
    yield _vectors([(platform, "wrench", "P")], f"{prefix}load", title, about, WRENCH)


def _position(prefix: str, owner: Draft) -> DraftTable:
    """Return the assembly position of the loops, one number per joint variable, or none."""
    names = [name for _, chain in chains(owner) for name in variables(chain) if name]
    return DraftTable(
        f"{prefix}position", "Reference position", "joints where the loops are closed, rad, m; may be empty",
        _columns("value", kind="number", usual=""), names,
        lambda row, column: DraftEntry(owner, names[row], usual="", inside="position"),
    )  # fmt: skip
