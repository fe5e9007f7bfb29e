"""Julia: a function that allocates its results, and one that writes into given arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable

from robosym.algebra import Style
from robosym.languages.functions import Function, Functions
from robosym.languages.header import describe
from robosym.languages.language import Language, register
from robosym.languages.program import Array, double, wrapped
from robosym.languages.reserved import JULIA_WORDS
from robosym.model import Model

__all__ = ["JULIA"]


STYLE = Style(number=double, pi="pi", functions={"atan2": "atan", "pow": "(({0})^({1}))"})
RESERVED = JULIA_WORDS | {"shared", "constants"}


def _spell(name: str) -> str:
    """Return a valid name: one of underscores only is write-only in Julia."""
    return name if name.strip("_") else f"x{name}"


class _Source(Functions):
    """Functions that write into given arrays, outputs first, and functions that allocate them."""

    def zeros(self, function: Function, size: str) -> str:
        """Return an array of the promoted type of the arguments, so that dual numbers work."""
        kinds = ", ".join(f"eltype({array.name})" for array in function.read)
        return f"zeros({f'float(promote_type({kinds}))' if kinds else 'Float64'}, {size})"

    def allocating(self, function: Function) -> list[str]:
        made = [f"    {array.name} = {self.zeros(function, _listed(array.shape))}" for array in function.written]
        returned = f"    return {function.name}!({_arguments(function)})"
        return [f"function {function.name}({_names(function.read)})", *made, returned, "end", ""]

    def entry(self, array: Array, place: int) -> str:
        return f"{array.name}[{_listed(array.indices(place))}]"

    def shared(self, place: int) -> str:
        return f"shared[{place + 1}]"

    def load(self, name: str, place: str) -> str:
        """Load an input; the division by 1 converts integers to floats and keeps other number types."""
        return self.assign(name, place if place.startswith("shared[") else f"{place}/1")

    def declare(self, name: str, text: str) -> str:
        return self.assign(name, text)

    def assign(self, target: str, text: str) -> str:
        """Return an assignment; a line continues inside brackets and after an operator."""
        if len(text) < 100:
            return f"    {target} = {text}"
        lines = wrapped(f"    {target} = (", text, ")", 110, "        ")
        return re.sub(r"\n        ([-+]) ", r" \1\n        ", lines)

    def space(self, function: Function) -> str:
        return f"    shared = {self.zeros(function, str(function.shared))}"

    def call(self, function: Function, name: str) -> str:
        return f"    {name}!({_arguments(function)}, shared)"

    def define(self, function: Function, name: str, lines: list[str], is_part: bool = False) -> list[str]:
        arguments = _arguments(function) + (", shared" if is_part else "")
        returned = "    return" if is_part else f"    return {_names(function.written)}"
        return [f"function {name}!({arguments})", *lines, returned, "end", ""]


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))


def _names(arrays: Iterable[Array]) -> str:
    return ", ".join(array.name for array in arrays)


def _arguments(function: Function) -> str:
    return _names((*function.written, *function.read))


def _code(model: Model, *, init: bool = False, name: str = "", prefix: str = "") -> str:
    """Return the functions `f!(outputs..., inputs...)` and `f(inputs...)`.

    With `init` also `f_init`, which computes the vector `constants` once from the parameters.
    """
    source = _Source(model, JULIA, init, name=name, prefix=prefix)
    lines = [*JULIA.commented(describe(model, JULIA)), ""]
    for function in source.called:
        lines += [line for definition in source.definitions(function) for line in definition]
        lines += source.allocating(function)
    return "\n".join(lines)


JULIA = register(
    Language(
        name="julia",
        code=_code,
        first=1,
        extensions={".jl": {}},
        comment=("", "# ", ""),
        style=STYLE,
        reserved=RESERVED,
        spell=_spell,
    )
)
