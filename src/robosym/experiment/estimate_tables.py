"""Tables of an estimate with units and grouping: text, CSV and LaTeX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from robosym.errors import InputError
from robosym.experiment.report import found_parameters
from robosym.table_files import as_csv

if TYPE_CHECKING:
    from robosym.experiment.estimate import Estimate

__all__ = ["tabulated", "unit_of"]

_INERTIA = dict.fromkeys(("XX", "XY", "XZ", "YY", "YZ", "ZZ"), "kg m²") | dict.fromkeys(("MX", "MY", "MZ"), "kg m")
_INERTIA |= {"M": "kg"}
#: units of revolute and prismatic joints
_JOINT = {
    "IA": ("kg m²", "kg"), "FV": ("N m s/rad", "N s/m"), "FS": ("N m", "N"), "OFF": ("N m", "N"), "FL": ("", ""),
    "IAM": ("kg m²", "kg"), "FVM": ("N m s/rad", "N s/m"), "FSM": ("N m", "N"),
}  # fmt: skip
_NAME = re.compile(r"(IAM|FVM|FSM|OFF|IA|FV|FS|FL|XX|XY|XZ|YY|YZ|ZZ|MX|MY|MZ|M)R?(\d+|P|L)?")


def unit_of(found: Estimate, name: str) -> str:
    """Return the SI unit of a parameter, or "" if it is not known."""
    match = _NAME.fullmatch(name)
    if match is None:
        return ""
    kind, number = match[1], match[2] or ""
    if kind in _INERTIA:
        return _INERTIA[kind]
    robot = found.regressor.given
    slides = number.isdigit() and robot.frame(int(number)).joint_type.slides
    return _JOINT[kind][bool(slides)]


def tabulated(found: Estimate, form: str) -> str:
    """Return the parameters as "text", "csv" or "latex"."""
    rows = [(p.name, p.value, p.deviation, p.error, unit_of(found, p.name), p.grouped) for p in found_parameters(found)]
    if form == "csv":
        return as_csv(("parameter", "value", "deviation", "percent", "unit", "grouping"), rows)
    if form == "latex":
        lines = [
            f"${_latex(name)}$ & {_unit(unit)} & ${value:.5g}$ & ${deviation:.2g}$ & ${percent:.2g}$ & "
            f"{_grouped(text)} \\\\"
            for name, value, deviation, percent, unit, text in rows
        ]
        head = "parameter & unit & value & std. dev. & \\% & grouped parameters \\\\ \\hline"
        return "\n".join(["\\begin{tabular}{llrrrl}", head, *lines, "\\end{tabular}"])
    if form == "text":
        return str(found)
    raise InputError(f"form: expected 'text', 'latex' or 'csv', found {form!r}")


def _latex(name: str) -> str:
    match = re.fullmatch(r"(.*?)(R?)(\d+|P|L)", name)
    if match is None:
        return f"\\mathrm{{{name}}}"
    return f"\\mathrm{{{match[1]}{match[2]}}}_{{{match[3]}}}"


def _unit(unit: str) -> str:
    return unit.replace("²", "$^2$").replace("·", "\\,")


def _grouped(text: str) -> str:
    """Return a sum of parameters as LaTeX."""
    return f"${re.sub(r'([A-Z]+)(R?[0-9]+)', lambda m: f'{m[1]}_{{{m[2]}}}', text).replace('*', ' ')}$" if text else ""
