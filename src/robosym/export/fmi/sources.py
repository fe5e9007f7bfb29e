"""C sources of a functional mock-up unit: tables of its variables, functions of its model, and the interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files

from robosym.export.state_models import Unit
from robosym.languages import code
from robosym.languages.header import provenance
from robosym.languages.language import find_language
from robosym.model import Model
from robosym.model.groups import SEED, WEIGHT
from robosym.model.tangents import cotangent, tangent
from robosym.optimizer import optimize

__all__ = ["MAIN", "unit_sources"]

MAIN = "fmu.c"  #: the file that includes the others


def unit_sources(unit: Unit, version: str, token: str) -> dict[str, str]:
    """Return the C files by name."""
    name = unit.identifier
    interface = f"fmi{version[0]}.c"
    functions = _functions(unit, version)
    texts = {f"{name}_{part}.c": code(model, "c", name=f"{name}_{part}") for part, model in functions.items()}
    texts |= {other: files(__package__).joinpath(other).read_text("utf-8") for other in ("unit.c", interface)}
    head = find_language("c").commented([f"{unit.model.name}: {unit.model.title}", "", *provenance(unit.robot)])
    lines = [*head, "", *(f'#include "{name}_{part}.c"' for part in functions), "#include <stddef.h>", ""]
    lines += [*_tables(unit, token), *_calls(unit, functions), '#include "unit.c"', f'#include "{interface}"', ""]
    return {MAIN: "\n".join(lines), **texts}


def _functions(unit: Unit, version: str) -> dict[str, Model]:
    """Return the models by function: values, directional derivatives, gradients, and the projection."""
    groups = list(unit.model.inputs)
    found = {"values": unit.model}
    if groups:
        found["tangent"] = optimize(tangent(unit.model, groups), 1)
        if version.startswith("3"):
            found["adjoint"] = optimize(cotangent(unit.model, groups), 1)
    return found | ({} if unit.after is None else {"after": unit.after})


def _tables(unit: Unit, token: str) -> list[str]:
    states = unit.of_kind("state")
    by_state = {variable.of: place for place, variable in enumerate(unit.variables) if variable.kind == "rate"}
    gap = unit.offsets.get("out gap", 0)
    indicators = [] if "out indicator" not in unit.offsets else _span(unit, "indicator")
    sizes = {
        "VARIABLES": len(unit.variables), "COMPUTED": unit.computed, "STATES": len(states),
        "INDICATORS": len(indicators), "GAP": gap, "PROJECTED": int(unit.after is not None),
        "EXCHANGED": int(unit.exchanged), "STEP": unit.computed - 1,
    }  # fmt: skip
    starts = [0.0 if variable.start is None else variable.start for variable in unit.variables]
    return [
        f'#define UNIT_TOKEN "{token}"',
        *(f"#define UNIT_{name} {size}" for name, size in sizes.items()),
        "",
        *_table("double", "unit_starts", map(repr, starts)),
        *_table("size_t", "unit_state", map(str, states)),
        *_table("size_t", "unit_rate", (str(by_state[place]) for place in states)),
        *_table("size_t", "unit_indicator", map(str, indicators)),
        "",
    ]


def _span(unit: Unit, group: str) -> list[int]:
    first = unit.offsets[f"out {group}"]
    return list(range(first, first + len(unit.model.outputs[group])))


def _table(kind: str, name: str, entries: Iterable[str]) -> list[str]:
    cells = [*entries] or ["0"]
    rows = [f"    {', '.join(cells[k : k + 8])}," for k in range(0, len(cells), 8)]
    return [f"static const {kind} {name}[] = {{", *rows, "};"]


def _calls(unit: Unit, functions: dict[str, Model]) -> list[str]:
    """Return the functions that pass parts of the array of variables to the functions of the model."""
    places, name = unit.offsets, unit.identifier
    given = [f"v + {places[group]}" for group in unit.model.inputs]
    computed = {group: places[f"out {group}"] for group in unit.model.outputs}
    lines = ["static void unit_compute(double *v)", "{"]
    lines += [f"    {name}_values({', '.join([*given, *(f'v + {place}' for place in computed.values())])});", "}", ""]
    for part, prefix in (("tangent", SEED), ("adjoint", WEIGHT)):
        body = ["(void)v;", "(void)s;", "(void)r;"]
        if part in functions:
            body = [f"{name}_{part}({', '.join(_passed(functions[part], prefix, places))});"]
        lines += [f"static void unit_{part}(const double *v, const double *s, double *r)", "{"]
        lines += [*(f"    {line}" for line in body), "}", ""]
    if "after" in functions:
        lines += ["static void unit_after(const double *v, double *states)", "{"]
        lines += [f"    {name}_after({', '.join([*given, 'states'])});", "}", ""]
    return lines


def _passed(model: Model, prefix: str, places: dict[str, int]) -> Sequence[str]:
    """Return the arguments of a derivative: values v, seeds s and results r, each an array of all variables."""
    found = []
    for group in model.inputs:
        own = group.removeprefix(prefix)
        if own == group:
            found.append(f"v + {places[group]}")
        else:
            found.append(f"s + {places[own if prefix == SEED else f'out {own}']}")
    for group in model.outputs:
        own = group.removeprefix("d_" if prefix == SEED else "bar_")
        found.append(f"r + {places[f'out {own}' if prefix == SEED else own]}")
    return found
