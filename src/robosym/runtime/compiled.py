"""`Compiled`: a model as a function of arrays."""

from __future__ import annotations

import threading
from collections import namedtuple
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from robosym.algebra.once import FrozenDict
from robosym.errors import InputError, closest
from robosym.model import Layout, Model
from robosym.optimizer.optimize import quickly
from robosym.runtime.capi import layout_is_known
from robosym.runtime.code_cache import admit, sealed
from robosym.runtime.kernel import Array, Call, Entry, Kernel
from robosym.runtime.plan import Plan
from robosym.runtime.quick_type import QuickCall, quick_type

__all__ = ["Compiled"]

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_LEAST = 1024  #: minimum number of states per thread


class Compiled(QuickCall):
    """A model in machine code, called as `f(q=q, qd=qd, qdd=qdd, parameters=p)` or by position.

    Parameters
    ----------
    model : Model
    cached : bool
        Store the machine code on disk and reuse it.

    Notes
    -----
    The last axis of an array has one entry per name of the group; leading axes are a batch and are broadcast. A group
    may also be a dict from names to numbers. A model with one output group returns an array, with several a named
    tuple. The computation is in single precision if all arrays are. Arrays may have any memory layout.

    Further keywords of a call: `out`, an array of the shape and precision of the result (a tuple for several output
    groups), and `threads`, the maximum number of threads for a batch. Calls from several threads run concurrently.

    Examples
    --------
    >>> import robosym as rs
    >>> f = rs.inverse_dynamics(rs.load("planar2r")).compile()
    >>> f(q=[[0.1, 0.2], [0.3, 0.4]], qd=[0, 0], qdd=[0, 0]).shape
    (2, 2)
    """

    model: Model
    _kernels: _Kernels
    _fixed: dict[str, Array]
    _entries: dict[bool, Entry]  # by whether the precision is single
    _free: tuple[str, ...]  # groups that a call must give
    _single_call: Call  # the fast path in single precision, created on first use

    def __new__(cls, model: Model, cached: bool = True) -> Compiled:
        return cls._made(model, _Kernels(model, cached), {})

    @classmethod
    def _made(cls, model: Model, kernels: _Kernels, fixed: dict[str, Array]) -> Compiled:
        """Return a compiled model whose `__call__` is machine code too, if the memory layout of objects is known.

        This halves the time of a call: a Python method would unpack the keywords and pack them again.
        """
        known = layout_is_known()
        self: Compiled = object.__new__(quick_type(Compiled) if known else Compiled)
        self.model = model
        self._kernels = kernels
        self._fixed = fixed
        self._free = tuple(group for group in model.inputs if group not in fixed)
        self._entries = {False: kernels.entry(False, fixed)}
        self._single_call = self._long_call
        if known:
            self._lead(self, False, self._other_call)
        return self

    def _lead(self, caller: QuickCall, single: bool, rest: Call) -> None:
        """Route calls of `caller` with one state or a table of states to machine code, and others to `rest`."""
        entry = self._entries[single]
        fixed = {name: self._fixed[name].astype(entry.form.dtype) for name in entry.groups if name in self._fixed}
        entry.lead(caller, fixed, rest, self._kernels.tuple)

    def __call__(self, *values: object, **groups: object) -> Any:
        return self._long_call(*values, **groups)

    def with_values(self, **groups: object) -> Compiled:
        """Return the same function with some groups fixed, such as the parameters in a control loop.

        Offline values are then computed once, here, instead of in every call. A group that a call gives nevertheless
        replaces the fixed value.

        Parameters
        ----------
        **groups : array_like or dict
            Values per input group, as in a call.

        Returns
        -------
        Compiled

        Raises
        ------
        InputError
            A group is unknown, or its shape does not fit.
        """
        if not groups:
            raise InputError(f"expected one or more groups to fix ({', '.join(self.model.inputs)}), found none")
        self._check_names(groups)
        fixed = {**self._fixed, **{name: _array(self.model, name, value).copy() for name, value in groups.items()}}
        _check_leading(fixed)
        return self._made(self.model, self._kernels, fixed)

    @property
    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        """Groups that a call must give, with their names."""
        return FrozenDict({group: self.model.inputs[group] for group in self._free})

    @property
    def outputs(self) -> Mapping[str, Layout]:
        """Groups that a call returns, with their names."""
        return self.model.outputs

    def entry(self, single: bool) -> Entry:
        """Return the entry points of the machine code that takes every group, in single or double precision."""
        return self._kernels.entry(single, {})

    def __repr__(self) -> str:
        fixed = f", fixed: {', '.join(self._fixed)}" if self._fixed else ""
        arrow = f"{', '.join(self.inputs)} -> {', '.join(self.outputs)}"
        return f"<Compiled {self.model.title} of {self.model.name}: {arrow}{fixed}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with the machine code, which is reused on machines with the same processor."""
        return _restore, (self.model, self._fixed, self._kernels.codes())

    def __copy__(self) -> Compiled:
        return self  # immutable

    def __deepcopy__(self, memo: object) -> Compiled:
        return self

    # --------------------------------------------------------- all calls except one state or a table of doubles

    def _other_call(self, *values: object, **groups: object) -> Any:
        return self._single_call(*values, **groups)

    def _long_call(self, *values: object, **groups: object) -> Any:
        """Pass doubles with any leading axes to the machine code unchanged; the slow path handles everything else."""
        if "out" in groups or "threads" in groups:
            return self._placed_call(values, **groups)
        if values:
            groups = self._named(values, groups)
        result = None
        if len(groups) + len(self._fixed) == len(self.model.inputs):
            given = {**self._fixed, **groups}
            arrays = [given.get(name) for name in self._entries[False].groups]
            if all(map(_is_double, arrays)) and self._fixed.keys().isdisjoint(groups):
                with suppress(ValueError):  # the axes do not fit: the slow path reports why
                    result = self._entries[False].batch(*arrays)
        if result is None:
            result = self._slow_call(groups)
        return result if self._kernels.tuple is None else self._kernels.tuple._make(result)

    def _placed_call(self, values: Sequence[object], out: object = None, threads: object = 1, **groups: object) -> Any:
        """Handle `out` and `threads`."""
        named = self._named(values, groups) if values else groups
        entry, arrays = self._ready(named)
        result = _divided(entry, arrays, out, threads)
        return result[0] if self._kernels.tuple is None else self._kernels.tuple._make(result)

    def _slow_call(self, given: Mapping[str, object]) -> Any:
        """Handle lists, dicts, other precisions and invalid arguments."""
        entry, arrays = self._ready(given)
        return entry.batch(*arrays)

    def _ready(self, given: Mapping[str, object]) -> tuple[Entry, list[Array]]:
        """Return the entry point and the arrays to pass to it."""
        self._check_names(given)
        groups = {**self._fixed, **given}
        missing = [name for name in self.model.inputs if name not in groups]
        if missing:
            wanted = ", ".join(f"{name} with {_shape_text(self.model, name)}" for name in missing)
            raise InputError(f"missing inputs: {wanted}")
        arrays = {name: _array(self.model, name, groups[name]) for name in self.model.inputs}
        _check_leading(arrays)
        single = {arrays[name].dtype for name, value in given.items() if isinstance(value, np.ndarray)} == {_SINGLE}
        if not self._fixed.keys().isdisjoint(given):
            entry = self._kernels.entry(single, {})
        else:
            if single not in self._entries:
                self._entries[single] = self._kernels.entry(single, self._fixed)
                if layout_is_known():
                    caller: Any = quick_type(QuickCall)()
                    self._lead(caller, single, self._long_call)
                    self._single_call = caller
            entry = self._entries[single]
        return entry, [arrays[name].astype(entry.form.dtype, copy=False) for name in entry.groups]

    def _named(self, values: Sequence[object], groups: Mapping[str, object]) -> dict[str, object]:
        """Return values given by position under the names of their groups."""
        names = self._free
        if len(values) > len(names):
            raise InputError(f"expected at most {len(names)} arrays ({', '.join(names)}), found {len(values)}")
        given = dict(zip(names, values, strict=False))
        if not groups:
            return given
        for name in groups:
            if name in given:
                raise InputError(f"{name}: given both by position and by name")
        return {**given, **groups}

    def _check_names(self, groups: Mapping[str, object]) -> None:
        known = self.model.inputs
        for name in groups:
            if name not in known:
                expected = ", ".join(known) or "none"
                raise InputError(f"unknown input {name!r} of the model{closest(name, known)}; its inputs: {expected}")


