"""Base inertial parameters: the smallest set that determines the dynamic model (guide 3.5.2, 4.2.3, 4.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from robosym.algebra import Expr, evaluate, substitute, symbols
from robosym.algebra.once import FrozenDict, cached_property
from robosym.errors import InputError, closest
from robosym.mechanism import INERTIA, Robot
from robosym.mechanism.sheets import Sheet, as_html_page
from robosym.parameters.by_numbers import NotMinimal, are_independent, check_by_numbers
from robosym.parameters.by_rules import grouped_by_rules
from robosym.parameters.linear_forms import collected, folded, latex, linear_coefficients, row_text
from robosym.parameters.standard import LinkField, Standard, inertial_fields, named, standard_parameters

__all__ = ["BaseParameters", "base_of_joints", "checked", "symbolic_base"]


@dataclass(frozen=True, eq=False, repr=False)
class BaseParameters:
    """Base parameters of a robot, their expressions in standard parameters, and the robot that has only them."""

    given: Robot  #: original robot
    standard: Standard = field(repr=False)
    grouping: Mapping[str, Expr]  #: expression of each base parameter in standard parameters and geometry
    places: Mapping[str, LinkField] = field(repr=False)  #: link and field of each base parameter
    method: str = "symbolic"
    missed: tuple[str, ...] = ()  #: parameters that the numeric method eliminates in addition to the rules
    remark: str = ""  #: result of the numeric or exact check: rank, tolerance

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the base parameters, link by link: XX2R if others are grouped with XX2, else the standard name."""
        return tuple(self.grouping)

    @property
    def standard_names(self) -> tuple[str, ...]:
        """Names of the standard parameters, the columns of `matrix`."""
        return self.standard.names

    @cached_property
    def coefficients(self) -> Mapping[str, Mapping[str, Expr]]:
        """Nonzero coefficients: {base parameter: {standard parameter: coefficient}}."""
        names = self.standard.names
        return FrozenDict({name: linear_coefficients(value, names) for name, value in self.grouping.items()})

    @cached_property
    def eliminated(self) -> tuple[str, ...]:
        """Standard parameters that are set to zero: without effect, or grouped with others."""
        kept = set(self.places.values())
        return tuple(p.name for p in self.standard.inertial if p.place not in kept)

    @cached_property
    def without_effect(self) -> tuple[str, ...]:
        """Eliminated parameters that no base parameter contains."""
        used = {name for row in self.coefficients.values() for name in row}
        return tuple(name for name in self.standard.names if name not in used)

    @cached_property
    def matrix(self) -> NDArray[np.float64] | NDArray[np.object_]:
        """Matrix of base = matrix @ standard: floats, or expressions if the geometry has symbols."""
        names = self.standard.names
        entries = [[row.get(name, 0) for name in names] for row in self.coefficients.values()]
        if any(isinstance(e, Expr) and e.level for row in entries for e in row):
            return np.array(entries, dtype=object).reshape(len(entries), len(names))
        numbers = [[evaluate([e], {})[0] if isinstance(e, Expr) else 0.0 for e in row] for row in entries]
        return np.array(numbers, dtype=float).reshape(len(entries), len(names))

    def cells(self) -> tuple[list[list[str]], list[str]]:
        """Return rows of name, link and grouping of each parameter, and remarks on the parameters without a row."""
        rows = [[name, str(self.places[name][0]), row_text(row)] for name, row in self.coefficients.items()]
        grouped = [name for name in self.eliminated if name not in self.without_effect]
        remarks = [f"Grouped with others: {', '.join(grouped) or 'none'}"]
        remarks += [f"Without effect: {', '.join(self.without_effect) or 'none'}"]
        return rows, [*remarks, *([self.remark] if self.remark else [])]

    def values(self, standard: Mapping[str, float] | None = None) -> dict[str, float]:
        """Return the values of the base parameters.

        Parameters
        ----------
        standard : dict of str to float, optional
            Values of standard parameters and symbols of the geometry, in addition to the numbers of the robot.

        Returns
        -------
        dict of str to float
            Values by base parameter (kg m^2, kg m, kg).

        Raises
        ------
        InputError
            If a name is unknown or a value is missing.
        """
        given = dict(standard or {})
        known = {*self.standard.names, *self.given.parameters}
        for name in given:
            if name not in known:
                raise InputError(f"{self.given.name} has no parameter {name}")
        for p in self.standard.inertial:
            if p.name not in given and all(name in given for name in symbols([p.entry])):
                given[p.name] = evaluate([p.entry], given)[0]
        needed = list(symbols(self.grouping.values()))
        missing = [name for name in needed if name not in given]
        if missing:
            raise InputError(f"expected values for {', '.join(missing[:8])}{' ...' if len(missing) > 8 else ''}")
        return dict(zip(self.names, evaluate(self.grouping.values(), given), strict=True))

    def essential(self, names: Sequence[str] | None = None) -> BaseParameters:
        """Return a smaller set of parameters, the others assumed to be zero.

        Parameters
        ----------
        names : sequence of str, optional
            Base parameters to keep. Default, for a robot with a platform: those of legs with symmetrical links (GS
            table III), which have no products of inertia, and first moments only towards the next joint, except for
            the link that carries the platform.

        Returns
        -------
        BaseParameters
            The smaller set; its `robot` has only these parameters.
        """
        kept = self.names if names is None else tuple(names)
        for name in kept:
            if name not in self.grouping:
                raise InputError(f"{self.given.name} has no base parameter {name}{closest(name, self.grouping)}")
        if names is None:
            from robosym.parameters.platform_parameters import of_symmetrical_links

            kept = tuple(name for name in kept if of_symmetrical_links(self.given, self.places[name]))
        return replace(
            self,
            grouping={name: self.grouping[name] for name in self.names if name in kept},
            places={name: self.places[name] for name in self.names if name in kept},
        )

    @cached_property
    def robot(self) -> Robot:
        """Robot with base parameters: numbers if it has numbers, else symbols such as XX2R; other fields are zero."""
        given, standard = self.given, self.standard
        robot = replace(
            given.with_links(dict.fromkeys(inertial_fields, 0) for _ in range(given.NL)), origin=given.origin
        )
        graph = robot.graph
        entries: dict[LinkField, Expr] = {p.place: graph.copy([p.entry])[0] for p in standard.apart}
        if standard.numeric:
            numbers = {p.name: graph.copy([p.entry])[0] for p in standard.inertial}
            values = [folded(value) for value in substitute(self.grouping.values(), graph, numbers)]
            entries.update(zip(self.places.values(), values, strict=True))
        else:
            for (name, value), place in zip(self.grouping.items(), self.places.values(), strict=True):
                own = standard.at.get(place)
                unchanged = own is not None and value.name == own.name and not own.is_derived
                entries[place] = graph.copy([own.entry])[0] if own and unchanged else graph.symbol(name)
        by_link: dict[int, dict[str, Expr]] = {j: {} for j in range(given.NL + 1)}
        for (j, name), value in entries.items():
            by_link[j][name] = value
        robot = replace(robot, links=tuple(replace(link, **by_link[j]) for j, link in enumerate(robot.links, 1)))
        if robot.base.link is None:
            return robot
        # the inertia of a base with given motion does not affect the joints
        link = replace(robot.base.link, **{name: by_link[0].get(name, graph.zero) for name in INERTIA})
        return replace(robot, base=replace(robot.base, link=link))

    # ------------------------------------------------------------------- printing

    def table(self, form: str = "text") -> str:
        """Return a table of the base parameters, followed by the eliminated parameters.

        Parameters
        ----------
        form : {"text", "latex"}, optional
            Form of the table.

        Returns
        -------
        str
            The table.
        """
        if form == "latex":
            rows = (f"${latex(name)}$ & ${latex(row_text(row))}$ \\\\" for name, row in self.coefficients.items())
            return "\n".join(["\\begin{tabular}{ll}", *rows, "\\end{tabular}"])
        if form != "text":
            raise InputError(f"form: expected 'text' or 'latex', found {form!r}")
        width = max((len(name) for name in self.names), default=0)
        lines = [self._summary(), ""]
        lines += [f"{name:<{width}} = {row_text(row)}" for name, row in self.coefficients.items()]
        derived = [p for p in self.standard.inertial if p.is_derived and p.name not in self.without_effect]
        lines += ["", *(f"with {p.name} = {p.entry}" for p in derived)] if derived else []
        grouped = [name for name in self.eliminated if name not in self.without_effect]
        lines += ["", f"grouped: {', '.join(grouped) or 'none'}"]
        lines += [f"without effect: {', '.join(self.without_effect) or 'none'}"]
        if self.missed:
            lines.append(f"not found by the symbolic rules: {', '.join(self.missed)}")
        return "\n".join([*lines, self.remark] if self.remark else lines)

    def _summary(self) -> str:
        count, of = len(self.names), len(self.standard.names)
        return f"{self.given.name}: {count} base parameters of {of} ({self.method})"

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        rows = tuple((name, str(value)) for name, value in self.grouping.items())
        tables = [Sheet("grouping", ("parameter", "of standard parameters"), rows)]
        tables += [Sheet(f"eliminated: {', '.join(self.eliminated)}")] if self.eliminated else []
        return as_html_page(self._summary(), tables)

    def _repr_latex_(self) -> str:
        rows = (f"{latex(name)} &= {latex(row_text(row))} \\\\" for name, row in self.coefficients.items())
        return "\n".join(["\\begin{align*}", *rows, "\\end{align*}"])

    def __repr__(self) -> str:
        return f"<BaseParameters, {self._summary()}>"


