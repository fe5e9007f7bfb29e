"""Which robots a public function takes, declared beside it: their base, and the coordinates of their models.

A robot without modules and transmission has models in its joints, which every function takes. What a function takes
beside that is declared: motors of a transmission, one platform, modules in series, each with the options that apply.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, NamedTuple, TypeVar

from robosym.coordinates.motor_coordinates import in_motors
from robosym.errors import InputError
from robosym.mechanism import Robot
from robosym.mechanism.base_kinds import need_base

__all__ = ["ALL", "Accepted", "accepted_by", "accepts"]

Function = TypeVar("Function", bound=Callable[..., Any])
ALL = "*"  #: in place of the names of options: every one


class Accepted(NamedTuple):
    """What a function declares."""

    base: str  #: the most that the base may do: "fixed", "mobile" or "floating"
    motors: bool | str  #: whether it takes a transmission; "own" where it treats one itself
    platform: str | None  #: options that apply to a robot with a platform; None where it takes no such robot
    modules: str | None  #: the same of modules in series
    loops: bool  #: whether it takes joints that loops or couplings bind to others

    def options(self, robot: Robot) -> frozenset[str] | None:
        """The options that apply to a robot; None where all do, an empty set where the function does not take it."""
        named = ALL if not robot.modules else self.platform if len(robot.modules) == 1 else self.modules
        return None if named == ALL else frozenset((named or "").split())

    def takes(self, robot: Robot) -> bool:
        """Whether the function takes the robot, its base apart."""
        if robot.transmission is not None:
            return bool(self.motors)
        return not robot.modules or (self.platform if len(robot.modules) == 1 else self.modules) is not None


def accepts(
    base: str, motors: bool | str = False, platform: str | None = None, modules: str | None = None, loops: bool = True
) -> Callable[[Function], Function]:
    """Declare which robots a function takes as its first argument; other robots are an error."""
    declared = Accepted(base, motors, platform, modules, loops)

    def decorate(function: Function) -> Function:
        name = function.__name__

        @wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            robot = args[0] if args else options.get("robot")
            if not isinstance(robot, Robot):
                raise InputError(f"{name}: expected a robot, found {robot!r}: rs.load reads one from a file")
            need_base(robot, name, base)
            if robot.constrained and not loops:
                bound = "closed loops" if robot.loops else "coupled joints"
                raise InputError(f"{name} takes robots whose joints move one by one: {robot.name} has {bound}")
            if robot.modules or robot.transmission is not None:
                _check(declared, function, robot, args, options)
            if robot.transmission is not None and motors is True:
                rest = args[1:] if args else ()
                given = {key: value for key, value in options.items() if key != "robot"}
                return in_motors(robot, function(robot.in_joints(), *rest, **given))
            return function(*args, **options)

        call.accepted = declared  # type: ignore[attr-defined]
        made: Function = call  # type: ignore[assignment]
        return made

    return decorate


def accepted_by(function: Any) -> Accepted | None:
    """What a function declares; None where it declares nothing."""
    found: Accepted | None = getattr(function, "accepted", None)
    return found


def _check(
    declared: Accepted, function: Callable[..., Any], robot: Robot, args: tuple[Any, ...], options: dict[str, Any]
) -> None:
    name = function.__name__
    if not declared.takes(robot):
        if robot.transmission is not None:
            raise InputError(f"{name} does not take a robot with a transmission: pass robot.in_joints()")
        what = "a platform" if len(robot.modules) == 1 else "several modules"
        instead = ": pass robot.to_closed(), the same robot with loops" if declared.loops else ""
        raise InputError(f"{name} does not take a robot with {what}{instead}")
    known = declared.options(robot)
    if known is None:
        return
    expected = signature(function).parameters
    given = signature(function).bind(*args, **options).arguments
    for key, value in given.items():
        if key not in known and key != next(iter(expected)) and value is not expected[key].default:
            takes = f"takes {', '.join(sorted(known))}" if known else "takes no options"
            raise InputError(f"{name} of a robot with a platform {takes}: found {key}={value!r}")
