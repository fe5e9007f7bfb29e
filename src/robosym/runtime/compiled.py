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
from robosym.runtime.quick_type import Quick, quick_type

__all__ = ["Compiled"]

_SINGLE, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_LEAST = 1024  #: states that are worth a thread


class Compiled(Quick):
    """A model in machine code: `f(q=q, qd=qd, qdd=qdd, parameters=p)`, or the same in the order of `f.inputs`.

    The last axis of an array is the group's names, in order; leading axes are a batch, and broadcast. A group may also
    be a dict of its names. One output group gives one array, several a named tuple. Where every array given is of
    single precision, so are the computation and the result. Calls from several threads run at the same time.

    `out=` takes the result: an array of its shape and precision, or a tuple of them where there are several groups of
    outputs. `threads=` divides a batch among so many threads. Arrays by columns are as good as those by rows.
    """

    model: Model
    _kernels: _Kernels
    _fixed: dict[str, Array]
    _entries: dict[bool, Entry]  # by whether it is of single precision
    _free: tuple[str, ...]  # the groups that a call must give
    _single_call: Call  # the quick way in for single precision, once it was needed

    def __new__(cls, model: Model, cached: bool = True) -> Compiled:
        return cls._made(model, _Kernels(model, cached), {})

    @classmethod
    def _made(cls, model: Model, kernels: _Kernels, fixed: dict[str, Array]) -> Compiled:
        """A compiled model, its `__call__` in machine code too where things lie in memory as that expects.

        That halves the time of a call: a method written in Python would unpack the keywords and pack them again.
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

    def _lead(self, caller: Quick, single: bool, rest: Call) -> None:
        """Let calls of `caller` for one state or a table of them go to machine code, and others to `rest`."""
        entry = self._entries[single]
        fixed = {name: self._fixed[name].astype(entry.form.dtype) for name in entry.groups if name in self._fixed}
        entry.lead(caller, fixed, rest, self._kernels.tuple)

    def __call__(self, *values: object, **groups: object) -> Any:
        return self._long_call(*values, **groups)

    def with_values(self, **groups: object) -> Compiled:
        """The same function with some groups fixed, as for the parameters in a control loop.

        What depends on parameters alone is then computed once, here, and not in every call. A group that is given in a
        call all the same replaces what was fixed.
        """
        if not groups:
            raise InputError(f"expected groups to fix, one or more of {', '.join(self.model.inputs)}")
        self._check_names(groups)
        fixed = {**self._fixed, **{name: _array(self.model, name, value).copy() for name, value in groups.items()}}
        _check_leading(fixed)
        return self._made(self.model, self._kernels, fixed)

    @property
    def inputs(self) -> Mapping[str, tuple[str, ...]]:
        """The groups that a call must give, with their names."""
        return FrozenDict({group: self.model.inputs[group] for group in self._free})

    @property
    def outputs(self) -> Mapping[str, Layout]:
        """The groups that a call gives back, with their names."""
        return self.model.outputs

    def __repr__(self) -> str:
        fixed = f", fixed: {', '.join(self._fixed)}" if self._fixed else ""
        arrow = f"{', '.join(self.inputs)} -> {', '.join(self.outputs)}"
        return f"<Compiled {self.model.title} of {self.model.name}: {arrow}{fixed}>"

    def __reduce__(self) -> tuple[object, ...]:
        """With its machine code, which serves wherever the same would be made: on a machine of the same kind."""
        return _restore, (self.model, self._fixed, self._kernels.codes())

    def __copy__(self) -> Compiled:
        return self  # nothing in it changes

    def __deepcopy__(self, memo: object) -> Compiled:
        return self

    # --------------------------------------------------------- all calls but those of one state or a table in doubles

    def _other_call(self, *values: object, **groups: object) -> Any:
        return self._single_call(*values, **groups)

    def _long_call(self, *values: object, **groups: object) -> Any:
        """First what is frequent, doubles with any leading axes: they go to the machine code as they are."""
        if "out" in groups or "threads" in groups:
            return self._placed_call(values, **groups)
        if values:
            groups = self._named(values, groups)
        result = None
        if len(groups) + len(self._fixed) == len(self.model.inputs):
            given = {**self._fixed, **groups}
            arrays = [given.get(name) for name in self._entries[False].groups]
            if all(map(_is_double, arrays)) and self._fixed.keys().isdisjoint(groups):
                with suppress(ValueError):  # the axes do not fit: the diagnosis says why
                    result = self._entries[False].batch(*arrays)
        if result is None:
            result = self._careful_call(groups)
        return result if self._kernels.tuple is None else self._kernels.tuple._make(result)

    def _placed_call(self, values: Sequence[object], out: object = None, threads: object = 1, **groups: object) -> Any:
        """A call whose result has its place, or that is divided among threads."""
        named = self._named(values, groups) if values else groups
        entry, arrays = self._ready(named)
        result = _divided(entry, arrays, out, threads)
        return result[0] if self._kernels.tuple is None else self._kernels.tuple._make(result)

    def _careful_call(self, given: Mapping[str, object]) -> Any:
        """Lists, dicts, other precisions, and mistakes."""
        entry, arrays = self._ready(given)
        return entry.batch(*arrays)

    def _ready(self, given: Mapping[str, object]) -> tuple[Entry, list[Array]]:
        """The way in, and the arrays that it takes."""
        self._check_names(given)
        groups = {**self._fixed, **given}
        missing = [name for name in self.model.inputs if name not in groups]
        if missing:
            raise InputError(f"missing: {', '.join(f'{name}, {_shape_text(self.model, name)}' for name in missing)}")
        arrays = {name: _array(self.model, name, groups[name]) for name in self.model.inputs}
        _check_leading(arrays)
        single = {arrays[name].dtype for name, value in given.items() if isinstance(value, np.ndarray)} == {_SINGLE}
        if not self._fixed.keys().isdisjoint(given):
            entry = self._kernels.entry(single, {})
        else:
            if single not in self._entries:
                self._entries[single] = self._kernels.entry(single, self._fixed)
                if layout_is_known():
                    caller: Any = quick_type(Quick)()
                    self._lead(caller, single, self._long_call)
                    self._single_call = caller
            entry = self._entries[single]
        return entry, [arrays[name].astype(entry.form.dtype, copy=False) for name in entry.groups]

    def _named(self, values: Sequence[object], groups: Mapping[str, object]) -> dict[str, object]:
        """Values given by position, under the names of their groups."""
        names = self._free
        if len(values) > len(names):
            raise InputError(f"expected at most {len(names)} arrays ({', '.join(names)}), found {len(values)}")
        given = dict(zip(names, values, strict=False))
        if not groups:
            return given
        for name in groups:
            if name in given:
                raise InputError(f"{name} is given twice, by position and by name")
        return {**given, **groups}

    def _check_names(self, groups: Mapping[str, object]) -> None:
        known = self.model.inputs
        for name in groups:
            if name not in known:
                expected = ", ".join(known) or "none"
                raise InputError(f"{name} is not an input of this model{closest(name, known)}; its inputs: {expected}")


class _Kernels:
    """The kernels of a model; the one for single precision is made when it is first needed."""

    def __init__(self, model: Model, cached: bool = True) -> None:
        self.plan = Plan(quickly(model), given=model.inputs)
        self._cached = cached
        self.tuple: Any = None
        if len(model.outputs) != 1:
            self.tuple = namedtuple("Outputs", list(model.outputs), rename=True)  # type: ignore[misc]
        self._made: dict[bool, Kernel] = {}  # by whether it is of single precision

    def entry(self, single: bool, fixed: Mapping[str, Array]) -> Entry:
        """The code for all groups; or for those on line, if those off line are fixed, all, and to one value each."""
        kernel = self._made.get(single)
        if kernel is None:
            # two threads may both make it; a lock would stay locked in a process that is forked meanwhile
            kernel = self._made.setdefault(single, Kernel(self.plan, single, cached=self._cached))
        offline = [group.name for group in self.plan.inputs if not group.online]
        if not offline or any(name not in fixed or fixed[name].ndim > 1 for name in offline):
            return kernel.full
        return kernel.bound(fixed)

    def codes(self) -> dict[str, bytes]:
        """The machine code of each kernel, by its key."""
        return {kernel.engine.key: sealed(kernel.engine.code) for kernel in tuple(self._made.values())}


def _is_double(value: object) -> bool:
    return type(value) is np.ndarray and value.dtype is _DOUBLE


def _restore(model: Model, fixed: Mapping[str, Array], codes: Mapping[str, bytes]) -> Compiled:
    admit(codes)
    compiled = Compiled(model)
    return compiled.with_values(**fixed) if fixed else compiled


# --------------------------------------------------------------------------------------------- what a user may give


def _shape_text(model: Model, group: str) -> str:
    return f"shape (..., {len(model.inputs[group])})"


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 8 else f"{', '.join(names[:3])}, ..., {names[-1]}"


def _array(model: Model, group: str, value: object) -> Array:
    """A group as an array of numbers whose last axis has the right length."""
    if isinstance(value, Mapping):
        return _from_names(model, group, value)
    array = _numbers(group, value)
    names = model.inputs[group]
    if array.ndim == 0 or array.shape[-1] != len(names):
        raise InputError(f"{group}: expected {_shape_text(model, group)} for {_list(names)}, found {array.shape}")
    return array


def _numbers(what: str, value: object) -> Array:
    """Anything that is an array of real numbers."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"{what}: expected an array of numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise InputError(f"{what}: expected real numbers, found an array of {array.dtype}")
    return array


