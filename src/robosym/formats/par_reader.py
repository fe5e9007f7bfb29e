"""Reader of the .par files of SYMORO+ and OpenSYMORO.

Both contain lines `key = value` and arrays `key = {entry, ...}` with comments `(* ... *)`: sizes, then one array per
column of the geometric table (NF entries), of the link parameters (NL; NL + 1 with link 0 first if the base moves) and
of the joint motion (NJ), then the motion of the base, the matrix Z and gravity. SYMORO+ writes `Ant`, `B`, `Pi`, `x^2`
and wraps lines after ten values; OpenSYMORO writes `ant`, `b`, `pi`, `x**2`, and adds `eta`, `k`, `GAM`, `is_floating`
and `is_mobile`. One reader handles both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from robosym.algebra import Expr, Graph
from robosym.errors import RobotError, closest, missing_keys
from robosym.formats.source import Source, check_name, shortened
from robosym.mechanism import BASE_MOTION, DRIVE, GEOMETRY, INERTIA, WRENCH, Base, Frame, Joint, Link, Robot
from robosym.mechanism.screws import ANGLES, angle_remarks, exact_angle

__all__ = [
    "FLAGS", "FRAME_KEYS", "JOINT_KEYS", "LINK_KEYS", "OPTIONAL", "SIZES", "SPELLING", "SYMORO", "VECTORS", "ParEntry",
    "ParStatement", "read_par", "scan", "without_comments",
]  # fmt: skip

SIZES = ("NF", "NL", "NJ", "Type")
FLAGS = ("is_floating", "is_mobile")
FRAME_KEYS = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
LINK_KEYS = (*INERTIA, *DRIVE, *WRENCH)
JOINT_KEYS = ("eta", "k", "QP", "QDP", "GAM")
VECTORS = {**dict.fromkeys(BASE_MOTION, 3), "Z": 16, "G": 3}

#: Spelling in SYMORO+ of keys that OpenSYMORO writes in lower case.
SYMORO = {
    "ant": "Ant", "sigma": "Sigma", "b": "B", "r": "R", "alpha": "Alpha", "mu": "Mu", "theta": "Theta",
}  # fmt: skip
#: Keys that SYMORO+ does not have; they are optional.
OPTIONAL = frozenset({"eta", "k", "GAM", *FLAGS})

#: Every accepted spelling, and the key it stands for.
SPELLING = {key: key for key in (*SIZES, *FLAGS, *FRAME_KEYS, *LINK_KEYS, *JOINT_KEYS, *VECTORS)} | {
    symoro: key for key, symoro in SYMORO.items()
}


_SPACE = re.compile(r"[ \t\n\f\v]*")
_BLANKS = re.compile(r"[ \t\f\v]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_WORD = re.compile(r"[^\s={},]+")
_STRUCTURE = re.compile(r"[{}()\[\],=]")  # the syntax of an array, apart from the text of its entries


class ParEntry(NamedTuple):
    """The text of a value and its position."""

    text: str
    position: int


class ParStatement(NamedTuple):
    """A key and its value: an array if `is_array`, else one word."""

    key: str
    position: int
    entries: list[ParEntry]
    is_array: bool


def without_comments(source: Source) -> tuple[str, str | None]:
    """Return the text with comments blanked, so that positions stay, and the robot's name if a comment has it."""
    text, pieces, position, name = source.text, [], 0, None
    while (start := text.find("(*", position)) >= 0:
        end = text.find("*)", start + 2)
        if end < 0:
            source.fail("unterminated comment: expected '*)' before the end", start)
        comment = text[start : end + 2]
        name = name or _robot_name(comment)
        pieces += [text[position:start], "\n".join(" " * len(line) for line in comment.split("\n"))]
        position = end + 2
    return "".join((*pieces, text[position:])), name


