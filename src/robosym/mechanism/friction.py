"""Joint friction as data: names of the terms, and the function that multiplies each parameter.

Models (over expressions), identification (over arrays) and files share one table of shapes. A friction torque is the
sum of parameters times shapes, which depend on position and velocity of the joint; load-dependent friction is added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from robosym.algebra import Expr, Graph, evaluate, numeric_value, parse, substitute, symbols
from robosym.algebra.once import FrozenDict
from robosym.errors import Error, InputError, RobotError, closest
from robosym.spatial import Scalar, sign

if TYPE_CHECKING:
    from robosym.mechanism.elements import Joint
    from robosym.mechanism.robot import Robot

__all__ = [
    "FRICTIONLESS", "LOAD", "NOT_DRY", "OWN_PLACE", "SHAPES", "SMOOTH", "Friction", "JointFriction", "driving",
    "friction_choice", "has_dry_friction", "split_friction", "under_load", "with_friction",
]  # fmt: skip

#: user-defined term: an expression in q and qd, or a Python function of both
Term = str | Callable[[Any, Any], object]


def _direction(qd: Expr, smooth: float) -> Expr:
    """Return the sign of the velocity, or its smooth approximation."""
    if smooth:
        return qd.graph.function("tanh", qd * (1 / smooth))
    return qd.graph.function("sign", qd)


def _forward(qd: Expr) -> Expr:
    return (1 + qd.graph.function("sign", qd)) / 2


def _backward(qd: Expr) -> Expr:
    return (1 - qd.graph.function("sign", qd)) / 2


def _slowly(qd: Expr, speed: float) -> Expr:
    ratio = qd * (1 / speed)
    return qd.graph.function("exp", -(ratio * ratio))


#: factor of each parameter as a function of the velocity, its (smooth) sign and the Stribeck speed
SHAPES: Mapping[str, Callable[[Expr, Expr, float], Expr]] = FrozenDict(
    {
        "FV": lambda qd, sense, speed: qd,
        "FS": lambda qd, sense, speed: sense,
        "OFF": lambda qd, sense, speed: qd.graph.one,
        "FVP": lambda qd, sense, speed: qd * _forward(qd),
        "FSP": lambda qd, sense, speed: sense * _forward(qd),
        "FVN": lambda qd, sense, speed: qd * _backward(qd),
        "FSN": lambda qd, sense, speed: sense * _backward(qd),
        "FB": lambda qd, sense, speed: sense * _slowly(qd, speed),
    }
)
LOAD = "FL"  #: multiplies the magnitude of the transmitted torque, in the direction of motion
NOT_DRY = ("FV", "OFF", "FVP", "FVN")  #: parameters whose torque is continuous at zero velocity
OWN_PLACE = ("FV", "FS")  #: fields of a link, as in SYMORO+
_YES_OR_NO = ("viscous", "coulomb", "offset", "asymmetric", "load", "passive")  #: options of `Friction`
_TAKEN = (*SHAPES, LOAD, "IA", "IAM", "FVM", "FSM", "smooth", "stribeck")


class _Traced:
    """Proxy of an expression in a function written for arrays: maps NumPy functions to operations of the graph."""

    def __init__(self, value: Expr) -> None:
        self.value = value

    def __array_ufunc__(self, ufunc: Callable[..., object], method: str, *inputs: object, **options: object) -> object:
        if ufunc.__name__ not in _UFUNCS or method != "__call__" or options:
            return NotImplemented
        return _operation(ufunc.__name__)(*inputs)


def _operation(name: str, backwards: bool = False) -> Callable[..., _Traced]:
    """Return an entry of `_UFUNCS` as a function of proxies and numbers, or as a reflected operator."""
    return lambda *inputs: _Traced(_UFUNCS[name](*map(_untraced, inputs[::-1] if backwards else inputs)))


def _untraced(value: Any) -> Expr | float:
    if isinstance(value, _Traced):
        return value.value
    return value if isinstance(value, Expr) else float(value)


def _called(name: str) -> Callable[[Expr], Expr]:
    return lambda x: x.graph.function(name, x)


def _cube_root(x: Expr) -> Expr:
    function = x.graph.function
    return function("sign", x) * x.graph.power(function("abs", x), x.graph.number(1) / 3)


_UFUNCS: dict[str, Callable[..., Expr]] = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b, "negative": lambda a: -a, "square": lambda a: a * a, "power": lambda a, b: a**b,
    "absolute": _called("abs"), "fabs": _called("abs"), "sign": _called("sign"), "tanh": _called("tanh"),
    "exp": _called("exp"), "log": _called("log"), "sqrt": _called("sqrt"), "sin": _called("sin"),
    "cos": _called("cos"), "tan": _called("tan"), "arctan": _called("atan"), "cbrt": _cube_root,
}  # fmt: skip
for _word, _name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power"}.items():
    setattr(_Traced, f"__{_word}__", _operation(_name))
    setattr(_Traced, f"__r{_word}__", _operation(_name, backwards=True))
for _word, _name in {"neg": "negative", "abs": "absolute"}.items():
    setattr(_Traced, f"__{_word}__", _operation(_name))


@dataclass(frozen=True)
class Friction:
    """Terms of a friction model, each with one parameter per joint.

    | option | parameters of joint j | torque per unit of the parameter |
    | --- | --- | --- |
    | `viscous` | FVj | qd |
    | `coulomb` | FSj | sign(qd), or tanh(qd / smooth) |
    | `offset` | OFFj | 1 |
    | `asymmetric` | FVPj, FSPj, FVNj, FSNj instead | the same, for qd > 0 and for qd < 0; OFF is part of FSP, FSN |
    | `stribeck` = speed | FBj | sign(qd) exp(-(qd / speed)^2) |
    | `load` | FLj | sign(qd) times the magnitude of the torque that moves the links and the rotor |
    | `passive` | FVj, FSj of passive joints of loops | qd, sign(qd) of that joint, if identifiable |
    | `terms` = {"FC": f} | FCj | f(q, qd), an expression or a function of position and velocity of the joint |

    Speeds are in rad/s or m/s.

    Examples
    --------
    >>> import robosym as rs
    >>> rs.Friction(stribeck=0.1, offset=False).names
    ('FV', 'FS', 'FB')
    """

    viscous: bool = True
    coulomb: bool = True
    smooth: float = 0.0
    offset: bool = True
    asymmetric: bool = False
    stribeck: float | None = None
    load: bool = False
    passive: bool = False
    terms: Mapping[str, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for option in _YES_OR_NO:
            value = getattr(self, option)
            if value not in (True, False) or isinstance(value, float):
                raise InputError(
                    f"friction: {option}: expected True or False, found {value!r}; "
                    "for text use Friction.of, such as Friction.of('stribeck=0.1,load')"
                )
        object.__setattr__(self, "terms", FrozenDict(self.terms))
        _speed("smooth", self.smooth, zero=True)
        if self.stribeck is not None:
            _speed("stribeck", self.stribeck)
        for name in self.terms:
            if not name.isidentifier() or name[-1].isdigit() or name in _TAKEN:
                raise InputError(f"friction: terms: expected a new name that ends in a letter, found {name!r}")
        for name, term in self.terms.items():
            if isinstance(term, str):
                _parsed(name, term)
            elif not callable(term):
                raise InputError(f"friction: {name}: expected a text or a function of q and qd, found {term!r}")

    @classmethod
    def of(cls, text: str) -> Friction:
        """Return the friction model that a text describes, as the command line does.

        Parameters
        ----------
        text : str
            Options separated by commas; `no-` disables an option, `NAME=expression` adds a term:
            "smooth=0.02,load,stribeck=0.1,no-offset,FC=tanh(qd/0.3)".

        Returns
        -------
        Friction
            The friction model.

        Raises
        ------
        InputError
            If an option is unknown or a value is not a speed.
        """
        given: dict[str, Any] = {}
        terms: dict[str, str] = {}
        for word in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = word.partition("=")
            if name in ("smooth", "stribeck") and equals:
                try:
                    given[name] = float(value)
                except ValueError:
                    raise InputError(f"friction: {name}: expected a speed, found {value!r}") from None
            elif equals:
                terms[name] = value
            elif word.removeprefix("no-") in _YES_OR_NO:
                given[word.removeprefix("no-")] = not word.startswith("no-")
            else:
                words = (*_YES_OR_NO, "smooth=..", "stribeck=..", "NAME=..")
                raise InputError(f"friction: expected {', '.join(words)}, found {word!r}{closest(word, words)}")
        return cls(**given, terms=terms)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters of a joint, without its number and without load."""
        sides = ("P", "N") if self.asymmetric else ("",)
        wanted = (("FV", self.viscous), ("FS", self.coulomb))
        found = [f"{name}{side}" for side in sides for name, has in wanted if has]
        found += ["FB"] if self.stribeck is not None else []
        found += self.terms
        found += ["OFF"] if self.offset and not (self.asymmetric and self.coulomb) else []
        return tuple(found)

    def shape(self, name: str) -> Expr | None:
        """Return the factor of a parameter as an expression in q and qd.

        Parameters
        ----------
        name : str
            Name of the parameter without the number of the joint, such as "FV".

        Returns
        -------
        Expr or None
            The factor; None for a function that accepts arrays only.
        """
        if name in SHAPES:
            qd = Graph().symbol("qd")
            return SHAPES[name](qd, _direction(qd, self.smooth), self.stribeck or 1.0)
        term = self.terms[name]
        return _parsed(name, term) if isinstance(term, str) else traced(term)

    def direction(self) -> Expr:
        """Return the sign of qd, or its smooth approximation.

        Returns
        -------
        Expr
            Expression in qd.
        """
        return _direction(Graph().symbol("qd"), self.smooth)