def _from_names(model: Model, group: str, values: Mapping[object, object]) -> Array:
    """A group given as a dict: its names to numbers or batches of them."""
    names = model.inputs[group]
    missing = [name for name in names if name not in values]
    if missing or len(values) > len(names):
        known = {*names, *(model.robot.parameters if model.robot is not None else ())}
        for name in values:  # before what is missing: a misspelt name is both
            if name not in known:
                likely = closest(str(name), missing) or closest(str(name), known)
                raise InputError(f"{group}: {name!r} is not known{likely}")
    if missing:
        raise InputError(f"{group}: no value is given for {_list(missing)}")
    with suppress(ValueError):
        array = np.array([values[name] for name in names])
        if array.ndim == 1 and array.dtype.kind in "biuf":  # numbers alone, by far the most frequent
            return array
    columns = [_numbers(f"{group}: {name}", values[name]) for name in names]
    try:
        return np.stack(np.broadcast_arrays(*columns), axis=-1)
    except ValueError:
        shapes = dict.fromkeys(column.shape for column in columns)
        raise InputError(f"{group}: shapes that do not fit each other: {', '.join(map(str, shapes))}") from None


def _check_leading(arrays: Mapping[str, Array]) -> None:
    """The batches of the groups must fit each other."""
    try:
        np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        found = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InputError(f"the leading axes do not fit each other: {found}") from None


