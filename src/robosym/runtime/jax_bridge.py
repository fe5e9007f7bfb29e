"""Models as JAX functions: a foreign-function call of their machine code, with exact derivatives and batches.

One JAX primitive calls any model. Its derivative along a direction and its transpose are the same primitive with the
model of the derivative. On accelerators, whose code LLVM does not write here, JAX traces the model instead.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from itertools import count
from math import prod
from typing import Any

from robosym.errors import InputError
from robosym.languages.bridges import checked_arrays, to_jax
from robosym.model import Model
from robosym.model.optional import library
from robosym.runtime.differentiable import Differentiable
from robosym.runtime.xla_calls import api_version, xla_handler

__all__ = ["compiled_for_jax"]

_kept: list[object] = []  #: machine code of registered handlers: XLA never releases them
_numbers = count()


def compiled_for_jax(model: Model) -> Callable[..., Any]:
    """Return a JAX function of arrays whose last axis is the group's, computed by machine code on the processor."""
    if not model.inputs or sys.maxsize < 2**32:  # nothing to differentiate; the interface is known for 64 bits
        return to_jax(model)
    jnp = library("jax.numpy", "jax")
    call = Differentiable(model)
    primitive = _primitive()

    def function(*arrays: Any, **named: Any) -> Any:
        given = checked_arrays(model, jnp, arrays, named)
        kind = jnp.result_type(*(array.dtype for array in given.values()))
        kind = kind if kind in (jnp.float32, jnp.float64) else jnp.float32
        batch = jnp.broadcast_shapes(*(array.shape[:-1] for array in given.values()))
        ready = [
            (array if array.ndim == 1 else jnp.broadcast_to(array, (*batch, array.shape[-1]))).astype(kind)
            for array in given.values()
        ]
        found = primitive.bind(*ready, call=call)
        return found[0] if len(found) == 1 else tuple(found)

    return function


def _target(call: Differentiable, single: bool) -> str:
    """Return the name under which the machine code of a model is registered."""
    names: dict[bool, str] = call.__dict__.setdefault("_targets", {})
    if single not in names:
        ffi = import_module("jax.ffi")
        address, code = xla_handler(call.compiled.entry(single), api_version(ffi.include_dir()))
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
        name = f"robosym_{next(_numbers)}"
        ffi.register_ffi_target(name, capsule(address, None, None), platform="cpu")
        _kept.extend((code, call.compiled))
        names[single] = name
    return names[single]


@cache
def _primitive() -> Any:
    """Return the primitive, created once because JAX compares primitives by identity."""
    jax = import_module("jax")
    core, mlir = import_module("jax.extend.core"), import_module("jax.interpreters.mlir")
    ad, batching = import_module("jax.interpreters.ad"), import_module("jax.interpreters.batching")
    ffi = import_module("jax.ffi")
    primitive = core.Primitive("robosym_model")
    primitive.multiple_results = True

    def jitted(*arrays: Any, call: Differentiable) -> Any:
        run = call.__dict__.get("_jitted")
        if run is None:
            run = call.__dict__["_jitted"] = jax.jit(lambda *given: primitive.bind(*given, call=call))
        return run(*arrays)

    def shapes(*arrays: Any, call: Differentiable) -> Any:
        batch = max((array.shape[:-1] for array in arrays), key=len)
        return [jax.core.ShapedArray((*batch, *shape), arrays[0].dtype) for shape in call.shapes]

    def lowered(context: Any, *operands: Any, call: Differentiable) -> Any:
        single = context.avals_in[0].dtype == "float32"
        return ffi.ffi_lowering(_target(call, single))(context, *operands)

    def traced(*arrays: Any, call: Differentiable) -> Any:
        found = to_jax(call.model)(*arrays)
        return list(found) if isinstance(found, tuple) else [found]

    primitive.def_impl(jitted)
    primitive.def_abstract_eval(shapes)
    mlir.register_lowering(primitive, mlir.lower_fun(traced, multiple_results=True))
    mlir.register_lowering(primitive, lowered, platform="cpu")
    ad.primitive_jvps[primitive] = _derivative(primitive, ad)
    ad.primitive_transposes[primitive] = _transposed(primitive, ad)
    batching.primitive_batchers[primitive] = _batched(primitive)
    return primitive


def _derivative(primitive: Any, ad: Any) -> Callable[..., Any]:
    def rule(arrays: Sequence[Any], directions: Sequence[Any], *, call: Differentiable) -> Any:
        moving = [k for k, direction in enumerate(directions) if not isinstance(direction, ad.Zero)]
        along = call.along([call.groups[k] for k in moving])
        seeds = [ad.instantiate_zeros(directions[k]) for k in moving]
        return primitive.bind(*arrays, call=call), primitive.bind(*_placed(along, call, arrays, seeds), call=along)

    return rule


def _placed(along: Differentiable, call: Differentiable, arrays: Sequence[Any], seeds: Sequence[Any]) -> list[Any]:
    """Return the arguments of a derivative: those of the function, then the directions."""
    assert along.groups[: len(call.groups)] == call.groups
    return [*arrays, *seeds]


def _transposed(primitive: Any, ad: Any) -> Callable[..., Any]:
    jnp = import_module("jax.numpy")

    def rule(weights: Sequence[Any], *arrays: Any, call: Differentiable) -> Any:
        linear = [k for k, array in enumerate(arrays) if ad.is_undefined_primal(array)]
        against = call.against([call.groups[k] for k in linear])
        known = {g: array for g, array in zip(call.groups, arrays, strict=True) if not ad.is_undefined_primal(array)}
        given = [known[group] for group in against.groups if group in known]
        given += [ad.instantiate_zeros(weight) for weight in weights]
        if len(given) != len(against.groups):
            raise InputError("to_jax: the transpose of a function that is not linear was requested")
        flat = [_flat(weight, shape) for weight, shape in zip(given[-len(weights) :], call.shapes, strict=True)]
        slopes = primitive.bind(*given[: -len(weights)], *flat, call=against)
        found: list[Any] = [None] * len(arrays)
        for k, slope in zip(linear, slopes, strict=True):
            wanted = arrays[k].aval.shape
            extra = slope.ndim - len(wanted)
            found[k] = jnp.sum(slope, axis=tuple(range(extra))) if extra else slope
        return found

    return rule


def _flat(array: Any, shape: tuple[int, ...]) -> Any:
    """Return the entries of a matrix along one axis, as an input group has them."""
    return array if len(shape) == 1 else array.reshape(*array.shape[: -len(shape)], prod(shape))


def _batched(primitive: Any) -> Callable[..., Any]:
    jnp = import_module("jax.numpy")

    def rule(arrays: Sequence[Any], axes: Sequence[Any], *, call: Differentiable) -> Any:
        moved = [a if axis is None else jnp.moveaxis(a, axis, 0) for a, axis in zip(arrays, axes, strict=True)]
        size = next(a.shape[0] for a, axis in zip(moved, axes, strict=True) if axis is not None)
        inner = max((a.shape[(axis is not None) : -1] for a, axis in zip(moved, axes, strict=True)), key=len)
        ready = []
        for array, axis in zip(moved, axes, strict=True):
            if axis is None and array.ndim == 1:
                ready.append(array)
                continue
            lead = array if axis is not None else array[None]
            if lead.ndim == 2:
                lead = lead.reshape(lead.shape[0], *(1 for _ in inner), lead.shape[-1])
            ready.append(jnp.broadcast_to(lead, (size, *inner, array.shape[-1])))
        found = primitive.bind(*ready, call=call)
        return found, [0] * len(found)

    return rule