def _speed(name: str, value: object, zero: bool = False) -> None:
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not ((zero and number == 0) or 0 < number < math.inf):
        raise InputError(f"friction: {name}: expected a speed, found {value!r}")


@lru_cache(maxsize=256)
def _parsed(name: str, text: str) -> Expr:
    try:
        shape = parse(text, Graph())
    except Error as error:
        raise InputError(f"friction: {name}: {error}, in {text[:60]!r}") from None
    if other := [s for s in symbols([shape]) if s not in ("q", "qd")]:
        raise InputError(
            f"friction: {name}: expected a function of q and qd, found {', '.join(other)} in {text[:60]!r}"
        )
    return shape


def traced(term: Callable[[Any, Any], object]) -> Expr | None:
    """Return a function of arrays as an expression, if it uses only operations that the graph has."""
    graph = Graph()
    try:
        value = term(_Traced(graph.symbol("q")), _Traced(graph.symbol("qd")))
    except (TypeError, AttributeError, ValueError):
        return None
    return value.value if isinstance(value, _Traced) else None


@dataclass(frozen=True, slots=True)
class JointFriction:
    """Friction of a joint in addition to FV and FS: parameters by name, and the data of their shapes."""

    values: tuple[tuple[str, Expr], ...] = ()  #: OFF, FB, FL .., in the graph of the robot
    smooth: float = 0.0  #: speed: tanh(qd / smooth) replaces the sign of qd in FS, FB and FL
    stribeck: float | None = None
    own: tuple[tuple[str, str], ...] = ()  #: {parameter: its shape, an expression in q and qd}

    def __bool__(self) -> bool:
        return bool(self.values or self.smooth)

    def check(self, frame: int, cut: bool = False) -> None:
        """Raise `RobotError` if a shape is missing or invalid, or the load coefficient makes the joint self-locking.

        Only a `cut` joint, which has no link, contains FV and FS.
        """
        own = dict(self.own)
        try:
            Friction(smooth=self.smooth, stribeck=self.stribeck, terms=own)
        except InputError as error:
            raise RobotError(error, frame=frame) from None
        for name, entry in self.values:
            wrong = ""
            if name in OWN_PLACE and not cut:
                wrong = "expected this parameter in the link, not in the friction of the joint"
            elif name == "FB" and self.stribeck is None:
                wrong = "expected the speed stribeck together with it"
            elif name not in SHAPES and name != LOAD and name not in own:
                known = ", ".join(n for n in (*SHAPES, LOAD) if n not in OWN_PLACE)
                wrong = f"expected {known}, or a name with its own shape"
            elif name == LOAD and not abs(numeric_value(entry) or 0.0) < 1:
                wrong = f"expected a load coefficient less than 1, found {numeric_value(entry)}"
            if wrong:
                raise RobotError(f"{name}: {wrong}", frame=frame, field="friction")

    @property
    def needs_position(self) -> bool:
        """Whether a user-defined term depends on the position."""
        return any("q" in symbols([_parsed(name, text)]) for name, text in self.own)

    def effort(self, FS: Scalar, value: Callable[[Expr], Scalar], q: Scalar, qd: Scalar) -> Scalar:
        """Return the friction torque without viscous and load-dependent friction."""
        total = FS * applied(self.shape("FS"), q, qd) if not _is_zero(FS) else 0
        for name, entry in self.values:
            if name != LOAD:
                total = total + value(entry) * applied(self.shape(name), q, qd)
        return total

    def shape(self, name: str) -> Expr:
        """Return the factor of a parameter, in the symbols q and qd."""
        shape = Friction(smooth=self.smooth, stribeck=self.stribeck, terms=dict(self.own)).shape(name)
        assert shape is not None
        return shape

    def load(self, value: Callable[[Expr], Scalar], q: Scalar, qd: Scalar) -> Scalar:
        """Return the coefficient of the magnitude of the transmitted torque."""
        for name, entry in self.values:
            if name == LOAD:
                return value(entry) * applied(self.shape("FS"), q, qd)
        return 0


