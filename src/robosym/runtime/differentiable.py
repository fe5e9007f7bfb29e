"""Machine code of a model with its exact derivatives, for the automatic differentiation of other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robosym.algebra import needed_symbols
from robosym.algebra.once import cached_property
from robosym.model import Model, shape
from robosym.model.tangents import cotangent, tangent
from robosym.runtime.compiled import Compiled

__all__ = ["Differentiable"]


class Differentiable:
    """A model as a function of one array per input group; derivatives are made on first use and cached.

    Derivatives are again of this class, so that they can be differentiated to any order.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.groups = tuple(model.inputs)
        self.sizes = tuple(len(names) for names in model.inputs.values())
        self.shapes = tuple(shape(layout) for layout in model.outputs.values())
        self._along: dict[tuple[str, ...], Differentiable] = {}
        self._against: dict[tuple[str, ...], Differentiable] = {}

    @cached_property
    def compiled(self) -> Compiled:
        return Compiled(self.model)

    def along(self, groups: Sequence[str]) -> Differentiable:
        """Return the Jacobian times a direction of some groups, which follows the arguments."""
        key = tuple(groups)
        if key not in self._along:
            self._along[key] = Differentiable(tangent(self.model, key))
        return self._along[key]

    def against(self, groups: Sequence[str]) -> Differentiable:
        """Return weights times the Jacobian by some groups; the weights of the outputs follow the arguments.

        Groups in which the function is linear are no arguments of the result.
        """
        key = tuple(groups)
        if key not in self._against:
            made = cotangent(self.model, key)
            used = {symbol.value for symbol in needed_symbols(made.graph, made.roots)}
            gone = [group for group in key if used.isdisjoint(self.model.inputs[group])]
            inputs = {group: names for group, names in made.inputs.items() if group not in gone}
            known = () if "parameters" in gone else made.known
            self._against[key] = Differentiable(replace(made, inputs=inputs, known=known))
        return self._against[key]
