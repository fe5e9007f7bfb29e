"""The tables of a draft: which cells there are, what each is, and where in the draft its text stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from robosym.app.session.draft import Draft, chains, variables
from robosym.app.session.grid import Grid, GridColumn
from robosym.app.session.link_grid import LinkOf, links_grid, set_entry
from robosym.mechanism import BASE_MOTION, DRIVE, GEOMETRY, INERTIA, JOINT_TYPES, MOTION, WRENCH

__all__ = ["grids"]

_IDENTITY = ["1" if row == column else "0" for row in range(4) for column in range(4)]
_RODS = ("length", "width")  #: of the rods of a parallelogram, which in a leg is one joint
_LIMITS = ("lower", "upper", "velocity", "effort")


_SIGMA = GridColumn("sigma", "choice", tuple((str(kind.sigma), kind.name) for kind in JOINT_TYPES.values()))
_MU = GridColumn("mu", "choice", (("1", "active"), ("0", "passive")), "1")
_ETA = GridColumn("eta", "choice", (("0", "rigid"), ("1", "elastic")))
_LENGTHS = tuple(GridColumn(key, "angle" if key in ("gamma", "alpha", "theta") else "expression") for key in GEOMETRY)
_STEPS = "Rot(z, γ) Trans(z, b) Rot(x, α) Trans(x, d) Rot(z, θ) Trans(z, r)"


def grids(draft: Draft, forms: Mapping[str, str] | None = None, link_of: LinkOf = lambda key, row: None) -> list[Grid]:
    """Every table of a draft, in the order in which they are shown.

    `forms` tells of a table of links whether it is "frame" or "centre", the place of the inertia; `link_of` gives the
    link of a row in the robot that was last right, from which the other form is computed.
    """
    found: list[Grid] = []
    for key, chain in chains(draft):
        found += _of_chain(key, chain, forms or {}, link_of)
    owners = (
        [("", draft)] if "modules" not in draft else [(f"module{k}.", m) for k, m in enumerate(draft["modules"], 1)]
    )
    for prefix, owner in owners:
        if "legs" in owner:
            found.append(_places(prefix, owner))
            found += _platform(prefix, owner)
        if "rows" in owner:
            found += _of_base(prefix, owner)
        if owner.get("position") or "legs" in owner or owner.get("loops"):
            found.append(_position(prefix, owner))
    found.append(_vector(draft, "gravity", "gravity", "Gravity", "in frame 0, m/s²", ("x", "y", "z")))
    return found


# ---------------------------------------------------------------------------------------------------- frames and links


def _of_chain(key: str, chain: Draft, forms: Mapping[str, str], link_of: LinkOf) -> Iterator[Grid]:
    prefix, rows = f"{key}." if key else "", chain["rows"]
    words = {"": ""}.get(key, " of " + key.replace(".", ", ").replace("leg", "leg ").replace("module", "module "))
    loops = int(chain.get("loops", 0))
    is_leg = key.rpartition(".")[2].startswith("leg")
    joints, links = len(rows) - loops, len(rows) - 2 * loops
    ant = () if is_leg else (GridColumn("ant", "integer"),)
    helical = (GridColumn("pitch", "number"),) if any("pitch" in row["frame"] for row in rows) else ()
    rods = tuple(map(GridColumn, _RODS)) if any("type" in row["frame"] for row in rows) else ()
    every = [str(j) for j in range(1, len(rows) + 1)]

    def part(name: str) -> tuple[Callable[[int, str], str], Callable[[int, str, str], None]]:
        def read(row: int, column: str) -> str:
            if name == "frame" and "type" in rows[row]["frame"] and column in ("sigma", "theta"):
                frame = rows[row]["frame"]
                return str(frame["type"] if column == "sigma" else " ".join(frame.get("variables", ())[:1]))
            return _text(rows[row][name].get(column), column, rows[row]["frame"])

        def write(row: int, column: str, text: str) -> None:
            set_entry(rows[row][name], column, text)
            if column == "sigma":
                _retyped(rows[row]["frame"], text)

        return read, write

    def compound(row: int, column: str) -> str:
        if "type" not in rows[row]["frame"]:
            return "only of a parallelogram" if column in _RODS else ""
        return "of a parallelogram: it is chosen in a file" if column in ("sigma", "mu", "theta") else ""

    about = f"{_STEPS}, each from the last" if is_leg else f"{_STEPS} from frame ant"
    yield Grid(
        f"{prefix}frames", f"Frames{words}", about,
        (*ant, _SIGMA, _MU, *helical, *_LENGTHS, *rods), every, *part("frame"), key, list(range(1, len(rows) + 1)),
        compound,
    )  # fmt: skip
    shown = links - 1 if is_leg else links  # the last link of a leg is the platform
    yield links_grid(f"{prefix}links", f"Links{words}", rows[:shown], key, forms.get(f"{prefix}links", ""), link_of)
    if is_leg:
        return
    read, write = _joint_cells(rows)
    columns = (
        *(GridColumn(name) for name in MOTION), _ETA, GridColumn("k"), GridColumn("name", "name", usual=""),
        *(GridColumn(name, "number", usual="") for name in _LIMITS),
    )  # fmt: skip
    yield Grid(
        f"{prefix}joints", f"Joints{words}", "rates, torques, elasticity, names and limits", columns, every[:joints],
        read, write, key, list(range(1, joints + 1)), lambda row, column: _no_joint(rows[row]["frame"], column),
    )  # fmt: skip

    def read_wrench(row: int, column: str) -> str:
        return str(rows[row].get("wrench", ["0"] * 6)[WRENCH.index(column)])

    def write_wrench(row: int, column: str, text: str) -> None:
        values = list(rows[row].get("wrench", ["0"] * 6))
        values[WRENCH.index(column)] = text.strip() or "0"
        rows[row].pop("wrench", None)
        if any(value != "0" for value in values):
            rows[row]["wrench"] = values

    yield Grid(
        f"{prefix}wrench", f"External wrench{words}", "exerted by link j on the environment, N, N m",
        tuple(GridColumn(name) for name in WRENCH), every[:links], read_wrench, write_wrench, key,
        list(range(1, links + 1)),
    )  # fmt: skip


def _text(value: Any, column: str, frame: Draft) -> str:
    if value is not None:
        return value if isinstance(value, str) else str(value)
    return ("0" if frame.get("sigma") == "2" else "1") if column == "mu" else "0"


def _retyped(frame: Draft, sigma: str) -> None:
    """A joint of another type has its variable elsewhere; a fixed frame has none, and no motor."""
    prismatic = JOINT_TYPES.get(int(sigma) if sigma.strip().isdigit() else -1)
    if prismatic is None:
        return
    if not prismatic.moves:
        for key in ("mu", "joint", "limits", "follows", "pitch"):
            frame.pop(key, None)
    elif frame.get("mu") == "0" and "joint" not in frame:
        frame.pop("mu", None)


def _no_joint(frame: Draft, column: str) -> str:
    fixed = frame.get("sigma") == "2"
    return "a fixed frame has no joint" if fixed and column not in ("QP", "QDP", "GAM") else ""


def _joint_cells(rows: list[Draft]) -> tuple[Callable[[int, str], str], Callable[[int, str, str], None]]:
    def read(row: int, column: str) -> str:
        one = rows[row]
        if column in MOTION:
            fixed = one["frame"].get("sigma") == "2" and column != "GAM"
            return str(one.get("motion", {}).get(column) or ("0" if fixed else f"{column}{row + 1}"))
        if column in ("eta", "k"):
            return str(one["link"].get(column, "0"))
        if column == "name":
            return str(one["frame"].get("joint", ""))
        limits = one["frame"].get("limits", {})
        if column in ("lower", "upper"):
            found = str(limits["position"][column == "upper"]) if "position" in limits else ""
            return "" if found in ("inf", "-inf") else found
        return str(limits.get(column, ""))

    def write(row: int, column: str, text: str) -> None:
        one, text = rows[row], text.strip()
        if column in MOTION:
            one.setdefault("motion", {}).pop(column, None)
            if text and text != f"{column}{row + 1}":
                one["motion"][column] = text
        elif column in ("eta", "k"):
            set_entry(one["link"], column, text)
        elif column == "name":
            set_entry(one["frame"], "joint", text)
        else:
            one["frame"]["limits"] = _limited(one["frame"].get("limits", {}), column, text)
            if not one["frame"]["limits"]:
                del one["frame"]["limits"]

    return read, write


def _limited(limits: Draft, column: str, text: str) -> Draft:
    new = dict(limits)
    if column in ("lower", "upper"):
        ends = list(new.pop("position", ["-inf", "inf"]))
        ends[column == "upper"] = text or ("inf" if column == "upper" else "-inf")
        return {**new, "position": ends} if ends != ["-inf", "inf"] else new
    new.pop(column, None)
    return {**new, column: text} if text else new


# -------------------------------------------------------------------------------------------- base, platform, positions


def _vector(
    owner: Draft, name: str, key: str, title: str, about: str, heads: tuple[str, ...], usual: list[str] | None = None
) -> Grid:
    """A vector of the draft as a table of one row."""
    rest = usual or ["0"] * len(heads)

    def read(row: int, column: str) -> str:
        return str((owner.get(name) or rest)[heads.index(column)])

    def write(row: int, column: str, text: str) -> None:
        values = list(owner.get(name) or rest)
        values[heads.index(column)] = text.strip() or "0"
        owner[name] = values

    return Grid(key, title, about, tuple(GridColumn(head) for head in heads), [""], read, write)


def _of_base(prefix: str, owner: Draft) -> Iterator[Grid]:
    base = owner["base"]
    kind = base.get("type", "fixed")
    heads = tuple(f"Z{row}{column}" for row in range(1, 5) for column in range(1, 5))
    if kind != "fixed" or "Z" in base:
        yield _matrix(prefix, base, heads)
    if kind == "fixed":
        return
    usual = {"W0": ("WX0", "WY0", "WZ0"), "V0": ("VX0", "VY0", "VZ0")} if kind == "floating" else {}

    def read(row: int, column: str) -> str:
        name = BASE_MOTION[row]
        return str((base.get(name) or usual.get(name) or ["0"] * 3)["xyz".index(column)])

    def write(row: int, column: str, text: str) -> None:
        name = BASE_MOTION[row]
        values = list(base.get(name) or usual.get(name) or ["0"] * 3)
        values["xyz".index(column)] = text.strip() or "0"
        base[name] = values

    columns = tuple(GridColumn(axis) for axis in "xyz")
    yield Grid(f"{prefix}motion", "Motion of the base", "in frame 0", columns, list(BASE_MOTION), read, write)
    columns = tuple(GridColumn(name) for name in INERTIA)
    yield Grid(
        f"{prefix}baselink", "Link of the base", "at the origin of frame 0", columns, ["0"],
        lambda row, column: str(base.get("link", {}).get(column, "0")),
        lambda row, column, text: set_entry(base.setdefault("link", {}), column, text),
    )  # fmt: skip


def _matrix(prefix: str, base: Draft, heads: tuple[str, ...]) -> Grid:
    def place(row: int, column: str) -> int:
        return 4 * row + int(column) - 1

    def write(row: int, column: str, text: str) -> None:
        values = list(base.get("Z") or _IDENTITY)
        values[place(row, column)] = text.strip() or "0"
        base["Z"] = values

    return Grid(
        f"{prefix}Z", "Pose of the base", "frame 0 in the world", tuple(GridColumn(str(c)) for c in range(1, 5)),
        [str(row) for row in range(1, 5)], lambda row, column: str((base.get("Z") or _IDENTITY)[place(row, column)]),
        write,
    )  # fmt: skip


def _places(prefix: str, owner: Draft) -> Grid:
    legs = owner["legs"]
    return Grid(
        f"{prefix}places", "Legs on the platform", f"where the last frame of each leg stands on it: {_STEPS}", _LENGTHS,
        [str(k) for k in range(1, len(legs) + 1)], lambda row, column: str(legs[row].get("place", {}).get(column, "0")),
        lambda row, column, text: set_entry(legs[row].setdefault("place", {}), column, text),
    )  # fmt: skip


def _platform(prefix: str, owner: Draft) -> Iterator[Grid]:
    platform = owner["platform"]
    inner = links_grid("", "", [{"link": platform}], "", "", lambda key, row: None)

    def read(row: int, column: str) -> str:
        return str((platform.get("wrench") or ["0"] * 6)[WRENCH.index(column)])

    def write(row: int, column: str, text: str) -> None:
        values = list(platform.get("wrench") or ["0"] * 6)
        values[WRENCH.index(column)] = text.strip() or "0"
        platform["wrench"] = values

    own = tuple(column for column in inner.columns if column.key not in DRIVE)
    yield Grid(f"{prefix}platform", "Platform", "inertia in its own frame", own, ["P"], inner.read, inner.write)
    yield Grid(
        f"{prefix}load", "Wrench of the platform", "exerted by it on the environment, N, N m",
        tuple(GridColumn(name) for name in WRENCH), ["P"], read, write,
    )  # fmt: skip


def _position(prefix: str, owner: Draft) -> Grid:
    """Where the loops are closed: a number for each joint variable, nothing where it is not told."""
    names = [name for _, chain in chains(owner) for name in variables(chain) if name]

    def write(row: int, column: str, text: str) -> None:
        position = dict(owner.get("position") or {})
        position.pop(names[row], None)
        if text.strip():
            position[names[row]] = text.strip()
        owner.pop("position", None)
        if position:
            owner["position"] = position

    return Grid(
        f"{prefix}position", "Reference position", "joints where the loops are closed, rad, m; empty where not told",
        (GridColumn("value", "number", usual=""),), names,
        lambda row, column: str((owner.get("position") or {}).get(names[row], "")), write,
    )  # fmt: skip
