"""Modelica: a package with the function of a model and a block that calls it; no library is needed.

A block whose inputs have derivatives among the outputs integrates them: `Component.rates` names the pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from robosym.algebra import Style
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Array, Program, double, function_name, wrapped
from robosym.languages.reserved import MODELICA_WORDS
from robosym.model import Model, flat
from robosym.safe_text import comment

__all__ = ["MODELICA", "Component", "modelica_package"]

STYLE = Style(number=double, pi="3.141592653589793", functions={"pow": "(({0})^({1}))"})
CONNECTORS = [
    '  connector RealInput = input Real "Signal as in Modelica.Blocks.Interfaces";',
    '  connector RealOutput = output Real "Signal as in Modelica.Blocks.Interfaces";',
]


@dataclass(frozen=True)
class Component:
    """A model in a package: its function, and the block that calls it."""

    function: str  #: name of the function
    block: str  #: name of the block
    model: Model
    #: unit of an entry of a group by group, index, and whether the group is an output; "" if it is not known
    unit: Callable[[str, int, bool], str] = lambda group, place, output: ""
    parameter_units: Mapping[str, str] = field(default_factory=dict)
    states: tuple[str, ...] = ()  #: groups of inputs that the block integrates
    rates: tuple[str, ...] = ()  #: names of the outputs that are their derivatives, in the order of the states
    start: Mapping[str, float] = field(default_factory=dict)  #: values of states and parameters by name


def modelica_package(name: str, title: str, head: Sequence[str], parts: Iterable[Component]) -> str:
    """Return a package with the functions and blocks of models."""
    lines = [*MODELICA.commented(head), "", f'package {name} "{comment(title)}"', "", *CONNECTORS]
    for part in parts:
        program = Program(part.model, MODELICA, reserved=frozenset((part.function, part.block)))
        lines += ["", *_function(part, program), "", *_block(part, program)]
    return "\n".join([*lines, "", f"end {name};", ""])


def _code(model: Model, *, name: str = "", prefix: str = "") -> str:
    """Return a package with the function `evaluate` and the block `Signals` of a model."""
    own = function_name(model, name, prefix, MODELICA)
    component = Component("evaluate", "Signals", model)
    return modelica_package(own, f"{model.name}: {model.title}", describe(model, MODELICA), [component])


def _title(model: Model) -> str:
    return comment(model.title)


def _about(model: Model, array: Array, output: bool = False) -> str:
    text = comment(model.meaning(array.group, output))
    return f' "{text}"' if text else ""


def _units(units: Sequence[str]) -> list[str]:
    """Return the modification that sets the units of the entries of an array: all must be known."""
    if not units or not all(units):
        return []
    if len(set(units)) == 1:
        return [f'each unit = "{units[0]}"']
    return [f"unit = {{{', '.join(_quoted(units))}}}"]


def _quoted(texts: Iterable[str]) -> list[str]:
    return [f'"{text}"' for text in texts]


def _size(array: Array) -> str:
    return f"[{', '.join(map(str, array.shape))}]"


def _function(part: Component, program: Program) -> list[str]:
    model = part.model
    lines = [f'  function {part.function} "{_title(model)}"']
    lines += [f"    input Real {array.name}{_size(array)}{_about(model, array)};" for array in program.read]
    lines += [f"    output Real {array.name}{_size(array)}{_about(model, array, True)};" for array in program.written]
    own = [*(name for _, _, name in program.inputs()), *(s.name for s in program.statements)]
    lines += ["  protected"] if own else []
    lines += [wrapped_names(own[k : k + 12]) for k in range(0, len(own), 12)]
    lines.append("  algorithm")
    lines += [f"    {name} := {array.name}[{place + 1}];" for array, place, name in program.inputs()]
    lines += [wrapped(f"    {s.name} := ", s.text, ";", 110, "        ") for s in program.statements]
    for array, place, text in program.results():
        index = ", ".join(map(str, array.indices(place)))
        lines.append(wrapped(f"    {array.name}[{index}] := ", text, ";", 110, "        "))
    return [*lines, f"  end {part.function};"]


def wrapped_names(names: Sequence[str]) -> str:
    """Return the declaration of local variables."""
    return f"    Real {', '.join(names)};"


def _block(part: Component, program: Program) -> list[str]:
    """Return the block of a model: signals and parameters in, signals out; states are integrated."""
    model = part.model
    lines = [f'  block {part.block} "{_title(model)}"']
    passed: list[str] = []
    states: dict[str, str] = {}
    for array in program.read:
        names = model.inputs[array.group]
        if array.once or array.group == "varied":
            lines += [_parameter(part, name, program.symbols[name]) for name in names]
            passed.append(f"{{{', '.join(program.symbols[name] for name in names)}}}")
            continue
        passed.append(array.name)
        settings = _units([part.unit(array.group, k, False) for k in range(array.size)])
        connector = "RealInput"
        if array.group in part.states:
            connector = "RealOutput"
            values = ", ".join(double(part.start.get(name, 0.0)) for name in names)
            settings += [f"start = {{{values}}}", "each fixed = true"]
            states |= {name: f"{array.name}[{k}]" for k, name in enumerate(names, 1)}
        lines.append(_declared(connector, array, settings, _about(model, array)))
    for array in program.written:
        names = tuple(flat(model.outputs[array.group]))
        if set(names) <= {*part.rates}:
            lines.append(_declared("Real", array, [], ' "derivatives of the states"'))
        else:
            flat_units = [part.unit(array.group, k, True) for k in range(array.size)]
            settings = _units(flat_units) if len(array.shape) == 1 else []
            lines.append(_declared("RealOutput", array, settings, _about(model, array, True)))
    results = ", ".join(array.name for array in program.written)
    results = results if len(program.written) == 1 else f"({results})"
    lines += ["  equation", f"    {results} = {part.function}({', '.join(passed)});"]
    rates = {name: f"{array.name}[{', '.join(map(str, array.indices(k)))}]" for array in program.written
             for k, name in enumerate(flat(model.outputs[array.group]))}  # fmt: skip
    lines += [f"    der({states[own]}) = {rates[rate]};" for own, rate in zip(states, part.rates, strict=True)]
    return [*lines, f"  end {part.block};"]


def _declared(connector: str, array: Array, settings: Sequence[str], about: str) -> str:
    changed = f"({', '.join(settings)})" if settings else ""
    return f"    {connector} {array.name}{_size(array)}{changed}{about};"


def _parameter(part: Component, name: str, spelled: str) -> str:
    unit = part.parameter_units.get(name)
    changed = f'(unit = "{unit}")' if unit else ""
    value = f" = {double(part.start[name])}" if name in part.start else ""
    return f'    parameter Real {spelled}{changed}{value} "{comment(name)}";'


MODELICA = register(
    Language(
        name="modelica",
        code=_code,
        first=1,
        extensions={".mo": {}},
        comment=("", "// ", ""),
        style=STYLE,
        reserved=MODELICA_WORDS,
        spell=lambda name: f"x{name}" if name.startswith("_") else name,
    )
)