def base_of_joints(robot: Robot, method: str = "symbolic", structure: str | None = None) -> BaseParameters:
    """Return the base parameters of a robot in its joints, loops and couplings included; see `base_parameters`."""
    bound = robot.constrained and structure is None
    found = symbolic_base(robot, bound and bool(robot.loops))
    if method == "numeric":
        return checked(found, bound)
    return completed(found, bound) if bound or _has_screws(robot) else found


def _has_screws(robot: Robot) -> bool:
    """Whether the robot has helical joints, for which the rules of trees are incomplete."""
    kinds = [robot.frame(j).joint_type for j in robot.tree_joints]
    return any(kind.turns and kind.slides for kind in kinds)


def symbolic_base(robot: Robot, closed: bool) -> BaseParameters:
    """Apply the symbolic rules of trees and, for a closed robot, those of its loops."""
    standard = standard_parameters(robot, closed)
    return _named(robot, standard, grouped_by_rules(robot, standard, closed))


def checked(found: BaseParameters, bound: bool) -> BaseParameters:
    """Check the symbolic result numerically, and group the parameters that it missed."""
    check = check_by_numbers(_examined(found.given, bound), found.standard, found.grouping, found.places)
    if check.missed:
        found = _named(found.given, found.standard, check.left)
    return replace(found, method="numeric", missed=check.missed, remark=check.remark)


def _examined(robot: Robot, bound: bool) -> Robot:
    """Return the robot with its loops and couplings, or its equivalent tree without cut joints."""
    if bound:
        return robot
    return replace(robot, frames=robot.frames[: robot.NL], joints=robot.joints[: robot.NL], couplings={})


def completed(found: BaseParameters, bound: bool) -> BaseParameters:
    """Group parameters that the symbolic rules missed; if this is impossible, `remark` gives the reason."""
    try:
        if are_independent(_examined(found.given, bound), found.places):
            return found
        numeric = checked(found, bound)
    except NotMinimal as error:
        return replace(found, remark=f"valid for any geometry, but not minimal: {error}")
    except InputError as error:
        return replace(found, remark=f"valid, but not proved to be minimal: {error}")
    return replace(numeric, method="symbolic") if numeric.missed else found


def _named(robot: Robot, standard: Standard, left: Mapping[LinkField, Expr]) -> BaseParameters:
    """Return the remaining parameters with their names."""
    grouping, places = named(collected(left, standard.names), standard, robot)
    return BaseParameters(robot, standard, FrozenDict(grouping), FrozenDict(places))
