"""Types whose instances are called in machine code through the vectorcall protocol (PEP 590).

Otherwise Python builds a dict of the keywords for every call, which takes half as long as the torques of an arm.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from typing import TypeVar, cast

from robosym.runtime.capi import field
from robosym.runtime.lanes import Lines

__all__ = ["QuickCall", "belonging", "quick_type"]

_POINTER = ctypes.sizeof(ctypes.c_void_p)
#: Fields after those that Python gives an object: the address of the function, and the data it uses.
_FIELDS = ("function", "data", "fixed", "careful", "wrap")
_HAVE_VECTORCALL, _DEFAULT = 1 << 11, 1 << 18  # flags of a type
_TP_CALL, _TP_DOC, _TP_MEMBERS = 50, 56, 72  # slots of a type
_PYSSIZET, _READONLY = 19, 1  # kind and flag of a member

Kind = TypeVar("Kind", bound="QuickCall")


class QuickCall:
    """Base of objects called in machine code after `_call_by`; the class must be created by `quick_type`."""

    # without a slot, some versions of Python store the attributes directly after the header, where the fields will be
    __slots__ = ("__dict__", "__weakref__", "_alive")

    _alive: object  # keeps the targets of the fields alive

    def _call_by(
        self, address: int, data: int, fixed: Mapping[str, object], rest: object, wrap: object, alive: object
    ) -> None:
        """Set the function, made by `quick_call`, and its data."""
        self._alive = fixed, rest, wrap, alive
        fields = (ctypes.c_void_p * len(_FIELDS)).from_address(id(self) + QuickCall.__basicsize__)
        fields[:] = [address, data, id(fixed), id(rest), id(wrap)]


def belonging(code: Lines, name: str) -> str:
    """Load a field of the called object %self."""
    return field(code, "ptr", "%self", QuickCall.__basicsize__ + _POINTER * _FIELDS.index(name))


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("offset", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("value", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


@cache
def quick_type(cls: type[Kind]) -> type[Kind]:
    """Return a subclass with space for the fields, whose instances are called by the address in the first field."""
    size = QuickCall.__basicsize__
    assert cls.__basicsize__ == size > object.__basicsize__, "the fields would overlap other data"
    members = (_Member * 2)(_Member(b"__vectorcalloffset__", _PYSSIZET, size, _READONLY, None))
    text = ctypes.create_string_buffer((cls.__doc__ or "").encode())
    slots = (_Slot * 4)(
        _Slot(_TP_CALL, ctypes.cast(ctypes.pythonapi.PyVectorcall_Call, ctypes.c_void_p)),
        _Slot(_TP_DOC, ctypes.addressof(text)),
        _Slot(_TP_MEMBERS, ctypes.addressof(members)),
    )
    name = ctypes.create_string_buffer(f"{cls.__module__}.{cls.__qualname__}".encode())
    spec = _Spec(ctypes.addressof(name), size + _POINTER * len(_FIELDS), 0, _DEFAULT | _HAVE_VECTORCALL, slots)
    make = ctypes.pythonapi.PyType_FromSpecWithBases
    make.restype, make.argtypes = ctypes.py_object, [ctypes.POINTER(_Spec), ctypes.py_object]
    made = make(ctypes.byref(spec), (cls,))
    return cast("type[Kind]", made)
