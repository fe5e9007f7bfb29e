"""The table of links: inertia at the origin of the frame, or at the center of mass as makers publish it."""

from __future__ import annotations

from robosym.algebra import numeric_value
from robosym.algebra.canonical import canonical_text
from robosym.app.session.draft import Draft
from robosym.app.session.grid import Grid, GridCell, GridColumn, GridPlace
from robosym.mechanism import DRIVE, INERTIA, Link, Robot

__all__ = ["frame_number", "link_place", "links_grid"]

_CENTRE = ("com x", "com y", "com z", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
_ORIGIN = INERTIA[:-1]  #: M is common to both forms
_DIGITS = 12


def link_place(link: Draft, column: str) -> GridPlace:
    """Where an entry of a link stands in it."""
    if column not in _CENTRE:
        return GridPlace(link, column)
    index = _CENTRE.index(column)
    if index < 3:
        return GridPlace(link, "com", index, ["0"] * 3, stays=True)
    return GridPlace(link, "inertia", index - 3, ["0"] * 6, stays=True)


def links_grid(
    key: str, title: str, rows: list[Draft], chain: str = "", form: str = "", robot: Robot | None = None
) -> Grid:
    """The table; a link that was told in the other form is shown as computed, and changes its form when edited.

    It is computed from `robot`, which was last right.
    """
    told = [_at_centre(row["link"]) for row in rows]
    if not form:
        plain = [row["link"] for row, centre in zip(rows, told, strict=True) if not centre]
        form = "centre" if any(told) and not any(name in link for link in plain for name in _ORIGIN) else "frame"

    def converted(row: int) -> Draft | None:
        """The link's entries in the form that is shown, or None where they are not known."""
        link: Draft = rows[row]["link"]
        if _at_centre(link) == (form == "centre") or not any(name in link for name in (*_ORIGIN, "com", "inertia")):
            return link
        known = None if robot is None else _link_of(robot, chain, row)
        return None if known is None else _at_frame(known, link) if form == "frame" else _about_centre(known, link)

    def place(row: int, column: str) -> GridCell:
        def read() -> str:
            link = converted(row)
            return "…" if link is None else link_place(link, column).read()

        def write(text: str) -> None:
            link, found = rows[row]["link"], converted(row) if column in (*_ORIGIN, *_CENTRE) else None
            if found is not None and found is not link:
                link.clear()
                link.update(found)
            link_place(link, column).write(text)

        return GridCell(read, write)

    def locked(row: int, column: str) -> str:
        shown = column in _ORIGIN or column in _CENTRE
        return "its inertia has symbols: edit it at the frame" if shown and converted(row) is None else ""

    names = (*INERTIA, *DRIVE) if form == "frame" else ("M", *_CENTRE, *DRIVE)
    about = (
        "at the origin of frame j, kg m², kg m, kg" if form == "frame"
        else "M, centre of mass and tensor about it in the axes of frame j, kg, m, kg m²"
    )  # fmt: skip
    labels = [str(j) for j in range(1, len(rows) + 1)]
    return Grid(key, title, about, tuple(map(GridColumn, names)), labels, place, locked=locked, form=form)


def frame_number(robot: Robot, chain: str, frame: int) -> int | None:
    """The number of a chain's frame in the whole robot, where legs are numbered through; None where it has none."""
    if not chain:
        return frame
    if not chain.startswith("leg") or robot.followers:
        return None  # a parallelogram has other frames than the rows of its table
    leg = int(chain.removeprefix("leg")) - 1
    return robot.legs[leg][frame - 1] if leg < len(robot.legs) and frame <= len(robot.legs[leg]) else None


def _link_of(robot: Robot, chain: str, row: int) -> Link | None:
    """The link of a chain's row in the robot that was last right."""
    if chain.startswith("module"):
        module, _, chain = chain.partition(".")
        modules = robot.module_robots()
        number = int(module.removeprefix("module"))
        if number > len(modules):
            return None
        robot = modules[number - 1]
    j = frame_number(robot, chain, row + 1)
    return robot.links[j - 1] if j is not None and j <= len(robot.links) else None  # the tables may have grown since


def _at_centre(link: Draft) -> bool:
    return "com" in link or "inertia" in link


def _kept(link: Draft) -> Draft:
    """What is the same in both forms: mass, drive, elasticity, friction."""
    return {key: item for key, item in link.items() if key not in (*_ORIGIN, "com", "inertia")}


def _at_frame(known: Link, link: Draft) -> Draft:
    moments = {name: getattr(known, name) for name in _ORIGIN}
    return {**_kept(link), **{name: canonical_text(value) for name, value in moments.items() if not value.is_zero}}


def _about_centre(known: Link, link: Draft) -> Draft | None:
    numbers = {name: numeric_value(getattr(known, name)) for name in INERTIA}
    if any(value is None for value in numbers.values()) or not numbers["M"]:
        return None
    XX, XY, XZ, YY, YZ, ZZ, MX, MY, MZ, M = (float(numbers[name] or 0.0) for name in INERTIA)
    x, y, z = MX / M, MY / M, MZ / M
    tensor = (
        XX - M * (y * y + z * z), XY + M * x * y, XZ + M * x * z, YY - M * (x * x + z * z), YZ + M * y * z,
        ZZ - M * (x * x + y * y),
    )  # fmt: skip
    com, inertia = ([f"{value:.{_DIGITS}g}" for value in values] for values in ((x, y, z), tensor))
    return {**_kept(link), "com": com, "inertia": inertia}