def _robot_name(comment: str) -> str | None:
    """Return `rx90` from the comment `(* Robotname = 'rx90' *)`."""
    _, word, rest = comment.partition("Robotname")
    equals, _, rest = rest.partition("'")
    name, quote, _ = rest.partition("'")
    return name.strip() if word and quote and equals.strip() == "=" else None


def scan(source: Source, text: str) -> Iterator[ParStatement]:
    """Yield the statements of a text without comments."""
    position = _skip(_SPACE, text, 0)
    while position < len(text):
        name = _NAME.match(text, position)
        if name is None:
            source.fail(f"expected a key such as NF or Theta, found {_next(text, position)}", position)
        equals = _skip(_SPACE, text, name.end())
        if text[equals : equals + 1] != "=":
            source.fail(f"expected '=' after {shortened(name[0])}, found {_next(text, equals)}", equals)
        start = _skip(_SPACE, text, equals + 1)
        if text[start : start + 1] == "{":
            entries, end = _array(source, text, start, name[0])
        else:
            word = _WORD.match(text, start)
            if word is None:
                source.fail(f"{shortened(name[0])}: expected a value, found {_next(text, start)}", start)
            entries, end = [ParEntry(word[0], start)], word.end()
        yield ParStatement(name[0], position, entries, text[start] == "{")
        position = _skip(_BLANKS, text, end)
        if position < len(text) and text[position] != "\n":
            source.fail(
                f"expected the end of the line after the value of {name[0]}, found {_next(text, position)}", position
            )
        position = _skip(_SPACE, text, position)


def _array(source: Source, text: str, opening: int, key: str) -> tuple[list[ParEntry], int]:
    """Return the entries between braces, split at commas outside brackets, and the position after the closing brace."""
    entries: list[ParEntry] = []
    start = opening + 1
    brackets: list[int] = []
    for found in _STRUCTURE.finditer(text, start):
        sign, position = found[0], found.start()
        if sign in "([":
            brackets.append(position)
        elif sign in ")]":
            if not brackets:
                source.fail(f"{key}: unmatched {sign!r}", position)
            brackets.pop()
        elif sign == "}":
            if brackets:
                source.fail(f"{key}: unmatched bracket: expected its closing bracket", brackets[-1])
            if entries or text[start:position].strip():
                entries.append(_entry(text, start, position))
            return entries, position + 1
        elif sign in "{=":
            break  # the next statement begins
        elif not brackets:
            entries.append(_entry(text, start, position))
            start = position + 1
    source.fail(f"{key}: unterminated array: expected '}}' before the end", opening)


def _entry(text: str, start: int, end: int) -> ParEntry:
    piece = text[start:end].lstrip()
    return ParEntry(piece.rstrip(), end - len(piece))


def _skip(what: re.Pattern[str], text: str, position: int) -> int:
    found = what.match(text, position)
    return found.end() if found else position


def _next(text: str, position: int) -> str:
    """Describe the text at a position, for a message."""
    found = _WORD.match(text, position)
    if found is not None:
        return repr(shortened(found[0], 20))
    return repr(text[position]) if position < len(text) else "the end of the file"


_TRUTH = {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}
_TYPES = ("simple", "tree", "closed")


def read_par(text: str, file: str | None = None, name: str | None = None) -> Robot:
    """Read a robot from a .par text; `name` is used if the text has none."""
    source = Source(text, file)
    if not text.strip():
        source.fail("expected a robot description, found an empty file", None)
    return _Reader(source, name or "robot").robot()


