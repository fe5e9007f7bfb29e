"""Default frame of functions: the end of the arm.

All functions with a default frame use the same rule:

0. the end of the last module, if there are modules: its platform, or the end of its arm;
1. a frame whose name indicates the end: a TCP, `tool0`, a flange, an end effector, a tool, the base of a gripper or
hand; 2. otherwise the last frame of the chain, or the last one before the chain branches into a hand; 3. otherwise an
error that lists the candidates.

Frames that no joint moves, sensors and fingers are never chosen by name.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robosym.algebra.once import cached_property
from robosym.errors import FrameWarning, InputError, Pass

if TYPE_CHECKING:
    from robosym.mechanism.robot import Robot

__all__ = ["EndFrame", "carrying_link", "chosen_frame", "clear_end", "end_frame", "frame_label", "frame_words"]

_MOST = 16  #: largest number of candidates in a message
_WORDS = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")

_PLAIN = {"link", "frame", "joint", "body", "site", "mount", "root"}  #: words without meaning for the choice
_SENSORS = {
    "accelerometer", "antenna", "camera", "cam", "collision", "com", "depth", "gyro", "imu", "inertia", "inertial",
    "laser", "lidar", "marker", "optical", "range", "rgb", "rgbd", "sensor", "visual", "controller", "led",
}  # fmt: skip
_FINGERS = {"claw", "finger", "fingers", "fingertip", "jaw", "knuckle", "mover", "phalanx", "thumb"}
_PARTS = {"digit", "distal", "dummy", "index", "little", "middle", "pad", "pinky", "proximal", "ring", "virtual"}
_WHEELS = {"caster", "prop", "propeller", "rotor", "wheel"}
_HANDS = {"gripper", "hand", "palm"}


def _has(*words: str) -> Callable[[Sequence[str]], bool]:
    return lambda found: any(word in found for word in words)


#: meaning of names, by decreasing priority
_MEANINGS: tuple[tuple[str, Callable[[Sequence[str]], bool]], ...] = (
    ("a tool center point", lambda w: "tcp" in w or "".join(w).endswith(("toolcenterpoint", "toolcentrepoint"))),
    ("a tool frame", _has("tool0")),
    ("a flange", _has("flange", "attachment")),
    ("an end effector", _has("ee", "eef", "effector", "endeffector")),
    ("a tool frame", _has("tool", "grasp", "grasping", "pinch")),
    ("the base of a gripper or hand", _has(*_HANDS)),
)


@dataclass(frozen=True)
class EndFrame:
    """Chosen frame, reason of the choice, and other candidates."""

    number: int
    label: str
    reason: str
    others: tuple[str, ...] = ()


def chosen_frame(robot: Robot, frame: int | str | None, argument: str = "frame") -> int | str:
    """Return the given frame, or the end of the arm; warn with `FrameWarning` if there are several candidates."""
    if frame is not None:
        return frame
    found = end_frame(robot, argument)
    if found.others:
        message = f"{robot.name}: using frame {found.label}, {found.reason}; other candidates: {_listed(found.others)}"
        warnings.warn(FrameWarning(message, hint=("choose with ", _passed(argument))), stacklevel=4)
    return found.number


def end_frame(robot: Robot, argument: str = "frame") -> EndFrame:
    """Return the end of the arm by its name or by the structure; raise `InputError` if neither is conclusive."""
    if robot.modules:
        end = robot.modules[-1].end
        return EndFrame(end, frame_label(robot, end), "the end of the last module")
    bodies = _Bodies(robot)
    named = bodies.by_name()
    if named is not None:
        reason, frames, rest = named
        if len(frames) == 1:
            others = tuple(frame_label(robot, j) for j in rest)
            return EndFrame(frames[0], frame_label(robot, frames[0]), f"{reason} by its name", others)
        candidates = frames
    else:
        candidates = bodies.ends()
        if len(candidates) == 1:
            (j,) = candidates
            others = bodies.beside(j)
            return EndFrame(j, frame_label(robot, j), "the end of the chain", others)
    if not candidates:
        candidates = [j for j in range(1, robot.NL + 1) if robot.frame(j).is_joint]
    listed = _listed([frame_label(robot, j) for j in candidates])
    raise InputError(
        f"{robot.name} has several end frames: {listed}",
        expected=listed,
        hint=("choose one of them, or another frame, with ", _passed(argument)),
        code="E406",
    )


def carrying_link(robot: Robot, frame: int | str | None) -> int:
    """Return the number of the moving link that carries a frame, by default the end of the arm."""
    number = _Bodies(robot).of[robot.frame_number(chosen_frame(robot, frame, "link"))]
    if not number:
        raise InputError(f"{robot.name}: frame {frame!r} is fixed to the base: expected a frame on a moving link")
    return number


def clear_end(robot: Robot) -> int | None:
    """Return the number of the end of the arm, or None if it is ambiguous."""
    try:
        return end_frame(robot).number
    except InputError:
        return None


def frame_words(robot: Robot, j: int) -> str:
    """Return 'frame 6' with the name of the frame, if any; frame -1 is 'the world'."""
    label = frame_label(robot, j)
    return "the world" if j < 0 else f"frame {j}" if label == str(j) else f"frame {j} ({label})"


def frame_label(robot: Robot, j: int) -> str:
    """Return the name of a frame, or its number if it has no name."""
    return next(iter(robot.names_of(j)), str(j))


def _passed(argument: str) -> Pass:
    """Return the action of a hint: pass `frame=`, or an entry of `inputs` for a payload."""
    return Pass(argument, "payload:LINK" if argument == "inputs" else None)


def _listed(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - _MOST} more" if len(labels) > _MOST else ""
    return ", ".join(labels[:_MOST]) + more


def _words(name: str) -> list[str]:
    """Split a name into words: `l_gripperBase2` into l, gripper, base. Only the number of tool0 is relevant."""
    found = (word.lower() for word in _WORDS.findall(name))
    return [word if word == "tool0" else word.rstrip("0123456789") or word for word in found]


@dataclass(frozen=True)
class _Bodies:
    """Links of the tree with the fixed frames on each; 0 is the base."""

    robot: Robot

    @cached_property
    def of(self) -> list[int]:
        """The joint frame that carries each frame."""
        found = [0]
        for j, frame in enumerate(self.robot.frames, 1):
            found.append(j if frame.is_joint else found[frame.ant])
        return found

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """The bodies that joints of the tree attach to each body."""
        found: dict[int, list[int]] = {0: []}
        for j in self.robot.tree_joints:
            found[j] = []
            found[self.of[self.robot.frame(j).ant]].append(j)
        return found

    @cached_property
    def names(self) -> dict[int, list[str]]:
        """Names by frame."""
        found: dict[int, list[str]] = {}
        for name, j in self.robot.frame_names.items():
            found.setdefault(j, []).append(name)
        return found

    @cached_property
    def carried(self) -> dict[int, list[int]]:
        """The tree frames on each body, its own first."""
        found: dict[int, list[int]] = {0: []}
        for j in range(1, self.robot.NL + 1):
            found.setdefault(self.of[j], []).append(j)
        return found

    def frames_on(self, body: int) -> list[int]:
        return self.carried.get(body, [])

    def path(self, body: int) -> list[int]:
        """Return the bodies from the base to this one."""
        found = []
        while body:
            found.append(body)
            body = self.of[self.robot.frame(body).ant]
        return found[::-1]

    # -------------------------------------------------------------------- names

    def by_name(self) -> tuple[str, list[int], list[int]] | None:
        """Return the meaning of the names, the outermost frame with such a name on each limb, and other candidates."""
        known = [
            (words, j)
            for name, j in self.robot.frame_names.items()
            if self.of[j] and j <= self.robot.NL
            for words in [[word for word in _words(name) if word not in _PLAIN]]
            if not {*words} & (_SENSORS | _FINGERS | _PARTS | _WHEELS)
        ]
        for reason, means in _MEANINGS:
            found = [(words, j) for words, j in known if means(words)]
            if found:
                chosen = self._outermost(found, base=means is _MEANINGS[-1][1])
                alike = [j for words, j in known if any(test(words) for _, test in _MEANINGS)]
                near = [j for one in chosen for j in self.frames_on(self.of[one]) if j in self.names]
                rest = [j for j in (*alike, *near) if j not in chosen and not self._is_sensor(j)]
                return reason, chosen, list(dict.fromkeys(rest))
        return None

    def _outermost(self, found: Sequence[tuple[list[str], int]], base: bool) -> list[int]:
        """Return one frame per limb: on the last body with such a name, or on the first for the `base` of a hand."""
        bodies = {self.of[j] for _, j in found}
        if base:
            kept = {body for body in bodies if not {*self.path(body)[:-1]} & bodies}
        else:
            inner = {one for body in bodies for one in self.path(body)[:-1]}
            kept = bodies - inner
        best: dict[int, tuple[list[str], int]] = {}
        for words, j in found:
            body = self.of[j]
            if body in kept and (body not in best or len(words) <= len(best[body][0])):
                best[body] = words, j
        return [j for _, j in best.values()]

    # ---------------------------------------------------------------- structure

    def ends(self) -> list[int]:
        """Return one frame per limb: the last one, or the last one before the limb branches into a hand."""
        robot = self.robot
        if robot.loops:
            return self._free_leaves()
        found = list(self._limbs(0))
        moving = [body for body in found if not self._is_named(body, _WHEELS)] or found
        return [j for body in moving for j in self._last_frames(body)]

    def _free_leaves(self) -> list[int]:
        """Return the leaves outside of loops, or the link on which most loops close."""
        robot = self.robot
        hung = [self.of[frame.ant] for frame in robot.frames[robot.NL :]]
        found = [body for body in self.children if body and not self.children[body] and body not in hung]
        if not found:
            count = {body: hung.count(body) for body in hung if body}
            known = [body for body in count if any(j in self.names for j in self.frames_on(body))]
            most = max((count[body] for body in known or count), default=0)
            found = [body for body in known or count if count[body] == most]
        return [j for body in found for j in self._last_frames(body)]

    def _limbs(self, start: int) -> Iterator[int]:
        """Return the bodies at which limbs end, starting from one body."""
        waiting = [(start, 0)]
        while waiting:
            body, before = waiting.pop()
            inner = self.children[body]
            if not inner:
                if body:
                    yield body
            elif before and self._is_hand(body, inner, before):
                yield body
            elif len(inner) == 1:
                waiting.append((inner[0], before + 1))
            else:
                waiting += [(child, 1) for child in reversed(inner)]

    def _is_hand(self, body: int, inner: Sequence[int], before: int) -> bool:
        """Whether the bodies beyond are fingers: by name, or several chains that are all shorter than the arm.

        A robot that consists of a finger has no hand; a jaw that carries the only other jaw is the base of a gripper.
        """
        arm = any(not self._is_named(one, _FINGERS) for one in self.path(body))
        alone = len(inner) == 1 and bool(self.children[inner[0]])
        if arm and not alone and all(self._is_named(one, _FINGERS) for one in inner):
            return True
        return len(inner) > 1 and max(map(self._depth, inner)) < before

    def _depth(self, body: int) -> int:
        """Return the number of joints along the longest chain from a body, its own included."""
        deepest, waiting = 0, [(body, 1)]
        while waiting:
            one, depth = waiting.pop()
            deepest = max(deepest, depth)
            waiting += [(child, depth + 1) for child in self.children[one]]
        return deepest

    def _is_named(self, body: int, words: Iterable[str]) -> bool:
        names = [self.robot.joint(body).name, *(n for j in self.frames_on(body) for n in self.names.get(j, ()))]
        return any({*_words(name)} & {*words} for name in names if name)

    def _last_frames(self, body: int) -> list[int]:
        """Return the frame at the end of a body; several if the choice is ambiguous."""
        frames = self.frames_on(body)
        followed = {frame.ant for frame in self.robot.frames}
        free = [j for j in frames if j not in followed]
        named = [j for j in frames if j in self.names]
        if named:
            wanted = [j for j in named[1:] if j not in followed and not self._is_sensor(j)]
            return wanted or named[:1]
        return free or [body]

    def _is_sensor(self, j: int) -> bool:
        return any({*_words(name)} & _SENSORS for name in self.names[j])

    def beside(self, j: int) -> tuple[str, ...]:
        """Return other named frames on the same body and on the bodies of a hand beyond it."""
        body = self.of[j]
        beyond = [body, *self.children[body]] if body in self.children else [body]
        return tuple(
            frame_label(self.robot, k) for k in self.names if k != j and k <= self.robot.NL and self.of[k] in beyond
        )
