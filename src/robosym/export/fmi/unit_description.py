"""The files modelDescription.xml and buildDescription.xml of a functional mock-up unit, in FMI 2.0 and 3.0."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from robosym.export.fmi.sources import MAIN
from robosym.export.state_models import Unit, UnitVariable
from robosym.export.symbol_units import BASE_UNITS
from robosym.safe_text import markup

__all__ = ["build_description", "model_description"]

#: causality, variability and initial of each kind of variable
_KINDS = {
    "time": ("independent", "continuous", ""),
    "state": ("output", "continuous", "exact"),
    "input": ("input", "continuous", ""),
    "parameter": ("parameter", "tunable", "exact"),
    "step": ("parameter", "tunable", "exact"),
    "rate": ("local", "continuous", "calculated"),
    "output": ("output", "continuous", "calculated"),
    "local": ("local", "continuous", "calculated"),
}


def model_description(unit: Unit, version: str, token: str) -> str:
    """Return modelDescription.xml."""
    second = version == "2.0"
    tool = f"robosym {import_module('robosym').__version__}"
    attributes = {
        "fmiVersion": version, "modelName": unit.model.name, "guid" if second else "instantiationToken": token,
        "description": f"{unit.model.name}: {unit.model.title}", "generationTool": tool,
        "variableNamingConvention": "structured",
    }  # fmt: skip
    indicators = len(unit.model.outputs.get("indicator", ()))
    if second:
        attributes["numberOfEventIndicators"] = str(indicators)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<fmiModelDescription{_attributes(attributes)}>"]
    lines += _interfaces(unit, second)
    lines += ["  <UnitDefinitions>", *_units(unit), "  </UnitDefinitions>", "  <LogCategories>"]
    lines += ['    <Category name="logStatusError"/>', "  </LogCategories>"]
    if unit.states:
        lines += [f'  <DefaultExperiment startTime="0" stopTime="10" stepSize="{unit.step!r}"/>']
    lines += ["  <ModelVariables>", *_variables(unit, second), "  </ModelVariables>"]
    lines += ["  <ModelStructure>", *_structure(unit, second), "  </ModelStructure>", "</fmiModelDescription>", ""]
    return "\n".join(lines)


def build_description(unit: Unit) -> str:
    """Return sources/buildDescription.xml of FMI 3.0."""
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<fmiBuildDescription fmiVersion="3.0">',
            f'  <BuildConfiguration modelIdentifier="{unit.identifier}">',
            '    <SourceFileSet language="C99">',
            f'      <SourceFile name="{MAIN}"/>',
            "    </SourceFileSet>",
            "  </BuildConfiguration>",
            "</fmiBuildDescription>",
            "",
        ]
    )


def _attributes(values: dict[str, str]) -> str:
    return "".join(f' {name}="{markup(value)}"' for name, value in values.items())


def _interfaces(unit: Unit, second: bool) -> Iterator[str]:
    common = {"modelIdentifier": unit.identifier}
    state, derivative = ("FMUstate", "providesDirectionalDerivative") if second else ("FMUState", "")
    common |= {f"canGetAndSet{state}": "true", f"canSerialize{state}": "true"}
    if second:
        common[derivative] = "true"
    else:
        common |= {"providesDirectionalDerivatives": "true", "providesAdjointDerivatives": "true"}
    simulation = {**common, "canHandleVariableCommunicationStepSize": "true"}
    found = [("ModelExchange", common)] if unit.exchanged else []
    for name, values in (*found, ("CoSimulation", simulation)):
        if not second:
            yield f"  <{name}{_attributes(values)}/>"
            continue
        yield f"  <{name}{_attributes(values)}>"
        yield f'    <SourceFiles><File name="{MAIN}"/></SourceFiles>'
        yield f"  </{name}>"


def _units(unit: Unit) -> Iterator[str]:
    used = {variable.unit for variable in unit.variables if variable.unit}
    for name, exponents in BASE_UNITS.items():
        if name in used:
            base = _attributes({key: str(power) for key, power in exponents.items()})
            yield f'    <Unit name="{name}"><BaseUnit{base}/></Unit>'


def _variables(unit: Unit, second: bool) -> Iterator[str]:
    for place, variable in enumerate(unit.variables):
        causality, variability, initial = _KINDS[variable.kind]
        head = {"name": variable.name, "valueReference": str(place), "description": variable.description}
        head |= {"causality": causality, "variability": variability} | ({"initial": initial} if initial else {})
        more = _numbers(variable, second)
        if second:
            yield f"    <ScalarVariable{_attributes(head)}><Real{_attributes(more)}/></ScalarVariable>"
        else:
            yield f"    <Float64{_attributes(head | more)}/>"


def _numbers(variable: UnitVariable, second: bool) -> dict[str, str]:
    """Return unit, start value and derivative; FMI 2.0 counts variables from 1."""
    found = {"unit": variable.unit} if variable.unit else {}
    if variable.start is not None:
        found["start"] = repr(float(variable.start))
    if variable.of is not None:
        found["derivative"] = str(variable.of + second)
    return found


def _structure(unit: Unit, second: bool) -> Iterator[str]:
    """Yield the outputs, the derivatives and the initial unknowns with the inputs and states they depend on."""
    known = dict(_knowns(unit))
    by_state = {variable.of: place for place, variable in enumerate(unit.variables) if variable.kind == "rate"}
    rates = [by_state[place] for place in unit.of_kind("state")]
    groups = [
        ("Outputs", "Output", unit.of_kind("state", "output")),
        ("Derivatives", "ContinuousStateDerivative", rates),
        ("InitialUnknowns", "InitialUnknown", sorted([*rates, *unit.of_kind("output")])),
    ]
    for plural, single, places in groups:
        if second and places:
            yield f"    <{plural}>"
            yield from (f'      <Unknown index="{k + 1}"{_dependencies(known[k], 1)}/>' for k in places)
            yield f"    </{plural}>"
        if not second:
            yield from (f'    <{single} valueReference="{k}"{_dependencies(known[k], 0)}/>' for k in places)
    if not second and "indicator" in unit.model.outputs:
        first = unit.offsets["out indicator"]
        for k in range(first, first + len(unit.model.outputs["indicator"])):
            yield f'    <EventIndicator valueReference="{k}"{_dependencies(known[k], 0)}/>'


def _dependencies(places: list[int], first: int) -> str:
    return f' dependencies="{" ".join(str(k + first) for k in places)}"'


def _knowns(unit: Unit) -> Iterator[tuple[int, list[int]]]:
    """Yield each unknown with the states and inputs that it depends on; a state depends on itself."""
    at = {v.symbol: k for k, v in enumerate(unit.variables) if v.kind in ("state", "input")}
    model = unit.model
    masks: dict[object, int] = {}
    for node in model.nodes:
        if node.op == "symbol":
            masks[node] = 1 << at[node.value] if node.value in at else 0
        else:
            total = 0
            for argument in node.args:
                total |= masks[argument.node]
            masks[node] = total
    for k, variable in enumerate(unit.variables):
        if variable.kind == "state":
            yield k, [k]
        elif variable.kind in ("rate", "output", "local"):
            mask = masks.get(model.definitions[variable.symbol].node, 0)
            yield k, [place for place in sorted(at.values()) if mask >> place & 1]