class _Kernels:
    """The kernels of a model; that for single precision is created on first use."""

    def __init__(self, model: Model, cached: bool = True) -> None:
        self.plan = Plan(quickly(model), given=model.inputs)
        self._cached = cached
        self.tuple: Any = None
        if len(model.outputs) != 1:
            self.tuple = namedtuple("Outputs", list(model.outputs), rename=True)  # type: ignore[misc]
        self._made: dict[bool, Kernel] = {}  # by whether the precision is single

    def entry(self, single: bool, fixed: Mapping[str, Array]) -> Entry:
        """Return the entry for all groups, or for the online ones if every offline group is fixed to one vector."""
        kernel = self._made.get(single)
        if kernel is None:
            # two threads may both create it; a lock could stay locked in a forked process
            kernel = self._made.setdefault(single, Kernel(self.plan, single, cached=self._cached))
        offline = [group.name for group in self.plan.inputs if not group.online]
        if not offline or any(name not in fixed or fixed[name].ndim > 1 for name in offline):
            return kernel.full
        return kernel.bound(fixed)

    def codes(self) -> dict[str, bytes]:
        """Return the machine code of each kernel by key."""
        return {kernel.engine.key: sealed(kernel.engine.code) for kernel in tuple(self._made.values())}


def _is_double(value: object) -> bool:
    return type(value) is np.ndarray and value.dtype is _DOUBLE


