"""The table of links: inertia at the origin of the frame, or at the centre of mass as makers publish it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from robosym.algebra import numeric_value
from robosym.algebra.canonical import canonical_text
from robosym.app.session.draft import Draft
from robosym.app.session.grid import Grid, GridColumn
from robosym.mechanism import DRIVE, INERTIA

__all__ = ["LinkOf", "links_grid", "set_entry"]

#: the link of a chain's row in the robot that was last right, or None
LinkOf = Callable[[str, int], Any]
_CENTRE = ("com x", "com y", "com z", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
_ORIGIN = INERTIA[:-1]  #: M is common to both forms
_DIGITS = 12


def set_entry(place: Draft, column: str, text: str) -> None:
    """Write an entry; what is zero is left out."""
    text = text.strip()
    if text in ("", "0") and column not in ("mu", "ant"):
        place.pop(column, None)
    else:
        place[column] = text


def links_grid(key: str, title: str, rows: list[Draft], chain: str, form: str, link_of: LinkOf) -> Grid:
    """The table; a link that was told in the other form is shown as computed, and changes its form when edited."""
    told = [_at_centre(row["link"]) for row in rows]
    if not form:
        plain = [row["link"] for row, centre in zip(rows, told, strict=True) if not centre]
        form = "centre" if any(told) and not any(name in link for link in plain for name in _ORIGIN) else "frame"

    def converted(row: int) -> Draft | None:
        """The link's entries in the form that is shown, or None where they are not known."""
        link: Draft = rows[row]["link"]
        if _at_centre(link) == (form == "centre") or not any(name in link for name in (*_ORIGIN, "com", "inertia")):
            return link
        known = link_of(chain, row)
        return None if known is None else _at_frame(known, link) if form == "frame" else _about_centre(known, link)

    def read(row: int, column: str) -> str:
        link = converted(row)
        if link is None:
            return "…"
        if column not in _CENTRE:
            return str(link.get(column, "0"))
        name, at, size = _place(column)
        return str((link.get(name) or ["0"] * size)[at])

    def write(row: int, column: str, text: str) -> None:
        link = rows[row]["link"]
        if column in _ORIGIN or column in _CENTRE:
            found = converted(row)
            if found is not None and found is not link:
                link.clear()
                link.update(found)
        if column not in _CENTRE:
            set_entry(link, column, text)
            return
        name, at, size = _place(column)
        values = list(link.get(name) or ["0"] * size)
        values[at] = text.strip() or "0"
        link[name] = values

    def locked(row: int, column: str) -> str:
        shown = column in _ORIGIN or column in _CENTRE
        return "its inertia has symbols: edit it at the frame" if shown and converted(row) is None else ""

    names = (*INERTIA, *DRIVE) if form == "frame" else ("M", *_CENTRE, *DRIVE)
    about = (
        "at the origin of frame j, kg m², kg m, kg" if form == "frame"
        else "M, centre of mass and tensor about it in the axes of frame j, kg, m, kg m²"
    )  # fmt: skip
    labels = [str(j) for j in range(1, len(rows) + 1)]
    columns = tuple(GridColumn(name) for name in names)
    made = Grid(key, title, about, columns, labels, read, write, chain, list(range(1, len(rows) + 1)), locked)
    made.form = form
    return made


def _at_centre(link: Draft) -> bool:
    return "com" in link or "inertia" in link


def _place(column: str) -> tuple[str, int, int]:
    index = _CENTRE.index(column)
    return ("com", index, 3) if index < 3 else ("inertia", index - 3, 6)


def _kept(link: Draft) -> Draft:
    """What is the same in both forms: mass, drive, elasticity, friction."""
    return {key: item for key, item in link.items() if key not in (*_ORIGIN, "com", "inertia")}


def _at_frame(known: Any, link: Draft) -> Draft:
    moments = {name: getattr(known, name) for name in _ORIGIN}
    return {**_kept(link), **{name: canonical_text(value) for name, value in moments.items() if not value.is_zero}}


def _about_centre(known: Any, link: Draft) -> Draft | None:
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