class _Reader:
    """The statements of one file, and the graph of the robot."""

    def __init__(self, source: Source, name: str) -> None:
        self.source = source
        self.graph = Graph()
        body, own_name = without_comments(source)
        self.name = own_name or name
        wrong = check_name(self.name)
        if wrong:
            source.fail(f"Robotname: {wrong}", 0)
        self.statements: dict[str, ParStatement] = {}
        for statement in scan(source, body):
            self._take(statement)
        missing = [key for key in SPELLING.values() if key not in self.statements and key not in OPTIONAL]
        if missing:
            source.fail(missing_keys(list(dict.fromkeys(missing))), len(source.text.rstrip()))

    def _take(self, statement: ParStatement) -> None:
        word, position = statement.key, statement.position
        key = SPELLING.get(word)
        if key is None:
            self.source.fail(f"unknown key {shortened(word)}{closest(word[:40], SPELLING)}", position)
        if key in self.statements:
            self.source.fail(f"duplicate key {word}", position)
        if statement.is_array is (key in SIZES or key in FLAGS):
            kind = "one value" if statement.is_array else "entries between braces, '{...}'"
            self.source.fail(f"{word}: expected {kind}", statement.position)
        self.statements[key] = statement

    # ------------------------------------------------------------------ values

    def number(self, key: str) -> int:
        entry = self.statements[key].entries[0]
        return self.source.integer(entry.text, entry.position, key)

    def flag(self, key: str) -> bool:
        if key not in self.statements:
            return False
        entry = self.statements[key].entries[0]
        if entry.text not in _TRUTH:
            self.source.fail(f"{key}: expected True or False, found {shortened(entry.text)}", entry.position)
        return _TRUTH[entry.text]

    def check_sizes(self, frames: int, links: int, joints: int) -> None:
        if links < 1:
            self.source.fail(f"NL: expected at least 1, found {links}", self.position("NL"))
        if joints < links:
            self.source.fail(f"NJ: expected at least NL = {links}, found {joints}", self.position("NJ"))
        if frames != 2 * joints - links:
            message = f"NF: expected 2 NJ - NL = {2 * joints - links} (each loop adds a cut joint and a fixed frame)"
            self.source.fail(f"{message}, found {frames}", self.position("NF"))

    def check_lengths(self, keys: Sequence[str], length: int, why: str) -> None:
        for key in keys:
            if key in self.statements and len(self.statements[key].entries) != length:
                found = len(self.statements[key].entries)
                message = f"{self.statements[key].key}: expected {length} entries{why}, found {found}"
                self.source.fail(message, self.position(key))

    def position(self, key: str) -> int:
        statement = self.statements[key]
        return statement.position if statement.is_array else statement.entries[0].position

    def expression(self, entry: ParEntry, what: str) -> Expr:
        return self.source.expression(entry.text, entry.position, what, self.graph)

    def column(self, keys: Sequence[str], row: int, place: str) -> dict[str, Expr]:
        """Return entry `row` of several arrays, by key."""
        return {
            key: self.expression(self.statements[key].entries[row], f"{place}: {key}")
            for key in keys
            if key in self.statements
        }

    def integer(self, key: str, row: int, place: str) -> int:
        if key not in self.statements:
            return 0
        entry = self.statements[key].entries[row]
        return self.source.integer(entry.text, entry.position, f"{place}: {key}")

    # ------------------------------------------------------------------- parts

    def robot(self) -> Robot:
        frames, links, joints, kind = (self.number(key) for key in SIZES)
        self.check_sizes(frames, links, joints)
        if not 0 <= kind <= 2:
            self.source.fail(f"Type: expected 0 (simple), 1 (tree) or 2 (closed), found {kind}", self.position("Type"))
        floating, mobile = (self.flag(key) for key in FLAGS)
        if floating and mobile:
            message = "is_mobile: expected False if is_floating is True, found True"
            self.source.fail(message, self.position("is_mobile"))
        # files of SYMORO+ have no flag: a base with a given motion is mobile, and its inertia does not matter
        unflagged = not floating and not mobile and self.base_moves()
        moving = int(floating or mobile)
        self.check_lengths(FRAME_KEYS, frames, " (NF)")
        self.check_lengths(LINK_KEYS, links + moving, " (NL + 1: the base moves, link 0 first)" if moving else " (NL)")
        self.check_lengths(JOINT_KEYS, joints, " (NJ)")
        for key, length in VECTORS.items():
            self.check_lengths([key], length, "")
        vectors = {key: self.vector(key) for key in VECTORS}
        all_links = [self.link(row, row + 1 - moving) for row in range(links + moving)]
        blank = Link.blank(self.graph.zero) if unflagged else None
        base = Base(
            kind="floating" if floating else "mobile" if mobile or unflagged else "fixed",
            Z=vectors["Z"],
            link=all_links.pop(0) if moving else blank,
            **{key: vectors[key] for key in BASE_MOTION},
        )
        try:
            robot = Robot(
                name=self.name,
                frames=tuple(self.frame(j) for j in range(1, frames + 1)),
                links=tuple(all_links),
                joints=tuple(self.joint(j) for j in range(1, joints + 1)),
                base=base,
                gravity=vectors["G"],
                graph=self.graph,
            )
        except RobotError as error:
            self.source.fail(error, self.locate(error.frame, error.field, moving))
        self.check_type(robot, kind)
        return robot

    def base_moves(self) -> bool:
        """Return whether any component of the base motion is not zero."""
        for key in BASE_MOTION:
            self.check_lengths([key], VECTORS[key], "")
        return any(not value.is_zero for key in BASE_MOTION for value in self.vector(key))

    def vector(self, key: str) -> tuple[Expr, ...]:
        entries = self.statements[key].entries
        return tuple(self.expression(entry, f"{key}[{row}]") for row, entry in enumerate(entries, 1))

    def frame(self, j: int) -> Frame:
        place = f"frame {j}"
        ant, sigma, mu = (self.integer(key, j - 1, place) for key in ("ant", "sigma", "mu"))
        values = self.column(GEOMETRY, j - 1, place)
        for key in ANGLES:
            for remark in angle_remarks(values[key]):
                position = self.statements[key].entries[j - 1].position
                self.source.warn(f"{place}: {key}: {remark}", position, "E203")
            values[key] = exact_angle(values[key], self.graph)
        return Frame(ant, sigma, mu, *(values[key] for key in GEOMETRY))

    def link(self, row: int, j: int) -> Link:
        return Link(**self.column(LINK_KEYS, row, f"link {j}"))

    def joint(self, j: int) -> Joint:
        given = self.column(("k", "QP", "QDP", "GAM"), j - 1, f"joint {j}")
        given.setdefault("k", self.graph.zero)
        if "GAM" not in self.statements:
            given["GAM"] = self.graph.symbol(f"GAM{j}")
        return Joint(given["QP"], given["QDP"], given["GAM"], self.integer("eta", j - 1, f"joint {j}"), given["k"])

    # ------------------------------------------------------------------ checks

    def locate(self, frame: int | None, field: str | None, moving: int) -> int | None:
        """Return the position in the file that an error of the robot refers to."""
        if field is None:
            return None
        key, _, number = field.partition("[")  # "W0[2]"
        if key not in self.statements:
            return None
        if number:
            row = int(number.rstrip("]")) - 1
        elif key in LINK_KEYS:
            row = (frame or 0) - 1 + moving
        else:
            row = (frame or 1) - 1
        return self.statements[key].entries[row].position

    def check_type(self, robot: Robot, kind: int) -> None:
        found = _TYPES.index(robot.structure)
        if kind == found or (kind == 1 and found == 0):  # a chain is a tree
            return
        if kind == 2:
            why = f"needs a loop, NJ > NL, found NJ = NL = {robot.NL}"
        elif found == 2:
            why = f"has no loop, NJ = NL, found NJ = {robot.NJ} and NL = {robot.NL}: expected Type = 2 (closed)"
        else:
            j = next(j for j, frame in enumerate(robot.frames, 1) if frame.ant != j - 1)
            why = f"needs ant = {j - 1} for frame {j}, found {robot.frame(j).ant}: expected Type = 1 (tree)"
        self.source.fail(f"Type = {kind} ({_TYPES[kind]}) {why}", self.position("Type"))
