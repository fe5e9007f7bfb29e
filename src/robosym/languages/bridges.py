"""Conversion of models to functions of other libraries: CasADi and JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from robosym.algebra.interpret import Arithmetic, functions_of, interpret
from robosym.errors import InputError
from robosym.languages.program import function_name
from robosym.model import Model, flat, shape
from robosym.model.optional import library

__all__ = ["checked_arrays", "to_casadi", "to_jax"]


def _floating(array: Any) -> Any:
    """Convert integers to floats: they would overflow, and their quotients would be truncated."""
    return array.astype(float) if array.dtype.kind in "biu" else array


def checked_arrays(model: Model, numpy: Any, arrays: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by group, in the order of the model, or raise an error."""
    given = {**dict(zip(model.inputs, arrays, strict=False)), **named}
    missing = [group for group in model.inputs if group not in given]
    if missing or len(arrays) > len(model.inputs) or set(given) - set(model.inputs):
        raise InputError(f"expected the arguments {', '.join(model.inputs)}, found {', '.join(given) or 'none'}")
    inputs = {group: _floating(numpy.asarray(given[group])) for group in model.inputs}
    for group, names in model.inputs.items():
        if inputs[group].shape[-1:] != (len(names),):
            found = tuple(inputs[group].shape)
            raise InputError(f"{group}: expected a last axis of length {len(names)}, found shape {found}")
    return inputs


def to_casadi(model: Model) -> Any:
    """Return a `casadi.Function` over SX symbols; arguments and results are named after the groups of the model."""
    casadi = library("casadi", "casadi")
    columns = {group: casadi.SX.sym(group, len(names)) for group, names in model.inputs.items()}
    values = {name: columns[group][place] for group, names in model.inputs.items() for place, name in enumerate(names)}
    found = interpret(model.roots, Arithmetic(functions_of(casadi, "casadi"), values), nodes=model.nodes)
    results = dict(zip(model.output_names, found, strict=True))
    outputs = []
    for layout in model.outputs.values():
        column = casadi.vertcat(*(casadi.SX(results[name]) for name in flat(layout)))
        size = shape(layout)
        outputs.append(column if len(size) == 1 else casadi.reshape(column, size[1], size[0]).T)
    return casadi.Function(function_name(model), list(columns.values()), outputs, list(columns), list(model.outputs))


def to_jax(model: Model) -> Callable[..., Any]:
    """Return a JAX function of arrays whose last axis is the group's; it can be jitted, differentiated and vmapped.

    It takes the input groups by position or keyword and returns one array, or a tuple if the model has several output
    groups.
    """
    numpy = library("jax.numpy", "jax")
    functions = functions_of(numpy, "numpy")

    def function(*arrays: Any, **named: Any) -> Any:
        inputs = checked_arrays(model, numpy, arrays, named)
        values = {
            name: inputs[group][..., place] for group, names in model.inputs.items() for place, name in enumerate(names)
        }
        found = interpret(model.roots, Arithmetic(functions, values), nodes=model.nodes)
        results = dict(zip(model.output_names, found, strict=True))
        batch = numpy.broadcast_shapes(*(array.shape[:-1] for array in inputs.values()))
        outputs = []
        for layout in model.outputs.values():
            stacked = numpy.stack([numpy.broadcast_to(results[name], batch) for name in flat(layout)], axis=-1)
            outputs.append(stacked.reshape(*batch, *shape(layout)))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    return function
