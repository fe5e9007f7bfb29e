"""Declaration of the robots that a public function supports: their base, and the coordinates of their models.

Every function accepts robots with joint coordinates. Other robots are declared: motors of a transmission, one
platform, modules in series. A declaration lists the options that apply and, if the model in those coordinates has a
function of its own, that function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, TypeVar, cast

from robosym.coordinates.motor_coordinates import in_motors
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.needs import BASES, need_base
from robosym.spatial import Scalar

__all__ = ["ALL", "Accepted", "accepted_by", "accepts"]

Function = TypeVar("Function", bound=Callable[..., Any])
ALL = "*"  #: in place of the names of options: every one

_WITH_LOOPS = "robot.to_closed(), the same robot with loops"
#: what to pass in place of a robot whose models are in such coordinates
_INSTEAD = {
    "motors": "robot.in_joints()", "platform": _WITH_LOOPS, "modules": _WITH_LOOPS,
    "contacts": "robot.with_contacts(), the robot without contacts",
}  # fmt: skip


class Accepted(NamedTuple):
    """Kinds of robots that a function declares to support."""

    base: str  #: the most that the base may do: "fixed", "mobile" or "floating"
    motors: str | None  #: options that apply to a robot with a transmission; None where it takes no such robot
    platform: str | None  #: the same of a robot with a platform
    modules: str | None  #: the same of modules in series
    contacts: str | None  #: the same of a robot in contact with the ground
    loops: bool  #: whether it takes joints that loops or couplings bind to others

    def _named(self, robot: Robot) -> str | None:
        by_coordinates = {
            "motors": self.motors, "platform": self.platform, "modules": self.modules, "contacts": self.contacts,
        }  # fmt: skip
        return by_coordinates.get(robot.coordinates, ALL)

    def options(self, robot: Robot) -> frozenset[str] | None:
        """Return the options that apply to a robot: None if all do, an empty set if the robot is not accepted."""
        named = self._named(robot)
        return None if named == ALL else frozenset((named or "").split())

    def takes(self, robot: Robot) -> bool:
        """Return whether the function accepts the robot, regardless of its base."""
        return self._named(robot) is not None

    def reason(self, robot: Robot) -> str:
        """Return why the function does not accept the robot, as a remark on a name of the function; "" if it does."""
        if not self.takes(robot):
            return f"not for a robot with {robot.distinction}"
        if not self.loops and robot.dependent:
            return f"not for a robot with {'closed loops' if robot.loops else 'coupled joints'}"
        return "" if BASES.index(robot.base.kind) <= BASES.index(self.base) else f"not with a {robot.base.kind} base"


def accepts(
    base: str, motors: bool | str = False, platform: str | None = None, modules: str | None = None, loops: bool = True,
    variants: Mapping[str, Callable[..., Any]] | None = None, contacts: str | None = None,
) -> Callable[[Function], Function]:  # fmt: skip
    """Declare which robots a function takes as its first argument; other robots are an error.

    `variants` maps coordinates to functions that are called in its place, with the options that apply. With
    `motors=True` the function makes the model of the joints, which is converted to the motors; with names of options
    (or `ALL`) it receives the robot with its transmission.
    """
    declared = Accepted(base, ALL if motors is True else motors or None, platform, modules, contacts, loops)

    def decorate(function: Function) -> Function:
        name = function.__name__

        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            robot = args[0] if args else options.get("robot")
            if not isinstance(robot, Robot):
                raise InputError(f"{name}: expected a robot, found {robot!r}: rs.load reads one from a file")
            need_base(robot, name, base)
            if not loops and robot.dependent:
                bound = "closed loops" if robot.loops else "coupled joints"
                raise InputError(f"{name} supports robots with independent joints only: {robot.name} has {bound}")
            given = _applying(declared, function, robot, args, options)
            variant = (variants or {}).get(robot.coordinates)
            if variant is not None:
                return variant(robot, **given)
            if motors is not True or robot.coordinates != "motors":
                return function(*args, **options)
            others = {key: value for key, value in options.items() if key != "robot"}
            return in_motors(robot, function(robot.in_joints(), *args[1:], **others))

        call.__dict__["accepted"] = declared
        return cast("Function", call)

    return decorate


def accepted_by(function: object) -> Accepted | None:
    """Return the declaration of a function; None if it has none."""
    found: Accepted | None = getattr(function, "accepted", None)
    return found


def _applying(
    declared: Accepted, function: Callable[..., Any], robot: Robot, args: tuple[Scalar, ...], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options of a call by name; options that do not apply to the coordinates raise an error."""
    if not robot.distinction:
        return {}
    name = function.__name__
    if not declared.takes(robot):
        instead = _INSTEAD[robot.coordinates]
        hint = f": pass {instead}" if declared.loops or instead is not _WITH_LOOPS else ""
        raise InputError(f"{name} does not take a robot with {robot.distinction}{hint}")
    known_options = declared.options(robot)
    expected = signature(function).parameters
    given = signature(function).bind(*args, **options).arguments
    given.pop(next(iter(expected)))
    if known_options is None:
        return given
    for key, value in given.items():
        if key not in known_options and value is not expected[key].default:
            takes = f"takes {', '.join(sorted(known_options))}" if known_options else "takes no options"
            raise InputError(f"{name} of a robot with {robot.distinction} {takes}: found {key}={value!r}")
    return {key: value for key, value in given.items() if key in known_options}
