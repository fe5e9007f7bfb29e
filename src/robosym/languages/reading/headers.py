"""Header comments of a file: robosym's description of the arguments, or SYMORO+'s tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from robosym.languages.header import NAMES_INDENT
from robosym.languages.reading.dialect import Dialect
from robosym.mechanism import JOINT_TYPES

__all__ = ["Header", "read_header"]

#: Outputs by SYMORO+ extension (guide, Appendix 5.1): group and name prefixes.
OUTPUTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "dyn": ("tau", ("GAM",)), "ccg": ("H", ("H",)), "ddm": ("qdd", ("QDP",)), "inm": ("A", ("A",)),
    "grav": ("Q", ("Q",)),
    "vel": ("velocity", ("V", "W")), "acc": ("acceleration", ("VP", "WP")), "fgm": ("T", ("T",)), "trm": ("T", ("T",)),
    "jpqp": ("jpqp", ("VPJ", "WPJ")),
}  # fmt: skip
_GROUP = re.compile(r"(in|out)\s+(\w+)((?:\[\d+\])+)")


@dataclass
class Header:
    """Facts about a model that the comments of its code state."""

    name: str = ""
    kind: str = ""
    title: str = ""
    inputs: dict[str, list[str]] = field(default_factory=dict)
    outputs: dict[str, list[str]] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)  #: shapes of the outputs
    rows: list[list[str]] = field(default_factory=list)  #: table of geometric parameters, as words
    motion: list[list[str]] = field(default_factory=list)  #: table that ends in QP and QDP
    declared: list[str] = field(default_factory=list)  #: SYMORO+'s "global output variables"


def read_header(text: str, dialect: Dialect) -> Header:
    """Parse all lines; code between comments does not look like a header."""
    comment = dialect.comment_text()
    header = Header()
    group: list[str] | None = None
    indent = 0
    table: list[list[str]] | None = None
    names: list[str] | None = None
    for raw in text.split("\n"):
        found = comment.match(raw)
        line = found[1] if found else raw
        opened = _GROUP.match(line)
        if opened:
            into = header.inputs if opened[1] == "in" else header.outputs
            group = into.setdefault(opened[2], [])
            if opened[1] == "out":
                header.shapes[opened[2]] = tuple(int(n) for n in re.findall(r"\d+", opened[3]))
            indent = raw.find(opened[0])
            continue
        if group is not None:
            words = line.split()
            further = raw.find(words[0]) - indent if words else 0
            if further >= NAMES_INDENT and all(re.fullmatch(r"[A-Za-z_]\w*", w) for w in words):
                group += words
                continue
            if 0 < further < NAMES_INDENT and not group:  # continues the description of the group
                continue
            group = None
        _describe(header, line)
        if "Geometric parameters" in line:
            table = header.rows
        elif re.search(r"\bQP +QDP\b", line):
            table = header.motion
        elif re.search(r"Inertial parameters|Base velocity|Equations", line):
            table = None
        elif table is not None and re.match(r"\d+\s", line):
            table.append(line.split())
        if "global output variables" in line:
            names = header.declared
        elif names is not None:
            listed = re.fullmatch(r"(?:extern double|global)\s+([\w,\s\[\]]+);?", line)
            names += re.findall(r"\w+", re.sub(r"\[\d+\]", "", listed[1])) if listed else []
            names = names if listed else None
    return header


def _describe(header: Header, line: str) -> None:
    file = re.search(r"Name of file : .*?([^/\\]+)\.(\w+)$", line, re.IGNORECASE) or re.search(
        r"robosym: (.+)\.(\w+)$", line
    )
    if file and not header.name:
        header.name, header.kind = file[1], file[2]
    elif re.match(r"[^:()]{1,80}: \w", line) and header.title == "" and "Number of" not in line and not file:
        header.title = line.split(": ", 1)[1]
        header.name = header.name or line.split(": ", 1)[0]


def joint_variables(header: Header, angles: Iterable[str]) -> tuple[list[str], list[str], list[str]]:
    """Return positions, velocities and accelerations by SYMORO+'s tables; `angles` occur in a sine or cosine."""
    turning = set(angles)
    variables = {str(sigma): kind.variable for sigma, kind in JOINT_TYPES.items()}
    q: list[str] = []
    for row in header.rows:
        words = [w for w in row if re.fullmatch(r"[A-Za-z_]\w*", w) and w != "Pi"]
        variable = variables.get(row[3] if len(row) > 3 else "0")
        if variable == "r" and words:
            q.append(words[-1])
        elif variable == "theta":
            found = [w for w in words if w in turning]
            q += found[-1:]
    qd = [row[-2] for row in header.motion if len(row) > 2]
    qdd = [row[-1] for row in header.motion if len(row) > 2]
    return q, qd, qdd
