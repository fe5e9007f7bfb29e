"""Objects whose calls go straight to machine code: Python hands over arguments and names where they lie (PEP 590).

Without it Python makes a dict of the keywords for every call, which takes half as long as the torques of an arm.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from typing import TypeVar, cast

from robosym.runtime.capi import field
from robosym.runtime.lanes import Lines

__all__ = ["Quick", "belonging", "quick_type"]

_POINTER = ctypes.sizeof(ctypes.c_void_p)
#: What lies behind the fields that Python gives an object: the address of the function, and what the function asks for.
_FIELDS = ("function", "data", "fixed", "careful", "wrap")
_HAVE_VECTORCALL, _DEFAULT = 1 << 11, 1 << 18  # flags of a type
_TP_CALL, _TP_DOC, _TP_MEMBERS = 50, 56, 72  # slots of a type
_PYSSIZET, _READONLY = 19, 1  # kind and flag of a member

Kind = TypeVar("Kind", bound="Quick")


class Quick:
    """To be called in machine code, once `_call_by` has said by what; its class must come from `quick_type`."""

    # without a slot some versions of Python lay the values of an object right behind its head, where the fields will be
    __slots__ = ("__dict__", "__weakref__", "_alive")

    _alive: object  # what the fields point to

    def _call_by(
        self, address: int, data: int, fixed: Mapping[str, object], rest: object, wrap: object, alive: object
    ) -> None:
        """Go to a function made by `quick_call`, and give it what belongs to it."""
        self._alive = fixed, rest, wrap, alive
        fields = (ctypes.c_void_p * len(_FIELDS)).from_address(id(self) + Quick.__basicsize__)
        fields[:] = [address, data, id(fixed), id(rest), id(wrap)]


def belonging(code: Lines, name: str) -> str:
    """A field of the object %self that is called."""
    return field(code, "ptr", "%self", Quick.__basicsize__ + _POINTER * _FIELDS.index(name))


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
    """The class with room for the fields, whose objects Python calls by the address in the first of them."""
    size = Quick.__basicsize__
    assert cls.__basicsize__ == size > object.__basicsize__, "something else would lie where the fields are"
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
