"""A model as a function of another library, for people who differentiate, batch or solve there: CasADi, JAX."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from robosym.algebra.interpret import Arithmetic, functions_of, interpret
from robosym.errors import InputError
from robosym.languages.program import function_name
from robosym.model import Model, flat, shape

__all__ = ["to_casadi", "to_jax"]


def _library(name: str, package: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{package} is not installed: pip install {package}") from None


def _floating(array: Any) -> Any:
    """Integers would overflow, and their quotients be integers."""
    return array.astype(float) if array.dtype.kind in "biu" else array


def to_casadi(model: Model) -> Any:
    """A `casadi.Function` over SX; arguments and results are columns, or matrices, named as the groups."""
    casadi = _library("casadi", "casadi")
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
    """A function of arrays whose last axis is that of the group, to be jitted, differentiated or mapped.

    It takes the groups in order or by name, and gives one array, or a tuple where the model has several groups.
    """
    numpy = _library("jax.numpy", "jax")
    functions = functions_of(numpy, "numpy")

    def function(*arrays: Any, **named: Any) -> Any:
        given = {**dict(zip(model.inputs, arrays, strict=False)), **named}
        missing = [group for group in model.inputs if group not in given]
        if missing or len(arrays) > len(model.inputs) or set(given) - set(model.inputs):
            raise InputError(f"expected the arguments {', '.join(model.inputs)}, found {', '.join(given) or 'none'}")
        inputs = {group: _floating(numpy.asarray(array)) for group, array in given.items()}
        for group, names in model.inputs.items():
            if inputs[group].shape[-1:] != (len(names),):
                found = inputs[group].shape
                raise InputError(f"{group}: expected a last axis of {len(names)}, found the shape {found}")
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