def _restore(model: Model, fixed: Mapping[str, Array], codes: Mapping[str, bytes]) -> Compiled:
    admit(codes)
    compiled = Compiled(model)
    return compiled.with_values(**fixed) if fixed else compiled


# ------------------------------------------------------------------------------------------ validation of arguments


def _shape_text(model: Model, group: str) -> str:
    return f"shape (..., {len(model.inputs[group])})"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 8 else f"{', '.join(names[:3])}, ..., {names[-1]}"


def _array(model: Model, group: str, value: object) -> Array:
    """Return a group as an array of numbers, with the length of its last axis checked."""
    if isinstance(value, Mapping):
        return _from_names(model, group, value)
    array = _numbers(group, value)
    names = model.inputs[group]
    if array.ndim == 0 or array.shape[-1] != len(names):
        raise InputError(f"{group}: expected {_shape_text(model, group)} for {_list(names)}, found {array.shape}")
    return array


def _numbers(what: str, value: object) -> Array:
    """Convert to an array of real numbers."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"{what}: expected an array of numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise InputError(f"{what}: expected real numbers, found an array of {array.dtype}")
    return array


def _from_names(model: Model, group: str, values: Mapping[object, object]) -> Array:
    """Convert a group given as a dict from names to numbers or batches of them."""
    names = model.inputs[group]
    missing = [name for name in names if name not in values]
    if missing or len(values) > len(names):
        known = {*names, *(model.robot.parameters if model.robot is not None else ())}
        for name in values:  # unknown names first: a misspelled name is also missing
            if name not in known:
                likely = closest(str(name), missing) or closest(str(name), known)
                raise InputError(f"{group}: unknown name {name!r}{likely}")
    if missing:
        raise InputError(f"{group}: missing values of {_list(missing)}")
    with suppress(ValueError):
        array = np.array([values[name] for name in names])
        if array.ndim == 1 and array.dtype.kind in "biuf":  # numbers only, the most frequent case
            return array
    columns = [_numbers(f"{group}: {name}", values[name]) for name in names]
    try:
        return np.stack(np.broadcast_arrays(*columns), axis=-1)
    except ValueError:
        shapes = dict.fromkeys(column.shape for column in columns)
        raise InputError(f"{group}: shapes cannot be broadcast: {', '.join(map(str, shapes))}") from None


def _check_leading(arrays: Mapping[str, Array]) -> None:
    """Check that the leading axes of the groups can be broadcast."""
    try:
        np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        found = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InputError(f"leading axes cannot be broadcast: {found}") from None


# --------------------------------------------------------------------------------------- batches with out and threads


def _divided(entry: Entry, arrays: Sequence[Array], out: object, threads: object) -> tuple[Array, ...]:
    """Return the outputs, in `out` if given, computed by several threads; machine code runs without the GIL."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise InputError(f"threads: expected an integer of at least 1, found {threads!r}")
    leading = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    places = _places(entry, leading, out)
    count = min(int(threads), int(np.prod(leading, dtype=np.int64)) // _LEAST)
    if not arrays:  # a model without inputs
        found = entry.batch()
        for place, result in zip(places, found if isinstance(found, tuple) else (found,), strict=True):
            place[...] = result
    elif count < 2 or any(np.may_share_memory(array, place) for array in arrays for place in places):
        entry.batch(*arrays, out=places)  # NumPy handles overlapping arrays
    else:
        _spread(entry, arrays, places, leading, count)
    return places


def _places(entry: Entry, leading: tuple[int, ...], out: object) -> tuple[Array, ...]:
    shapes = [(*leading, *shape) for _, shape in entry.outputs]
    if out is None:
        return tuple(np.empty(shape, entry.form.dtype) for shape in shapes)
    places = tuple(out) if isinstance(out, (tuple, list)) else (out,)
    if len(places) != len(shapes):
        names = ", ".join(name for name, _ in entry.outputs)
        raise InputError(f"out: expected {len(shapes)} arrays ({names}), found {len(places)}")
    for (name, _), shape, place in zip(entry.outputs, shapes, places, strict=True):
        if not isinstance(place, np.ndarray):
            raise InputError(f"out: {name}: expected an array, found {type(place).__name__}")
        if place.shape != shape or place.dtype != np.dtype(entry.form.dtype):
            wanted, found = f"{entry.form.dtype} of shape {shape}", f"{place.dtype} of shape {place.shape}"
            raise InputError(f"out: {name}: expected {wanted}, found {found}")
        if not place.flags.writeable:
            raise InputError(f"out: {name}: expected a writeable array, found a read-only one")
    return places


def _spread(
    entry: Entry, arrays: Sequence[Array], places: tuple[Array, ...], leading: tuple[int, ...], count: int
) -> None:
    """Split the longest axis of the batch among the threads; the last part runs in this thread."""
    axis = int(np.argmax(leading))
    back = len(leading) - axis  # counted from the end of the leading axes, where arrays are aligned
    borders = [leading[axis] * k // count for k in range(count + 1)]
    errors: list[BaseException] = []

    def part(array: Array, core: int, low: int, high: int) -> Array:
        place = array.ndim - core - back
        if place < 0 or array.shape[place] == 1:
            return array  # broadcast
        return array[(slice(None),) * place + (slice(low, high),)]

    def run(low: int, high: int) -> None:
        try:
            cores = [len(shape) for _, shape in entry.outputs]
            taken = tuple(part(place, core, low, high) for place, core in zip(places, cores, strict=True))
            entry.batch(*(part(array, 1, low, high) for array in arrays), out=taken)
        except BaseException as error:
            errors.append(error)

    helpers = [threading.Thread(target=run, args=borders[k : k + 2], daemon=True) for k in range(count - 1)]
    for helper in helpers:
        helper.start()
    run(borders[-2], borders[-1])
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
