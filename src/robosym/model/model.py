"""A model: named inputs to named outputs over one expression graph, with the names of what lies between."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from robosym.algebra import Expr, Graph, Level, derivatives, gradient, needed, needed_symbols, to_sympy
from robosym.algebra.count import Operations, count_nodes
from robosym.algebra.once import FrozenDict, cached_property
from robosym.errors import InputError, closest
from robosym.model.display import as_html, as_latex, one_line, table
from robosym.model.domain import Domain, within_domain
from robosym.model.groups import is_online, meaning
from robosym.model.meanings import result_meaning
from robosym.model.naming import Definitions, Layout, flat, shape
from robosym.model.origin import Derived, Origin

if TYPE_CHECKING:
    import sympy

    from robosym.mechanism import Robot
    from robosym.runtime import Compiled
    from robosym.runtime.loops_in_calls import WithLoops
    from robosym.runtime.precision import Precision

__all__ = ["Model", "Printed"]


class Printed:
    """What languages print: a model, or the recipe of a solution."""

    def _filled(self) -> Printed:
        """What is printed of it."""
        return self

    def code(self, language: str = "listing", **options: object) -> str:
        """The source text in a language: "listing", "c", "python", ..."""
        from robosym.languages import code

        return code(self._filled(), language, **options)

    def write(self, path: str | Path, language: str | None = None, **options: object) -> list[Path]:
        """Write the source; the extension chooses the language. Gives the files written (C has a header too).

        In a directory the file gets the guide's name: rx90_dyn.c, rx90.dyn.
        """
        from robosym.languages import write

        return write(self._filled(), path, language, **options)


@dataclass(frozen=True, eq=False, repr=False)
class Model(Printed):
    """What an algorithm generates, the optimizer rewrites, a language prints and the runtime compiles."""

    name: str  #: of the robot, or of the file it was read from
    kind: str  #: the extension of the guide's Appendix 5.1: "dyn", "inm", ...
    title: str
    inputs: Mapping[str, tuple[str, ...]]
    outputs: Mapping[str, Layout]
    definitions: Mapping[str, Expr] = field(repr=False)  #: every named variable, the outputs among them
    graph: Graph = field(repr=False)
    robot: Robot | None = field(default=None, repr=False)
    optimized: bool = False  #: whether the optimizer made it
    known: tuple[str, ...] = field(default=(), repr=False)  #: every parameter, those that no output needs included
    made: Origin | Derived | None = field(default=None, repr=False)  #: by which algorithm, where others are known
    written_out: bool = False  #: whether people read its outputs without intermediate variables, but sines and cosines
    #: of outputs, and of inputs behind "in ": what the table cannot know
    about: Mapping[str, str] = field(default_factory=dict, repr=False)
    form: str = field(default="", repr=False)  #: how it was chosen among forms of the same function, for its file
    whole: bool = field(default=False, repr=False)  #: whether all `known` parameters are inputs, needed or not
    domain: Domain | None = field(default=None, repr=False)  #: which inputs are allowed, where not all are

    def __post_init__(self) -> None:
        """Leave out the parameters that no output depends on, and keep the mappings from being changed.

        What is left out stays `known`: another choice of outputs may depend on it.
        """
        used = {symbol.value: symbol for symbol in needed_symbols(self.graph, self.roots)}
        object.__setattr__(self, "known", tuple(dict.fromkeys((*self.known, *self.inputs.get("parameters", ())))))
        inputs = {**self.inputs, "parameters": tuple(name for name in self.known if self.whole or name in used)}
        # one object a name, the same as in a program that spells it: compiled models then find it without reading it
        shared = {group: tuple(map(sys.intern, names)) for group, names in inputs.items() if names}
        object.__setattr__(self, "inputs", FrozenDict(shared))
        object.__setattr__(self, "outputs", FrozenDict(self.outputs))
        if not isinstance(self.definitions, Definitions | FrozenDict):
            object.__setattr__(self, "definitions", FrozenDict(self.definitions))
        object.__setattr__(self, "about", FrozenDict(self.about))
        for group, names in self.inputs.items():
            for name in names:
                if name in used and (used[name].level is Level.ONLINE) is not is_online(group):
                    level = "on line" if is_online(group) else "off line"
                    raise InputError(f"{name} is in the group {group}, which is {level}; declare it so in the graph")
        clash = set(self.output_names) & {name for names in self.inputs.values() for name in names}
        if clash:
            raise InputError(f"{sorted(clash)[0]} is an output of this model and cannot be a symbol of the robot")

    def __reduce__(self) -> tuple[type[Model], tuple[Any, ...]]:
        """Definitions that are looked up in the graph become plain ones."""
        values = (getattr(self, entry.name) for entry in fields(self))
        return type(self), tuple(dict(v) if isinstance(v, Definitions) else v for v in values)

    def meaning(self, group: str, output: bool = False) -> str:
        """What a group of inputs or outputs is, with its unit, as the file of the model says it."""
        if output:
            return self.about.get(group) or result_meaning(self.kind, group)
        if group == "T" and len(self.inputs.get(group, ())) == 12 and "in T" not in self.about:
            return "desired pose: the first three rows of a 4x4 matrix, row by row (1, m)"
        return self.about.get(f"in {group}") or meaning(group)

    # ------------------------------------------------------------------ display

    def __repr__(self) -> str:
        return one_line(self)

    def __str__(self) -> str:
        return table(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def _repr_latex_(self) -> str | None:
        latex = as_latex(self)
        return None if latex is None else f"$${latex}$$"

    # ----------------------------------------------------------------- contents

    @property
    def output_names(self) -> tuple[str, ...]:
        return tuple(name for layout in self.outputs.values() for name in flat(layout))

    @property
    def roots(self) -> list[Expr]:
        """The expressions of the outputs, in order."""
        return [self.definitions[name] for name in self.output_names]

    @cached_property
    def nodes(self) -> tuple[Expr, ...]:
        """What the outputs are made of, in an order of evaluation."""
        return needed(self.graph, self.roots)

    @cached_property
    def variables(self) -> Mapping[Expr, tuple[str, bool]]:
        """The name of each named node in use, and whether the name stands for minus the node; the first name counts."""
        used = set(self.nodes)
        outputs = set(self.output_names)
        names: dict[Expr, tuple[str, bool]] = {}
        for name, value in self.definitions.items():
            if value.args and value.level is not Level.NUMBER and value.node in used and name not in outputs:
                names.setdefault(value.node, (name, value.negative))
        return names

    @cached_property
    def operations(self) -> Operations:
        return count_nodes(self.nodes)

    # ------------------------------------------------------------------- choice

    def select(self, *names: str) -> Model:
        """The model of chosen variables only, outputs or intermediate.

        Exact names, prefixes such as "GAM", or "*" for all outputs.
        """
        group_of = {name: group for group, layout in self.outputs.items() for name in flat(layout)}
        chosen: dict[str, str] = {}
        if not names:
            raise InputError("select: expected the name of a variable or more")
        for wanted in names:
            if wanted == "*":
                found = list(self.output_names)
            elif wanted in self.definitions:
                found = [wanted]
            elif wanted in self.outputs:
                found = list(flat(self.outputs[wanted]))
            else:
                found = [name for name in self.definitions if name.startswith(wanted)]
            if not wanted or not found:
                raise InputError(f"the model has no variable {wanted!r}{closest(wanted, self.definitions)}")
            for name in found:
                chosen.setdefault(name, group_of.get(name, wanted))
        groups: dict[str, list[str]] = {}
        for name, group in chosen.items():
            groups.setdefault(group, []).append(name)
        outputs: dict[str, Layout] = {
            group: self.outputs[group] if set(members) == set(flat(self.outputs.get(group, ()))) else tuple(members)
            for group, members in groups.items()
        }
        new = {group: "variables of the model, chosen by name" for group in outputs if group not in self.outputs}
        return replace(self.plain(), outputs=outputs, about={**self.about, **new})

    def plain(self) -> Model:
        """The same as nothing more than a model: what a Jacobian knows of its columns holds for the whole only."""
        return Model(**{entry.name: getattr(self, entry.name) for entry in fields(Model)})

    def expression(self, name: str) -> sympy.Expr:
        """A variable as a SymPy expression of the inputs alone (expanded form: no intermediate variable)."""
        if name not in self.definitions:
            raise InputError(f"the model has no variable {name!r}{closest(name, self.definitions)}")
        return to_sympy([self.definitions[name]])[0]

    def matrix(self, group: str) -> sympy.Matrix:
        """An output group as a SymPy matrix of the inputs alone; a vector is a column."""
        if group not in self.outputs:
            raise InputError(f"the model has no output group {group!r}{closest(group, self.outputs)}")
        from sympy import Matrix

        layout = self.outputs[group]
        rows, columns = (*shape(layout), 1)[:2]
        entries = to_sympy([self.definitions[name] for name in flat(layout)])
        return Matrix(rows, columns, entries)  # type: ignore[no-untyped-call]

    def derivative(self, *groups: str) -> Model:
        """Exact partial derivatives of the outputs by the inputs of the groups, from the graph.

        `derivative("q")` of a model of tau has the matrix group dtau_dq: rows as the outputs (of a matrix row by row),
        columns as the inputs, entries dGAM1_dt2.
        """
        self._check_groups("derivative", groups)
        definitions = dict(self.definitions)
        outputs: dict[str, Layout] = {}
        for group in groups:
            columns = self.inputs[group]
            for target, layout in self.outputs.items():
                names = tuple(flat(layout))
                rows = derivatives([self.definitions[name] for name in names], columns)
                outputs[f"d{target}_d{group}"] = tuple(tuple(f"d{n}_d{c}" for c in columns) for n in names)
                definitions |= {
                    f"d{name}_d{column}": entry
                    for name, row in zip(names, rows, strict=True)
                    for column, entry in zip(columns, row, strict=True)
                }
        about = {
            f"d{target}_d{group}": f"derivatives of {target} by {group}: a row for each output, a column for each input"
            for group in groups
            for target in self.outputs
        }
        kind = "_d".join((self.kind, *groups))
        title = f"{self.title}, derivatives by {', '.join(groups)}"
        made = None if self.made is None else Derived(self, groups)
        return replace(self, kind=kind, title=title, outputs=outputs, definitions=definitions, made=made, about=about)

    def gradient(self, *groups: str, weights: Mapping[str, float] | None = None) -> Model:
        """The gradient of a weighted sum s of the outputs by the inputs of the groups, from the graph in reverse mode.

        `gradient("q")` has the group ds_dq, entries ds_dt2. The weights of the outputs (of a matrix row by row) are one
        more group of inputs, "weights", entries wGAM1: a product of this vector and the whole Jacobian matrix at a few
        times the cost of the model, however many inputs there are. `weights={"GAM1": 1}` gives them once and for all;
        a single output has the weight 1.
        """
        self._check_groups("gradient", groups)
        if "weights" in self.inputs or any(name.startswith("ds_d") for name in self.outputs):
            raise InputError("gradient: the model is a gradient already; its slopes are given by derivative(...)")
        names = self.output_names
        if weights is None and len(names) == 1:
            weights = {names[0]: 1}
        inputs = dict(self.inputs)
        if weights is None:
            symbols = tuple(f"w{name}" for name in names)
            taken = {name for known in inputs.values() for name in known}.union(self.known, self.definitions)
            for name in symbols:
                if name in taken:
                    raise InputError(f"gradient: {name}, the weight of {name[1:]}, is a variable of the model already")
            inputs["weights"] = symbols
            factors = [self.graph.symbol(name, True) for name in symbols]
        else:
            for name in weights:
                if name not in names:
                    raise InputError(f"weights: the model has no output {name!r}{closest(name, names)}")
            factors = [self.graph.number(weights.get(name, 0)) for name in names]
        variables = [name for group in groups for name in self.inputs[group]]
        slopes = dict(zip(variables, gradient(self.roots, factors, variables), strict=True))
        definitions = {**self.definitions, **{f"ds_d{name}": slope for name, slope in slopes.items()}}
        outputs: dict[str, Layout] = {
            f"ds_d{group}": tuple(f"ds_d{name}" for name in self.inputs[group]) for group in groups
        }
        kind = "_g".join((self.kind, *groups))
        title = f"{self.title}, gradient by {', '.join(groups)}"
        about = {f"ds_d{group}": f"gradient of the weighted sum of the outputs by {group}" for group in groups}
        changed = {"kind": kind, "title": title, "inputs": inputs, "outputs": outputs, "definitions": definitions}
        return replace(self.plain(), **changed, about=about, made=None)  # type: ignore[arg-type]

    def _check_groups(self, purpose: str, groups: tuple[str, ...]) -> None:
        if not groups:
            raise InputError(f"{purpose}: expected some of the input groups {', '.join(self.inputs)}, found none")
        for group in groups:
            if group not in self.inputs:
                raise InputError(f"the model has no input group {group!r}{closest(group, self.inputs)}")

    # ------------------------------------------------- what is made of a model

    def _filled(self) -> Model:
        """Without groups of outputs in which there is nothing: a robot of springs alone has no torques."""
        outputs = {group: layout for group, layout in self.outputs.items() if 0 not in shape(layout)}
        return replace(self, outputs=outputs) if outputs and len(outputs) < len(self.outputs) else self

    def checked(self) -> Model:
        """Return the model whose outputs are NaN for inputs that its robot cannot take, as machine code has it.

        These are poses, twists and accelerations that the legs of a robot with a platform do not allow. Without it
        generated code trusts its inputs, and needs fewer operations.
        """
        return within_domain(self)

    @overload
    def compile(self, cached: bool = True, *, loops: Literal["trust"] = "trust") -> Compiled: ...
    @overload
    def compile(self, cached: bool = True, *, loops: str) -> Compiled | WithLoops: ...
    def compile(self, cached: bool = True, *, loops: str = "trust") -> Compiled | WithLoops:
        """The model as machine code, called with arrays.

        Code that was made before, in this process or for this user, is taken again unless `cached` is False; the
        environment variable ROBOSYM_CACHE names the folder where it lies, or is "off". Models of closed robots take
        positions of all joints of the tree and trust that the loops close: with `loops="refuse"` an open loop is an
        error, with "report" its gap is given beside the result, with "solve" `q` are the motors and the loops are
        closed inside, from `near=` or from the position of the last call.

        A pose, twist or acceleration of a platform that its legs do not allow gives NaN.
        """
        if loops == "trust":
            from robosym.runtime import Compiled

            return Compiled(within_domain(self)._filled(), cached)
        from robosym.runtime.loops_in_calls import compiled_with_loops  # it takes longer to load than all the rest

        return compiled_with_loops(self._filled(), loops, cached)

    def precision(
        self, ranges: Mapping[str, Any] | None = None, *, samples: int = 100, tolerance: float | None = None
    ) -> Precision:
        """Rounding errors of the machine code in double and single precision, measured against 50 digits or more.

        `ranges` gives inputs or groups a value or (low, high): `{"q": (-1, 1), "D3": 0.45}`. What is left out has the
        limits of its joint, else angles of +-pi, slides of +-1 m, 5 rad/s, 20 rad/s^2, 100 N m and weight as on
        earth; parameters have no usual value. Errors are relative to the largest entry of their group of outputs at
        the same state, or at any state where all are exactly 0. The result prints the worst found with its state and
        whether single precision suits the tolerance (0.0001 if none is given): `.error("double")`,
        `.worst["single"]["tau"].state`, `.suits("single")`. What is drawn is a number of the precision in question;
        rounding of given values and constants counts. `samples` states, half of them the worst of many more that were
        drawn, are looked at: no bound of what other states may give.
        """
        from robosym.runtime.precision import precision

        return precision(self._filled(), ranges, samples, tolerance)

    def to_casadi(self) -> Any:
        """The model as a `casadi.Function`, arguments and results named as the groups.

        A motion of a platform that its legs do not allow gives NaN, as in machine code.
        """
        from robosym.languages.bridges import to_casadi

        return to_casadi(within_domain(self)._filled())

    def to_jax(self) -> Any:
        """The model as a function of JAX arrays, to be jitted, differentiated or mapped.

        A motion of a platform that its legs do not allow gives NaN, as in machine code.
        """
        from robosym.languages.bridges import to_jax

        return to_jax(within_domain(self)._filled())