FRICTIONLESS = JointFriction()  #: only FV and FS


def _is_zero(value: Scalar) -> bool:
    return value.is_zero if isinstance(value, Expr) else value == 0


def applied(shape: Expr, q: Scalar, qd: Scalar) -> Scalar:
    """Evaluate a shape at a position and a velocity, which are expressions or numbers."""
    graph = next((x.graph for x in (q, qd) if isinstance(x, Expr)), None)
    if graph is None:
        return evaluate([shape], {"q": float(cast(float, q)), "qd": float(cast(float, qd))})[0]
    return substitute([shape], graph, {"q": graph.zero + cast(Expr, q), "qd": graph.zero + cast(Expr, qd)})[0]


def under_load(torque: Scalar, load: Scalar) -> Scalar:
    """Return a transmitted torque plus the load-dependent friction, `load` times its magnitude."""
    if _is_zero(load):
        return 0
    return load * (torque.graph.function("abs", torque) if isinstance(torque, Expr) else abs(cast(float, torque)))


def driving(effort: Scalar, load: Scalar) -> Scalar:
    """Return the transmitted torque y for the applied effort y + load |y|, with |load| < 1.

    1 + load sign(y) is positive, so y has the sign of the effort.
    """
    if _is_zero(load):
        return effort
    driven: float = cast(float, effort)  # or an expression
    return driven / cast(float, 1 + load * sign(driven))


