"""Other recursions than the book's, among which the optimizer chooses: the same outputs with fewer operations.

A model says how it was made (`Model.made`). This is the one place that knows which other recursions there are for the
models of an algorithm; algorithms know nothing of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

from robosym.model import Derived, Model, Origin
from robosym.optimizer import effort
from robosym.optimizer.recursions.trial import Others, Tell, Trial

__all__ = ["Tell", "Trial", "others_of", "quick_variant", "variants_of"]

#: models in joint coordinates: recursions of trees serve those of loops in another way
_OF_JOINTS = {"joints": "of_trees", "active": "of_loops"}
#: the module here whose OTHERS serve the models of each algorithm; it is imported when one of them is optimized
_HOME_OF: dict[str, str | dict[str, str]] = {
    "inverse_of": _OF_JOINTS, "direct_of": _OF_JOINTS, "bias_of": _OF_JOINTS, "gravity_of": _OF_JOINTS,
    "inertia_of": _OF_JOINTS, "coriolis_of": "of_trees", "energy_of": "of_trees",
    "dynamic_matrix": "of_identification", "filtered_matrices": "of_identification", "energy_row": "of_identification",
}  # fmt: skip


def others_of(made: Origin) -> Others:
    """What is known of other recursions for the models of an algorithm."""
    place = _HOME_OF[made.maker.__name__]
    home = import_module(f"{__name__}.{place if isinstance(place, str) else place[made.coordinates]}")
    others: Others = home.OTHERS[made.maker]
    return others


def variants_of(model: Model, trial: Trial) -> Iterator[Model]:
    """The same outputs by other recursions, each finished; none where an output belongs to one algorithm alone."""
    made = model.made
    if isinstance(made, Origin):
        others = others_of(made)
        if set(model.outputs) <= others.outputs:
            yield from others.search(made, trial)
    elif made is not None and _differentiated(model, made):
        yield from _derivatives(made, trial)


def quick_variant(model: Model) -> Model | None:
    """The same outputs by the recursion that takes little time to make and is less work for a processor, if any."""
    made, other = model.made, None
    if isinstance(made, Origin):
        others = others_of(made)
        other = others.quick(made) if set(model.outputs) <= others.outputs else None
    elif made is not None and _differentiated(model, made):
        inner = quick_variant(made.model)
        other = None if inner is None else inner.derivative(*made.groups)
    if other is None or not set(model.output_names) <= set(other.definitions):
        return None
    return replace(other, outputs=model.outputs)


def _differentiated(model: Model, made: Derived) -> bool:
    """Whether all outputs are derivatives, and none a variable of the model before."""
    return set(model.outputs) <= {f"d{target}_d{group}" for target in made.model.outputs for group in made.groups}


def _derivatives(made: Derived, trial: Trial) -> Iterator[Model]:
    """The derivatives of the variants of a model: what has fewer operations has fewer derivatives.

    Differentiating comes last, since it multiplies what there is. The best few of a search are differentiated, since
    their order may change: of a form with fewer operations more may depend on what is differentiated by.
    """
    own = replace(trial, outputs=made.model.outputs)
    found = sorted(variants_of(made.model, own), key=trial.measure)[: effort.KEPT]
    if found and trial.in_time():
        trial.tell("differentiating the best variants")
        slopes = [form.derivative(*made.groups) for form in found if form is found[0] or trial.in_time()]
        yield trial.finished(min(slopes, key=trial.cost))
