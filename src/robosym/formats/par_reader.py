"""A .par file, in the dialect of SYMORO+ or of OpenSYMORO, to a robot."""

from __future__ import annotations

from collections.abc import Sequence

from robosym.algebra import Expr, Graph
from robosym.errors import RobotError, closest
from robosym.formats.par_keys import FLAGS, FRAME_KEYS, JOINT_KEYS, LINK_KEYS, OPTIONAL, SIZES, SPELLING, VECTORS
from robosym.formats.par_scanner import ParEntry, ParStatement, scan, without_comments
from robosym.formats.source import Source, check_name, shortened
from robosym.mechanism import BASE_MOTION, GEOMETRY, Base, Frame, Joint, Link, Robot
from robosym.mechanism.screws import ANGLES, angle_remarks, exact_angle

__all__ = ["read_par"]

_TRUTH = {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}
_TYPES = ("simple", "tree", "closed")


def read_par(text: str, file: str | None = None, name: str | None = None) -> Robot:
    """The robot that a .par text describes; `name` holds where the text does not tell one."""
    source = Source(text, file)
    if not text.strip():
        source.fail("the file is empty", None)
    return _Reader(source, name or "robot").robot()


class _Reader:
    """The statements of one file, and the graph of the robot that is made of them."""

    def __init__(self, source: Source, name: str) -> None:
        self.source = source
        self.graph = Graph()
        body, told = without_comments(source)
        self.name = told or name
        wrong = check_name(self.name)
        if wrong:
            source.fail(f"Robotname: {wrong}", 0)
        self.statements: dict[str, ParStatement] = {}
        for statement in scan(source, body):
            self._take(statement)
        missing = [key for key in SPELLING.values() if key not in self.statements and key not in OPTIONAL]
        if missing:
            source.fail(f"missing: {', '.join(dict.fromkeys(missing))}", len(source.text.rstrip()))

    def _take(self, statement: ParStatement) -> None:
        word, position = statement.key, statement.position
        key = SPELLING.get(word)
        if key is None:
            self.source.fail(f"unknown key {shortened(word)}{closest(word[:40], SPELLING)}", position)
        if key in self.statements:
            self.source.fail(f"{word} is given twice", position)
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
            self.source.fail(f"NL: a robot needs at least one link, found {links}", self.position("NL"))
        if joints < links:
            self.source.fail(f"NJ: expected at least NL = {links}, found {joints}", self.position("NJ"))
        if frames != 2 * joints - links:
            message = f"NF: expected 2 NJ - NL = {2 * joints - links} (a cut joint and a fixed frame a loop)"
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
        """Entry `row` of several arrays, by key."""
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
            self.source.fail("is_floating and is_mobile cannot both be true", self.position("is_mobile"))
        # the guide's files have no flag: a base that is given a motion is mobile, its inertia does not matter
        unflagged = not floating and not mobile and self.base_moves()
        moving = int(floating or mobile)
        self.check_lengths(FRAME_KEYS, frames, " (NF)")
        self.check_lengths(LINK_KEYS, links + moving, " (NL + 1: the base moves, link 0 first)" if moving else " (NL)")
        self.check_lengths(JOINT_KEYS, joints, " (NJ)")
        for key, length in VECTORS.items():
            self.check_lengths([key], length, "")
        vectors = {key: self.vector(key) for key in VECTORS}
        all_links = [self.link(row, row + 1 - moving) for row in range(links + moving)]
        blank = Link(**dict.fromkeys(LINK_KEYS, self.graph.zero)) if unflagged else None
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
                gravity=vectors["G"],  # type: ignore[arg-type]
                graph=self.graph,
            )
        except RobotError as error:
            self.source.fail(str(error), self.locate(error.frame, error.field, moving))
        self.check_type(robot, kind)
        return robot

    def base_moves(self) -> bool:
        """Whether an entry of the base's motion is not zero."""
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
                self.source.warn(f"{place}: {key}: {remark}", self.statements[key].entries[j - 1].position)
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
        """Where the file gives what an error of the robot is about."""
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
        if kind == found or (kind == 1 and found == 0):  # a chain is a tree without branches
            return
        if kind == 2:
            why = f"needs a loop, NJ > NL, found NJ = NL = {robot.NL}"
        elif found == 2:
            why = f"has no loop, NJ = NL, found NJ = {robot.NJ} and NL = {robot.NL}: expected Type = 2 (closed)"
        else:
            j = next(j for j, frame in enumerate(robot.frames, 1) if frame.ant != j - 1)
            why = f"needs ant = {j - 1} for frame {j}, found {robot.frame(j).ant}: expected Type = 1 (tree)"
        self.source.fail(f"Type = {kind} ({_TYPES[kind]}) {why}", self.position("Type"))