# ------------------------------------------------------------------ of a robot

SMOOTH = 0.01  #: rad/s or m/s: speed at which the smooth sign is tanh(1) = 0.76


def friction_choice(friction: bool | str) -> bool | str:
    """Return True, False or "smooth", also from "yes" and "no"."""
    found = {"yes": True, "no": False, "smooth": "smooth"}.get(friction) if isinstance(friction, str) else friction
    if found is not True and found is not False and found != "smooth":
        raise InputError(f"friction: expected 'no', 'smooth' or 'yes' (False or True), found {friction!r}")
    return found


def has_dry_friction(robot: Robot) -> bool:
    """Whether the torque of a joint is discontinuous at zero velocity."""
    own = [value for joint in robot.joints for name, value in joint.friction.values if name not in NOT_DRY]
    return any(not value.is_zero for value in (*own, *(link.FS for link in robot.links)))


def split_friction(robot: Robot) -> tuple[Robot, Robot]:
    """Return the robot without its dry friction, and the robot with smooth dry friction only."""
    zero = robot.graph.zero

    def kept(joint: Joint, dry: bool, smooth: float) -> Joint:
        values = tuple((name, value) for name, value in joint.friction.values if (name in NOT_DRY) is not dry)
        own = tuple((name, text) for name, text in joint.friction.own if name in dict(values))
        return replace(joint, friction=replace(joint.friction, values=values, own=own, smooth=smooth))

    quiet = tuple(kept(joint, False, 0.0) for joint in robot.joints)
    dry = tuple(kept(joint, True, joint.friction.smooth or SMOOTH) for joint in robot.joints)
    return (
        replace(robot, joints=quiet, links=tuple(replace(link, FS=zero) for link in robot.links)),
        replace(robot, joints=dry, links=tuple(replace(link, FV=zero) for link in robot.links)),
    )


def with_friction(robot: Robot, friction: bool | str) -> Robot:
    """Return the robot with its friction (True or "yes"), without friction (False or "no"), or with smooth signs."""
    friction = friction_choice(friction)
    if friction is True:
        return robot
    if friction is False:
        zero = robot.graph.zero
        links = tuple(replace(link, FV=zero, FS=zero) for link in robot.links)
        joints = tuple(replace(joint, friction=FRICTIONLESS) for joint in robot.joints)
        return replace(robot, links=links, joints=joints).changed()
    joints = tuple(
        replace(joint, friction=replace(joint.friction, smooth=joint.friction.smooth or SMOOTH))
        for joint in robot.joints
    )
    return replace(robot, joints=joints).changed()
