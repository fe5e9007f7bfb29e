"""A model: named outputs as expressions of named inputs in one graph, with named intermediate variables."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from robosym.algebra import Expr, Graph, Level, derivatives, gradient, needed, needed_symbols, to_sympy
from robosym.algebra.calculus import rates_of_change
from robosym.algebra.count import Operations, count_nodes
from robosym.algebra.once import FrozenDict, cached_property
from robosym.errors import InputError, closest
from robosym.model.display import as_html, as_latex, one_line, table
from robosym.model.domain import Domain, within_domain
from robosym.model.groups import is_online, meaning, with_parameters
from robosym.model.meanings import result_meaning
from robosym.model.naming import Definitions, Layout, flat, shape
from robosym.model.origin import Derived, Origin, Proof

if TYPE_CHECKING:
    import sympy
    from numpy.typing import ArrayLike

    from robosym.export.processors.resources import Resources
    from robosym.mechanism import Robot
    from robosym.runtime import Compiled
    from robosym.runtime.bounds import Bounds
    from robosym.runtime.evaluation import Numbers
    from robosym.runtime.fixed_point import FixedPoint
    from robosym.runtime.loops_in_calls import WithLoops
    from robosym.runtime.precision import Precision

__all__ = ["Along", "Model", "Printed"]

Along = Literal["loops", "joints"]
_SUMS = "srpmnhgabc"  #: letters of weighted sums, so that gradients can be differentiated again


class Printed:
    """Base class of everything that can be written as code: a model, or the recipe of a solution."""

    def _filled(self) -> Printed:
        """Return the part that is printed."""
        return self

    def code(self, language: str = "listing", **options: object) -> str:
        """Return the source code in a language.

        Parameters
        ----------
        language : str
            Name of the language: "listing", "c", "cpp", "python", "matlab", ...
        **options
            Options of the language.

        Returns
        -------
        str
            The source code.

        Raises
        ------
        InputError
            If the language or an option is unknown.

        Examples
        --------
        >>> import robosym as rs
        >>> model = rs.inverse_dynamics("planar2r")
        >>> text = model.code("c")
        """
        from robosym.languages import code

        return code(self._filled(), language, **options)

    def write(self, path: str | Path, language: str | None = None, **options: object) -> list[Path]:
        """Write the source code to a file.

        Parameters
        ----------
        path : str or Path
            File, whose extension selects the language, or directory. In a directory the file gets the name of the
            SYMORO+ guide: rx90_dyn.c, rx90.dyn. The extension .fmu writes a functional mock-up unit for simulators.
        language : str, optional
            Name of the language, if the extension does not determine it.
        **options
            Options of the language. For .fmu: `version` ("3.0" or "2.0"), `parameters` (start values by symbol) and
            `binary` (whether to compile it for this platform).

        Returns
        -------
        list of Path
            The files written; C has a header, too.

        Raises
        ------
        FormatError
            If the extension is unknown or the file cannot be written.
        """
        if language is None and isinstance(self, Model) and Path(path).suffix.lower() == ".fmu":
            from robosym.export.fmi import write_model_fmu

            return write_model_fmu(self, path, **options)  # type: ignore[arg-type]
        from robosym.languages import write

        return write(self._filled(), path, language, **options)


@dataclass(frozen=True, eq=False, repr=False)
class Model(Printed):
    """A symbolic model: outputs as expressions of inputs.

    Algorithms such as `inverse_dynamics` return models. `optimize` reduces the number of operations of a model, `code`
    and `write` print it in a language, and `compile` turns it into machine code.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.gravity_torques(rs.load("planar2r"))
    >>> model.compile()(q=[0, 0]).round(3)
    array([19.62 ,  4.905])
    """

    name: str  #: name of the robot, or of the file that the model was read from
    kind: str  #: extension of the guide's Appendix 5.1: "dyn", "inm", ...
    title: str
    inputs: Mapping[str, tuple[str, ...]]
    outputs: Mapping[str, Layout]
    definitions: Mapping[str, Expr] = field(repr=False)  #: every named variable, including the outputs
    graph: Graph = field(repr=False)
    robot: Robot | None = field(default=None, repr=False)
    optimized: bool = False  #: whether the optimizer returned the model
    known: tuple[str, ...] = field(default=(), repr=False)  #: all parameters, including those that no output needs
    made: Origin | Derived | None = field(default=None, repr=False)  #: algorithm that generated it, if it has variants
    written_out: bool = False  #: whether listings show the outputs with no intermediate variables but sines and cosines
    #: meanings of output groups, and of input groups under "in <group>", that depend on options of the model
    about: Mapping[str, str] = field(default_factory=dict, repr=False)
    form: str = field(default="", repr=False)  #: description of the selected variant, for the header of its file
    whole: bool = field(default=False, repr=False)  #: whether all `known` parameters are inputs, needed or not
    domain: Domain | None = field(default=None, repr=False)  #: restriction of the inputs, if there is one
    #: proof of `optimize(..., certificate=True)`; models derived from this one do not have it
    certificate: ClassVar[Proof | None] = None
    #: lines for the header of generated files, see `with_notes`; models derived from this one do not have them
    notes: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        """Remove the parameters that no output depends on, and make the mappings read-only.

        Removed parameters remain in `known`, because another selection of outputs may depend on them.
        """
        used = {symbol.value: symbol for symbol in needed_symbols(self.graph, self.roots)}
        object.__setattr__(self, "known", tuple(dict.fromkeys((*self.known, *self.inputs.get("parameters", ())))))
        inputs = {**self.inputs, "parameters": tuple(name for name in self.known if self.whole or name in used)}
        # interned names are identical to those in the caller's program: compiled models compare pointers, not text
        shared = {group: tuple(map(sys.intern, names)) for group, names in inputs.items() if names}
        object.__setattr__(self, "inputs", FrozenDict(shared))
        object.__setattr__(self, "outputs", FrozenDict(self.outputs))
        if not isinstance(self.definitions, Definitions | FrozenDict):
            object.__setattr__(self, "definitions", FrozenDict(self.definitions))
        object.__setattr__(self, "about", FrozenDict(self.about))
        for group, names in self.inputs.items():
            for name in names:
                if name in used and (used[name].level is Level.ONLINE) is not is_online(group):
                    level = "online" if is_online(group) else "offline"
                    raise InputError(f"{name}: expected an {level} symbol, as the group {group} is {level}")
        clash = set(self.output_names) & {name for names in self.inputs.values() for name in names}
        if clash:
            raise InputError(f"{sorted(clash)[0]} is an output of this model and cannot be a symbol of the robot")

    def __reduce__(self) -> tuple[type[Model], tuple[Any, ...]]:
        """Pickle the definitions as a plain dictionary."""
        values = (getattr(self, entry.name) for entry in fields(self))
        return type(self), tuple(dict(v) if isinstance(v, Definitions) else v for v in values)

    def meaning(self, group: str, output: bool = False) -> str:
        """Return the meaning and the unit of a group, as in the header of generated files.

        Parameters
        ----------
        group : str
            Name of a group of inputs or outputs.
        output : bool
            Whether the group is one of the outputs.

        Returns
        -------
        str
            For example "joint positions (rad, m)"; "" for an unknown group.
        """
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
        """Names of all outputs, in order; matrices row by row."""
        return tuple(name for layout in self.outputs.values() for name in flat(layout))

    @property
    def roots(self) -> list[Expr]:
        """Expressions of the outputs, in the order of `output_names`."""
        return [self.definitions[name] for name in self.output_names]

    @cached_property
    def nodes(self) -> tuple[Expr, ...]:
        """Nodes that the outputs depend on, in an order of evaluation."""
        return needed(self.graph, self.roots)

    @cached_property
    def variables(self) -> Mapping[Expr, tuple[str, bool]]:
        """Name of each named node that the outputs depend on, and whether the name is that of the negated node."""
        used = set(self.nodes)
        outputs = set(self.output_names)
        names: dict[Expr, tuple[str, bool]] = {}
        for name, value in self.definitions.items():
            if value.args and value.level is not Level.NUMBER and value.node in used and name not in outputs:
                names.setdefault(value.node, (name, value.negative))
        return names

    @cached_property
    def operations(self) -> Operations:
        """Number of additions, multiplications, divisions and functions; `.online` excludes work on parameters only."""
        return count_nodes(self.nodes)

    # ---------------------------------------------------------------- selection

    def select(self, *names: str) -> Model:
        """Return a model of selected variables.

        Parameters
        ----------
        *names : str
            Names of outputs or intermediate variables, output groups, prefixes such as "GAM", or "*" for all outputs.

        Returns
        -------
        Model
            The model with the selected variables as outputs. A variable that is not an output of this model is in a
            group named after the argument.

        Raises
        ------
        InputError
            If no variable matches a name.

        Examples
        --------
        >>> import robosym as rs
        >>> model = rs.inverse_dynamics("planar2r")
        >>> model.select("GAM1").output_names
        ('GAM1',)
        """
        group_of = {name: group for group, layout in self.outputs.items() for name in flat(layout)}
        chosen: dict[str, str] = {}
        if not names:
            raise InputError("select: expected at least one name of a variable, found none")
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
                near = closest(wanted, self.definitions)
                has = ", ".join(self.outputs)
                raise InputError(f"select: the model has no variable {wanted!r}{near}: its outputs are {has}")
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

    def in_coordinates(self, *names: str, modes: Sequence[int] | None = None) -> Model:
        """Return the model of a parallel robot as a function of coordinates of its pose, such as x and y.

        The groups `pose`, `twist` and `acceleration` then contain these coordinates (x, y), their rates (xd, yd) and
        their second derivatives (xdd, ydd). The legs determine the rest of the pose.

        Parameters
        ----------
        *names : {"x", "y", "z", "roll", "pitch", "yaw"}
            As many coordinates as the platform has degrees of freedom: of its origin in frame 0, and angles of
            R = Rz(yaw) Ry(pitch) Rx(roll) R0 from the orientation R0 of the reference position. Default: independent
            coordinates, positions first.
        modes : sequence of int, optional
            Branch of each leg for which this model was made, from 0. Default: the branches of the reference position.

        Returns
        -------
        Model
            The same outputs.

        Raises
        ------
        InputError
            If the input of the model is no pose, or the coordinates do not determine it.

        Examples
        --------
        >>> import robosym as rs
        >>> model = rs.inverse_geometry("fivebar").in_coordinates("x", "y")
        >>> model.compile()(pose=[0.059, 0.12]).q.round(4)
        array([1.8473, 1.2943])
        """
        from robosym.coordinates.pose_inputs import in_coordinates

        return in_coordinates(self, names, modes)

    def plain(self) -> Model:
        """Return an instance of `Model` itself, without the attributes of a subclass.

        Attributes of a subclass, such as the columns of a Jacobian matrix, are valid for the complete model only.

        Returns
        -------
        Model
            The same inputs, outputs and definitions.
        """
        return Model(**{entry.name: getattr(self, entry.name) for entry in fields(Model)})

    def expression(self, name: str) -> sympy.Expr:
        """Return a variable as a SymPy expression of the inputs, without intermediate variables.

        Parameters
        ----------
        name : str
            Name of an output or of an intermediate variable.

        Returns
        -------
        sympy.Expr
            The expression.

        Raises
        ------
        InputError
            If the model has no such variable.
        """
        if name not in self.definitions:
            raise InputError(f"the model has no variable {name!r}{closest(name, self.definitions)}")
        return to_sympy([self.definitions[name]])[0]

    def matrix(self, group: str) -> sympy.Matrix:
        """Return a group of outputs as a SymPy matrix of expressions of the inputs.

        Parameters
        ----------
        group : str
            Name of a group of outputs.

        Returns
        -------
        sympy.Matrix
            Shape (rows, columns); a vector has shape (n, 1).

        Raises
        ------
        InputError
            If the model has no such group.
        """
        if group not in self.outputs:
            raise InputError(f"the model has no output group {group!r}{closest(group, self.outputs)}")
        from sympy import Matrix

        layout = self.outputs[group]
        rows, columns = (*shape(layout), 1)[:2]
        entries = to_sympy([self.definitions[name] for name in flat(layout)])
        return Matrix(rows, columns, entries)  # type: ignore[no-untyped-call]

    def derivative(self, *groups: str, along: Along | None = None) -> Model:
        """Return the exact partial derivatives of the outputs with respect to groups of inputs.

        Second derivatives are derivatives of a derivative; for a Hessian times a vector, see `gradient`.

        Parameters
        ----------
        *groups : str
            Names of groups of inputs.
        along : {"loops", "joints"}, optional
            How the joints of a closed robot move: together, along their loops, with one column per active joint
            ("loops", the default for its models), or independently ("joints").

        Returns
        -------
        Model
            One group of outputs per pair of an output group and an input group: `derivative("q")` of a model of tau
            has the group dtau_dq with one row per output (matrices row by row), one column per input, and entries
            dGAM1_dt2.

        Raises
        ------
        InputError
            If no group is given or a group is unknown, or the robot has no loops to follow.

        Examples
        --------
        >>> import robosym as rs
        >>> slopes = rs.inverse_dynamics("planar2r").derivative("q", "qd")
        >>> list(slopes.outputs)
        ['dtau_dq', 'dtau_dqd']
        """
        self._check_groups("derivative", groups)
        definitions = dict(self.definitions)
        outputs: dict[str, Layout] = {}
        loops = self._loops(groups, along)
        for group in groups:
            columns = tuple(loops) if loops and group == "q" else self.inputs[group]
            for target, layout in self.outputs.items():
                names = tuple(flat(layout))
                roots = [self.definitions[name] for name in names]
                if loops and group == "q":
                    rows = [list(row) for row in zip(*(rates_of_change(roots, r) for r in loops.values()), strict=True)]
                else:
                    rows = derivatives(roots, columns)
                outputs[f"d{target}_d{group}"] = tuple(tuple(f"d{n}_d{c}" for c in columns) for n in names)
                definitions |= {
                    f"d{name}_d{column}": entry
                    for name, row in zip(names, rows, strict=True)
                    for column, entry in zip(columns, row, strict=True)
                }
        about = {
            f"d{target}_d{group}": f"derivatives of {target} by {group}: one row per output, one column per input"
            for group in groups
            for target in self.outputs
        }
        kind = "_d".join((self.kind, *groups))
        title = f"{self.title}, derivatives by {', '.join(groups)}"
        made = None if self.made is None or loops else Derived(self, groups)
        inputs = self._inputs_along(loops)
        return replace(
            self, kind=kind, title=title, inputs=inputs, outputs=outputs, definitions=definitions, made=made,
            about=about,
        )  # fmt: skip

    def gradient(self, *groups: str, weights: Mapping[str, float] | None = None, along: Along | None = None) -> Model:
        """Return the gradient of a weighted sum s of the outputs with respect to groups of inputs.

        The gradient is computed in reverse mode: it is the product of the vector of weights and the Jacobian matrix, at
        a few times the cost of the model and independent of the number of inputs. The gradient of a gradient is a
        Hessian times the vector of the second weights.

        Parameters
        ----------
        *groups : str
            Names of groups of inputs.
        weights : mapping of str to float, optional
            Constant weight of each output by name; other outputs have weight 0. By default, the weights are a group of
            inputs, "weights", with entries wGAM1 (matrices row by row); a single output has weight 1. Those of the
            gradient of a gradient are the group "weight_r", with entries wds_dt1.
        along : {"loops", "joints"}, optional
            How the joints of a closed robot move, see `derivative`.

        Returns
        -------
        Model
            One group of outputs per group of inputs: `gradient("q")` has the group ds_dq with entries ds_dt2, and
            `gradient("q").gradient("q")` the group dr_dq with entries dr_dt2.

        Raises
        ------
        InputError
            If a group or a weighted output is unknown, or the robot has no loops to follow.

        Examples
        --------
        >>> import robosym as rs
        >>> energy = rs.energy("planar2r").select("EK")
        >>> product = energy.gradient("qd").gradient("qd")  # of the Hessian, the inertia matrix, and a vector
        >>> product.compile()(q=[0, 0], qd=[0, 0], tau=[0, 0], weight_r=[1, 0]).round(3).tolist()
        [2.667, 0.833]
        """
        self._check_groups("gradient", groups)
        names = self.output_names
        letter = next(s for s in _SUMS if not any(name.startswith(f"d{s}_d") for name in (*self.definitions,)))
        if weights is None and len(names) == 1:
            weights = {names[0]: 1}
        inputs = dict(self.inputs)
        if weights is None:
            symbols = tuple(f"w{name}" for name in names)
            taken = {name for known in inputs.values() for name in known}.union(self.known, self.definitions)
            for name in symbols:
                if name in taken:
                    raise InputError(f"gradient: {name}, the weight of {name[1:]}, is a variable of the model already")
            inputs["weights" if letter == "s" else f"weight_{letter}"] = symbols
            factors = [self.graph.symbol(name, True) for name in symbols]
        else:
            for name in weights:
                if name not in names:
                    raise InputError(f"weights: the model has no output {name!r}{closest(name, names)}")
            factors = [self.graph.number(weights.get(name, 0)) for name in names]
        variables = [name for group in groups for name in self.inputs[group]]
        slopes = dict(zip(variables, gradient(self.roots, factors, variables), strict=True))
        columns = {group: self.inputs[group] for group in groups}
        if loops := self._loops(groups, along):
            columns["q"], zero = tuple(loops), self.graph.zero
            slopes |= {
                name: sum((rate * slopes[j] for j, rate in rates.items() if j in slopes), zero)
                for name, rates in loops.items()
            }
        definitions = {**self.definitions, **{f"d{letter}_d{name}": slope for name, slope in slopes.items()}}
        outputs: dict[str, Layout] = {
            f"d{letter}_d{group}": tuple(f"d{letter}_d{name}" for name in columns[group]) for group in groups
        }
        inputs = dict(self._inputs_along(loops, inputs))
        kind = "_g".join((self.kind, *groups))
        title = f"{self.title}, gradient by {', '.join(groups)}"
        about = {f"d{letter}_d{group}": f"gradient of the weighted sum of the outputs by {group}" for group in groups}
        changed = {"kind": kind, "title": title, "inputs": inputs, "outputs": outputs, "definitions": definitions}
        return replace(self.plain(), **changed, about=about, made=None)  # type: ignore[arg-type]

    def _loops(self, groups: tuple[str, ...], along: Along | None) -> dict[str, dict[str, Expr]]:
        """Return the rates of all joints per active joint if positions of a closed robot are differentiated."""
        if along not in (None, "loops", "joints"):
            raise InputError(f"along: expected 'loops' or 'joints', found {along!r}")
        robot = self.robot
        bound = robot is not None and robot.dependent
        if along == "loops" and not (bound and "q" in groups):
            raise InputError(
                "along: expected derivatives by q of a model of a robot with closed loops or coupled joints"
            )
        if robot is None or not bound or "q" not in groups or along == "joints":
            return {}
        options = getattr(self.made, "options", {})
        tree = options.get("structure") == "tree" or len(self.inputs.get("qd", ())) == len(robot.tree_joints)
        if tree and along is None:  # the equivalent tree, whose joints are independent
            return {}
        from robosym.coordinates.loop_directions import loop_directions

        return loop_directions(robot, self.graph)

    def _inputs_along(
        self, loops: Mapping[str, Mapping[str, Expr]], inputs: Mapping[str, tuple[str, ...]] | None = None
    ) -> Mapping[str, tuple[str, ...]]:
        """Return the inputs, with positions of all joints and parameters that the directions of loops depend on."""
        inputs = self.inputs if inputs is None else inputs
        if not loops or self.robot is None:
            return inputs
        robot = self.robot
        joints = tuple(robot.variable(j) for j in robot.tree_joints)
        if set(joints) != set(inputs["q"]):
            used = {
                s.value for s in needed_symbols(self.graph, [r for rates in loops.values() for r in rates.values()])
            }
            if used & set(joints) - set(inputs["q"]):
                inputs = {**inputs, "q": joints}
        return with_parameters(inputs, [rate for rates in loops.values() for rate in rates.values()])

    def _check_groups(self, purpose: str, groups: tuple[str, ...]) -> None:
        if not groups:
            raise InputError(f"{purpose}: expected one or more of the groups {', '.join(self.inputs)}, found none")
        for group in groups:
            if group not in self.inputs:
                near = closest(group, self.inputs)
                has = ", ".join(self.inputs)
                raise InputError(f"{purpose}: the model has no input group {group!r}{near}: it has {has}")

    # -------------------------------------------------------------- conversions

    def _filled(self) -> Model:
        """Return the model without empty groups of outputs; a robot of springs alone has no torques."""
        outputs = {group: layout for group, layout in self.outputs.items() if 0 not in shape(layout)}
        full = not outputs or len(outputs) == len(self.outputs)
        return self if full else replace(self, outputs=outputs).with_notes(*self.notes)

    def with_notes(self, *lines: str) -> Model:
        """Return the model with further lines for the header of generated files, such as bounds.

        The lines belong to this model only: models derived from it, as by `optimize`, do not have them.

        Parameters
        ----------
        *lines : str
            Lines of text.

        Returns
        -------
        Model
            The same model with these lines.

        Examples
        --------
        >>> import robosym as rs
        >>> "approved" in rs.gravity_torques("planar2r").with_notes("approved").code("c")
        True
        """
        found = replace(self)
        object.__setattr__(found, "notes", (*self.notes, *lines))
        object.__setattr__(found, "certificate", self.certificate)
        return found

    def checked(self) -> Model:
        """Return a model whose outputs are NaN for inputs that the robot cannot reach.

        These are poses, twists and accelerations that the legs of a robot with a platform do not allow. `compile`
        includes this check; generated code does not, which saves operations.

        Returns
        -------
        Model
            The model with the check, or the model itself if all inputs are valid.
        """
        return within_domain(self)

    @overload
    def compile(self, cached: bool = True, *, loops: Literal["trust"] = "trust") -> Compiled: ...
    @overload
    def compile(self, cached: bool = True, *, loops: str) -> Compiled | WithLoops: ...
    def compile(self, cached: bool = True, *, loops: str = "trust") -> Compiled | WithLoops:
        """Compile the model to machine code that is called with NumPy arrays.

        Parameters
        ----------
        cached : bool
            Whether to reuse machine code from the cache. The environment variable ROBOSYM_CACHE is the directory of the
            cache, or "off".
        loops : str
            Treatment of the closed loops of a robot, whose models take the positions of all tree joints:

            - "trust": assume that the positions close the loops.
            - "refuse": raise an error if a loop is open.
            - "report": return the closure error in addition to the outputs.
            - "solve": `q` holds the motor positions, and the loops are closed numerically, starting from `near=` or
              from the position of the previous call.

        Returns
        -------
        Compiled or WithLoops
            A function of the groups of inputs: `f(q=, qd=, parameters=, out=, threads=)`. The last axis of each array
            holds the entries of the group; leading axes are a batch. A pose, twist or acceleration of a platform that
            its legs do not allow gives NaN.

        Raises
        ------
        InputError
            If `loops` has another value, or the robot has no loops to check.

        Examples
        --------
        >>> import robosym as rs
        >>> f = rs.gravity_torques("planar2r").compile()
        """
        if loops == "trust":
            from robosym.runtime import Compiled

            return Compiled(within_domain(self)._filled(), cached)
        from robosym.runtime.loops_in_calls import compiled_with_loops  # slow to import

        return compiled_with_loops(self._filled(), loops, cached)

    def evaluate(self, *values: Mapping[str, ArrayLike] | str | Path) -> Numbers:
        """Compute all outputs at values of the inputs.

        Parameters
        ----------
        *values : mapping or path
            Values by group (`{"q": [0.1, 0.2]}`, the entries along the last axis) or by input (`{"D3": 0.45}`), each
            for one or for several states; or a .csv file with one column per input and one line per state.

        Returns
        -------
        Numbers
            A table with one column per output (`names`) and one row per state (`rows`), which prints itself and writes
            itself to a .csv, .json or .txt file (`write`).

        Raises
        ------
        InputError
            If an input is unknown or missing, or the numbers do not fit.

        Examples
        --------
        >>> import robosym as rs
        >>> rs.direct_geometry("planar2r").evaluate({"q": [0, 0]}).rows.shape
        (1, 16)
        """
        from robosym.runtime.evaluation import evaluated

        return evaluated(self, values)

    def build(
        self, target: str, folder: str | Path | None = None, *, name: str = "", precision: str = "auto",
        ranges: Mapping[str, Any] | None = None, word: int = 32,
    ) -> list[Path]:  # fmt: skip
        """Write the model as a program for another processor.

        Parameters
        ----------
        target : str
            Processor: "wasm" is a folder for npm with a WebAssembly module, a JavaScript wrapper and its types; the
            others are object files with headers, see `robosym.build`.
        folder : str or Path, optional
            Folder to write. Default: the name with the target.
        name : str
            Name of the function and of the files. Default: the name of the robot and the kind of model.
        precision : str
            Precision of numbers: "double", "single" or "auto", which is single on processors without instructions for
            double precision. "fixed" is fixed-point arithmetic, in object files: `fixed_point` lists the formats.
        ranges : mapping, optional
            Value or (low, high) by input or group for "fixed", as for `bounds`.
        word : int
            Bits of a number for "fixed", from 8 to 32.

        Returns
        -------
        list of Path
            The files.

        Raises
        ------
        InputError
            If the target is unknown, the name is invalid, or a result in fixed-point arithmetic has no bound.

        Examples
        --------
        >>> import robosym as rs
        >>> files = rs.gravity_torques("planar2r").build("wasm", "torques", name="torques")
        >>> files[0].name
        'torques.wasm'
        """
        from robosym.export.build import build_model

        return build_model(self, target, folder, name=name, precision=precision, ranges=ranges, word=word)

    def resources(self, target: str = "cortex-m4f", *, precision: str = "auto") -> Resources:
        """Return the executed instructions of a call on a processor, and for some a bound of its time.

        They are counted in the machine code that `build` writes, which has no loops. Branches occur only in functions
        such as sine, and both of their sides are followed.

        Parameters
        ----------
        target : str
            Processor: one of the targets of `build` with object files in ELF format (Cortex-M, RISC-V, Linux).
        precision : str
            Precision of numbers: "double", "single" or "auto".

        Returns
        -------
        Resources
            `.instructions`, the smallest and largest number, and `.cycles`, an upper bound for processors whose
            manual states the time of each instruction (Cortex-M4F), otherwise None.

        Raises
        ------
        InputError
            If the target is unknown, or the model calls functions with loops, as on a processor without a
            floating-point unit.

        Examples
        --------
        >>> import robosym as rs
        >>> found = rs.gravity_torques("planar2r").resources("cortex-m4f")
        >>> found.instructions[0] == found.instructions[1] < 200
        True
        """
        from robosym.export.processors.resources import resources_of

        return resources_of(self.checked()._filled(), target, precision)

    def precision(
        self, ranges: Mapping[str, Any] | None = None, *, samples: int = 100, tolerance: float | None = None
    ) -> Precision:
        """Measure the rounding errors of the machine code in double and single precision.

        The reference has at least 50 digits. Errors are relative to the largest entry of the group of outputs in the
        same state, or in any state if all entries are exactly 0. Sampled inputs are numbers of the tested precision, so
        that their rounding does not count; the rounding of given values and constants does.

        Parameters
        ----------
        ranges : mapping, optional
            Value or (low, high) by input or group: `{"q": (-1, 1), "D3": 0.45}`. Defaults: the joint limits, or else ±π
            rad, ±1 m, ±5 rad/s, ±20 rad/s², ±100 N m and standard gravity. Parameters have no default.
        samples : int
            Number of states to evaluate. Half of them are the worst of a larger number of random states.
        tolerance : float, optional
            Largest relative error at which single precision is acceptable. Default: 0.0001.

        Returns
        -------
        Precision
            The largest errors with their states: `.error("double")`, `.worst["single"]["tau"].state` and
            `.suits("single")`. Other states may have larger errors.

        Raises
        ------
        InputError
            If a parameter has no value, or a range is invalid.
        """
        from robosym.runtime.precision import precision

        return precision(self._filled(), ranges, samples, tolerance)

    def bounds(self, ranges: Mapping[str, Any] | None = None, *, boxes: int = 100) -> Bounds:
        """Return guaranteed bounds of the outputs and of their rounding errors.

        Every output lies within its bounds for all inputs in the ranges, and the results of the model's expressions and
        of its machine code, in double and in single precision, differ from it by at most the bounds of the errors.
        Interval bounds are tightened by splitting the ranges into boxes; for wide ranges and large models, they are
        many times larger than the largest values. An infinite bound means that no bound was found, for example
        because the ranges contain a singular position.

        Parameters
        ----------
        ranges : mapping, optional
            Value or (low, high) by input or group: `{"q": (-1, 1), "D3": 0.45}`. Defaults: as for `precision`.
        boxes : int
            Number of boxes per bound. More boxes give tighter bounds.

        Returns
        -------
        Bounds
            The bounds by name of the output: `.outputs["GAM1"].high` and `.error("double")`. `.in_header()` returns the
            model with these bounds in the header of generated files.

        Raises
        ------
        InputError
            If a parameter has no value, or a range is invalid.

        Notes
        -----
        Sums may be computed in any order, with or without fused multiply-add. Functions such as sine are assumed to
        be accurate to two units in the last place. Divisors must not underflow.

        Examples
        --------
        >>> import robosym as rs
        >>> found = rs.gravity_torques("planar2r").bounds({"q": (-0.1, 0.1)})
        >>> found.outputs["Q2"].high < 5
        True
        """
        from robosym.runtime.bounds import bounds_of

        return bounds_of(self._filled(), ranges, boxes)

    def with_bounds(self, ranges: Mapping[str, Any] | None = None, *, boxes: int = 100) -> Model:
        """Return the model with its guaranteed bounds in the header of generated files.

        Parameters
        ----------
        ranges : mapping, optional
            Value or (low, high) by input or group, as for `bounds`.
        boxes : int
            Number of boxes per bound.

        Returns
        -------
        Model
            The same model with these lines; models derived from it, as by `optimize`, do not have them.

        Raises
        ------
        InputError
            If a parameter has no value, or a range is invalid.
        """
        return self.bounds(ranges, boxes=boxes).in_header()

    def fixed_point(self, word: int = 32, ranges: Mapping[str, Any] | None = None, *, boxes: int = 64) -> FixedPoint:
        """Return formats of fixed-point numbers for which the model never overflows, and bounds of the errors.

        Each input, intermediate result and output gets the number of fractional bits that its guaranteed bounds allow.

        Parameters
        ----------
        word : int
            Bits of a number, from 8 to 32. Products and dividends have twice as many.
        ranges : mapping, optional
            Value or (low, high) by input or group, as for `bounds`.
        boxes : int
            Number of boxes into which the ranges are split; more boxes give tighter bounds.

        Returns
        -------
        FixedPoint
            The fractional bits, `.fraction("GAM1")` and `.fractions`, and the errors of the outputs, `.errors`.
            `.evaluate(values)` computes with integers.

        Raises
        ------
        InputError
            If a parameter has no value, a range is invalid, or an intermediate result has no bound.

        Examples
        --------
        >>> import robosym as rs
        >>> found = rs.gravity_torques("planar2r").fixed_point(16, {"q": (-1, 1)})
        >>> found.fraction("t1")
        14
        """
        from robosym.runtime.fixed_point import fixed_point

        return fixed_point(self._filled(), word, ranges, boxes)

    def to_casadi(self, library: str | Path | None = None) -> Any:
        """Return the model as a `casadi.Function` whose arguments and results are named after the groups.

        Parameters
        ----------
        library : str or Path, optional
            Shared library to write and load, with the extension .so, .dll or .dylib; its C source is written beside it.
            The function is then compiled C with exact Jacobian, adjoint and Hessian instead of a symbolic expression.

        Returns
        -------
        casadi.Function
            The function. A motion of a platform that its legs do not allow gives NaN, as in machine code.

        Raises
        ------
        InputError
            If CasADi is not installed, or there is no C compiler for the library.
        """
        model = within_domain(self)._filled()
        if library is not None:
            from robosym.export.casadi_external import casadi_external

            return casadi_external(model, library)
        from robosym.languages.bridges import to_casadi

        return to_casadi(model)

    def to_jax(self, traced: bool = False) -> Any:
        """Return the model as a function of JAX arrays for `jax.jit`, `jax.grad` and `jax.vmap`.

        On the processor the function calls machine code of the model. Its derivatives, of any order and in both modes,
        are exact and compiled on first use; `jax.vmap` evaluates a batch in one call.

        Parameters
        ----------
        traced : bool
            Let JAX trace the operations of the model instead, so that XLA compiles and differentiates them.

        Returns
        -------
        callable
            The function. It takes the groups of inputs by position or name; leading axes are a batch. A motion of a
            platform that its legs do not allow gives NaN, as in machine code.
        """
        if traced:
            from robosym.languages.bridges import to_jax

            return to_jax(within_domain(self)._filled())
        from robosym.runtime.jax_bridge import compiled_for_jax

        return compiled_for_jax(within_domain(self)._filled())

    def to_torch(self) -> Any:
        """Return the model as a function of PyTorch tensors on the processor.

        The function calls machine code of the model. Its derivatives, of any order and in both modes, are exact and
        compiled on first use; `torch.func.vmap` evaluates a batch in one call.

        Returns
        -------
        callable
            The function. It takes the groups of inputs by position or name; leading axes are a batch. A motion of a
            platform that its legs do not allow gives NaN, as in machine code.
        """
        from robosym.runtime.torch_bridge import compiled_for_torch

        return compiled_for_torch(within_domain(self)._filled())
