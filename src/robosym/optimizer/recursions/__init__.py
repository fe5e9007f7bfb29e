"""Alternative recursions for the optimizer: the same outputs with fewer operations.

A model records how it was made (`Model.made`). Only this package knows which other recursions exist for the models of
an algorithm; the algorithms do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

from robosym.model import Derived, Model, Origin
from robosym.optimizer import effort
from robosym.optimizer.recursions.trial import Alternatives, Report, Trial

__all__ = ["Report", "Trial", "alternatives_of", "quick_variant", "variants_of"]

#: models in joint coordinates: module by coordinates
_OF_JOINTS = {"joints": "of_trees", "active": "of_loops"}
#: module whose OTHERS has the recursions for each algorithm; imported when such a model is optimized
_HOME_OF: dict[str, str | dict[str, str]] = {
    "inverse_of": _OF_JOINTS, "direct_of": _OF_JOINTS, "bias_of": _OF_JOINTS, "gravity_of": _OF_JOINTS,
    "inertia_of": _OF_JOINTS, "coriolis_of": "of_trees", "energy_of": "of_trees",
    "dynamic_matrix": "of_identification", "filtered_matrices": "of_identification", "energy_row": "of_identification",
}  # fmt: skip


def alternatives_of(made: Origin) -> Alternatives:
    """Return the alternative recursions for the models of an algorithm."""
    place = _HOME_OF[made.maker.__name__]
    home = import_module(f"{__name__}.{place if isinstance(place, str) else place[made.coordinates]}")
    others: Alternatives = home.OTHERS[made.maker]
    return others


def variants_of(model: Model, trial: Trial) -> Iterator[Model]:
    """Yield the same outputs by other recursions, simplified; none if an output is specific to one algorithm."""
    made = model.made
    if isinstance(made, Origin):
        others = alternatives_of(made)
        if set(model.outputs) <= others.outputs:
            yield from others.search(made, trial)
    elif made is not None and _differentiated(model, made):
        yield from _derivatives(made, trial)


def quick_variant(model: Model) -> Model | None:
    """Return the same outputs by a recursion that is quick to generate and cheaper on a processor, or None."""
    made, other = model.made, None
    if isinstance(made, Origin):
        others = alternatives_of(made)
        other = others.quick(made) if set(model.outputs) <= others.outputs else None
    elif made is not None and _differentiated(model, made):
        inner = quick_variant(made.model)
        other = None if inner is None else inner.derivative(*made.groups, along="joints")
    if other is None or not set(model.output_names) <= set(other.definitions):
        return None
    return replace(other, outputs=model.outputs)


def _differentiated(model: Model, made: Derived) -> bool:
    """Return whether all outputs are derivatives, and none a variable of the original model."""
    return set(model.outputs) <= {f"d{target}_d{group}" for target in made.model.outputs for group in made.groups}


def _derivatives(made: Derived, trial: Trial) -> Iterator[Model]:
    """Yield the derivatives of the variants of a model: fewer operations give fewer derivatives.

    The best few variants of a search are differentiated last, since differentiation may change their order: in a form
    with fewer operations more of them may depend on the variables of differentiation.
    """
    own = replace(trial, outputs=made.model.outputs)
    found = sorted(variants_of(made.model, own), key=trial.measure)[: effort.KEPT]
    if found and trial.in_time():
        trial.report("differentiating the best variants")
        slopes = [
            form.derivative(*made.groups, along="joints") for form in found if form is found[0] or trial.in_time()
        ]
        yield trial.finished(min(slopes, key=trial.cost))