# ------------------------------------------------------- batches whose result has its place, divided among threads


def _divided(entry: Entry, arrays: Sequence[Array], out: object, threads: object) -> tuple[Array, ...]:
    """The outputs for arrays that fit, in `out` where it is given; machine code runs without Python's lock."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise InputError(f"threads: expected a number from 1 on, found {threads!r}")
    leading = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    places = _places(entry, leading, out)
    count = min(int(threads), int(np.prod(leading, dtype=np.int64)) // _LEAST)
    if not arrays:  # a model of nothing
        found = entry.batch()
        for place, result in zip(places, found if isinstance(found, tuple) else (found,), strict=True):
            place[...] = result
    elif count < 2 or any(np.may_share_memory(array, place) for array in arrays for place in places):
        entry.batch(*arrays, out=places)  # NumPy heeds arrays that overlap
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
            wanted, found = f"{entry.form.dtype} {shape}", f"{place.dtype} {place.shape}"
            raise InputError(f"out: {name}: expected an array of {wanted}, found {found}")
        if not place.flags.writeable:
            raise InputError(f"out: {name}: expected an array that can be written to")
    return places


def _spread(
    entry: Entry, arrays: Sequence[Array], places: tuple[Array, ...], leading: tuple[int, ...], count: int
) -> None:
    """The longest axis of the batch in as many parts as there are threads; the last one runs in this thread."""
    axis = int(np.argmax(leading))
    back = len(leading) - axis  # from the end of the leading axes, where arrays are aligned
    borders = [leading[axis] * k // count for k in range(count + 1)]
    errors: list[BaseException] = []

    def part(array: Array, core: int, low: int, high: int) -> Array:
        place = array.ndim - core - back
        if place < 0 or array.shape[place] == 1:
            return array  # the same for all
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
