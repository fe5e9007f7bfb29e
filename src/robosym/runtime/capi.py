"""The C APIs of Python and NumPy, for generated code and ctypes."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from robosym.runtime.engine import provide
from robosym.runtime.lanes import Lines

__all__ = [
    "ALIGNED", "DATA", "DESCR", "FLAGS", "NDIM", "NUMBER", "OBJECTS", "SHAPE", "STRIDES", "TYPE", "WRITEABLE",
    "declarations", "field", "held", "layout_is_known", "make_ufunc", "table",
]  # fmt: skip

_numpy: Any = import_module("numpy._core._multiarray_umath")

_POINTER = ctypes.sizeof(ctypes.c_void_p)
#: Offsets in bytes of the fields of a Python object and of an array (PyArrayObject_fields).
_HEAD = object.__basicsize__
TYPE = _HEAD - _POINTER
DATA, NDIM, SHAPE, STRIDES, DESCR, FLAGS = (_HEAD + k * _POINTER for k in (0, 1, 2, 3, 5, 6))
#: Offset of the value of a float or a NumPy double scalar.
NUMBER = _HEAD
#: Array flags.
ALIGNED, WRITEABLE = 0x0100, 0x0400
#: Indices in NumPy's tables of C functions, which are stable across versions.
_ARRAY_NEW, _UFUNC_FROM_SIGNATURE = 93, 31

#: Functions of Python called by generated code: result and arguments in IR.
_PYTHON = {
    "PyDict_GetItemWithError": "ptr (ptr, ptr)",
    "PyDict_New": "ptr ()",
    "PyDict_Next": "i32 (ptr, ptr, ptr, ptr)",
    "PyDict_SetItem": "i32 (ptr, ptr, ptr)",
    "PyDict_Size": "i64 (ptr)",
    "PyErr_Clear": "void ()",
    "PyErr_Occurred": "ptr ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyFloat_AsDouble": "double (ptr)",
    "PyObject_Call": "ptr (ptr, ptr, ptr)",
    "PyObject_VectorcallDict": "ptr (ptr, ptr, i64, ptr)",
    "PyTuple_GetItem": "ptr (ptr, i64)",
    "PyTuple_New": "ptr (i64)",
    "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
    "PyTuple_Size": "i64 (ptr)",
    "Py_DecRef": "void (ptr)",
    "Py_IncRef": "void (ptr)",
}


#: Objects used by generated code; their addresses are in a table that is filled when the code is loaded.
OBJECTS: dict[str, object] = {
    "array": np.ndarray,
    "double": np.dtype(np.float64),
    "single": np.dtype(np.float32),
    "tuple": tuple,
    "dict": dict,
    "float": float,
    "scalar": np.float64,
    "int": int,
}


def table(name: str, length: int) -> str:
    """Return the IR of a table of addresses."""
    return f"@{name} = global [{length} x ptr] zeroinitializer"


def held(code: Lines, thing: str) -> str:
    """Load the address of one of `OBJECTS`."""
    return code.entry("ptr", "@objects", list(OBJECTS).index(thing))


def field(code: Lines, kind: str, thing: str, offset: int) -> str:
    """Load the field of an object at an offset."""
    return code.load(kind, code.at(thing, offset))


def declarations() -> str:
    """Return IR that declares the functions of Python and NumPy, and register their addresses with LLVM."""
    lines = [table("objects", len(OBJECTS)), "declare ptr @PyArray_New(ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)"]
    provide("PyArray_New", _table(_numpy._ARRAY_API, _ARRAY_NEW))
    for name, kind in _PYTHON.items():
        result, arguments = kind.split(" ", 1)
        lines.append(f"declare {result} @{name}{arguments}")
        address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        assert address is not None
        provide(name, address)
    return "\n".join(lines)


def make_ufunc(functions: int, data: int, types: int, inputs: int, outputs: int, name: int, signature: int) -> np.ufunc:
    """Call PyUFunc_FromFuncAndDataAndSignature for one loop; the arguments are addresses and operand counts."""
    pointers, integers = [ctypes.c_void_p] * 3, [ctypes.c_int] * 4
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, *pointers, *integers, *pointers[:2], ctypes.c_int, ctypes.c_void_p)
    make = prototype(_table(_numpy._UFUNC_API, _UFUNC_FROM_SIGNATURE))
    no_identity = -1
    made: np.ufunc = make(functions, data, types, 1, inputs, outputs, no_identity, name, name, 0, signature)
    return made


def _table(capsule: Any, place: int) -> int:
    """Return the address of a function of NumPy's C API."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address = ctypes.cast(get(capsule, None), ctypes.POINTER(ctypes.c_void_p))[place]
    assert isinstance(address, int)
    return address


@cache
def layout_is_known() -> bool:
    """Return whether objects have the memory layout assumed above; if not, all calls use the gufunc."""
    array = np.arange(12.0).reshape(3, 4)[:, ::2]
    numbers = 0.1, np.float64(0.1)

    def at(offset: int, kind: Any) -> Any:
        return kind.from_address(id(array) + offset).value

    shape, strides = ((ctypes.c_ssize_t * 2).from_address(at(field, ctypes.c_void_p)) for field in (SHAPE, STRIDES))
    return bool(
        _POINTER == 8
        and at(TYPE, ctypes.c_void_p) == id(np.ndarray)
        and at(DATA, ctypes.c_void_p) == array.__array_interface__["data"][0]
        and at(NDIM, ctypes.c_int) == 2
        and (tuple(shape), tuple(strides)) == (array.shape, array.strides)
        and at(DESCR, ctypes.c_void_p) == id(array.dtype)
        and at(FLAGS, ctypes.c_int) == array.flags.num
        and all(ctypes.c_double.from_address(id(number) + NUMBER).value == 0.1 for number in numbers)
    )
