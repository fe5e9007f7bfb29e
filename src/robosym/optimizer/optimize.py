"""The optimizer: the same outputs with fewer operations (guide 3.5.1, 5.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import inf
from time import perf_counter

from robosym.algebra import Expr, Graph, evaluate, symbols
from robosym.algebra.generic import random_numbers
from robosym.algebra.interpret import Expressions, interpret
from robosym.errors import Error, ExpressionError, InputError
from robosym.model import Model, Origin
from robosym.model.groups import declare
from robosym.optimizer import effort
from robosym.optimizer.goals import GOALS, MACHINE, Goal, goal_of, work
from robosym.optimizer.in_turn import InTurn, composed
from robosym.optimizer.kernels import collect_squares, extract_common
from robosym.optimizer.local_search import search_forms
from robosym.optimizer.recursions import Tell, Trial, quick_variant, variants_of
from robosym.optimizer.sums_of_products import SumsOfProducts

__all__ = ["COMPILED", "HIGHEST", "Told", "fastest", "optimize", "quickly", "same_function", "simplified"]

HIGHEST = 3
COMPILED = ("c", "h", "cpp")  #: languages whose files have the form that is estimated to run fastest
_SAME = 1e-7  #: outputs that differ by less, in parts of the largest one, differ by rounding: states may be singular
Progress = Callable[[str], None]


class Told(str):
    """What `progress` is told: a text, and as a number the share of the work that is done, where that is known."""

    share: float | None

    def __new__(cls, text: str, share: float | None = None) -> Told:
        told = super().__new__(cls, text)
        told.share = share
        return told


def optimize(
    model: Model,
    level: int | str = 2,
    progress: Progress | None = None,
    goal: str = "operations",
    budget: float | None = None,
) -> Model:
    """The model with fewer operations, or a faster one; the values of its outputs do not change but for rounding.

    level 0   the plain customized form: what the selected outputs do not need is left out;
    level 1   common sub-expressions and factors across all sums and products, squares, as long as anything is found;
    level 2   also another recursion for dynamic models, where it is better: mass regrouped along the axes, for trees
              also second moments instead of moments of inertia;
    level 3   or "max": also a search, joint by joint, for the axes in which each link is treated, and one over forms of
              the result, brackets opened and factored anew (of every model); it may take seconds.
              Closed robots have mass regrouped along the axes.

    The goal "operations" is SYMORO+'s count, in which functions are free; of a model with base parameters, which are
    combined off line before it is used, that of operations on line. With the goal "speed" a model is only changed
    where the time of the processor is estimated to fall, sines and cosines, registers and chains of operations that
    wait for each other included: sines and cosines of sums of angles then follow from those of the parts, and the order
    of a recursion is kept, or (level 3) each term is added to its sum where its factors are at hand.

    `progress` is told what is done, in texts with a number `share` (None where it is not known). When
    `budget`, in seconds, is over, the result is the best that was found by then; with a long one level 3 searches on.

    Another recursion replaces the intermediate variables; it is taken only where the selected outputs are those of the
    whole model, and where its values agree with the model's at random states.
    """
    wanted = HIGHEST if level == "max" else level
    if not isinstance(wanted, int) or isinstance(wanted, bool) or not 0 <= wanted <= HIGHEST:
        raise InputError(f'level: expected 0, 1, 2, 3 or "max", found {level!r}')
    if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int | float) or not budget >= 0):
        raise InputError(f"budget: expected seconds, 0 or more, found {budget!r}")
    aim = goal_of(goal, isinstance(model.made, Origin) and model.made.prepared)
    if wanted == 0:
        return _pruned(model)

    def tell(text: str, share: float | None = None) -> None:
        if progress is not None:
            progress(Told(text, share))

    best = _best(model, wanted, aim, budget, tell)
    tell(f"{best.operations.total} operations", 1.0)
    if type(model) is not Model:  # what its kind knows besides, such as the columns of a regressor, stays as it is
        best = replace(model, title=best.title, definitions=best.definitions, graph=best.graph)
    best = replace(best, name=model.name, kind=model.kind, about=model.about, made=model.made, optimized=True)
    return replace(best, known=model.known)  # in the order of the robot; another recursion may know others


def _best(model: Model, wanted: int, aim: Goal, budget: float | None, tell: Tell) -> Model:
    """The best form of a model, and perhaps recursion, that a level finds in time."""
    start = perf_counter()
    passes = _Passes(aim, inf if budget is None else start + budget)
    best = plain = _pruned(model)
    arranged = wanted == HIGHEST and aim.worth > 0 and plain.operations.total <= effort.ARRANGED
    arranged = arranged and InTurn(model.roots).possible
    near: list[Model] = []
    tell(f"{best.operations.total} operations", 0.0)
    looked_at = perf_counter() - start
    rewritten = None if budget is None else passes.once(model)  # first, so that there is something when time is over
    if wanted >= 2 and model.made is not None and perf_counter() + effort.GENERATING * looked_at < passes.end:
        for candidate in _variants(model, passes, wanted == HIGHEST, arranged, tell):
            before = aim.better if best is plain else aim.less  # among recursions any gain counts
            if before(candidate, best) and same_function(model, candidate):
                tell(f"{candidate.operations.total} operations: {candidate.title}")
                best = candidate
            near.append(candidate)
    if best is not plain:  # the passes, once more, may change the order of the best few
        few = effort.KEPT if best.operations.total <= effort.LARGE else 1
        near = sorted((passes.again(candidate) for candidate in sorted(near, key=aim.cost)[:few]), key=aim.cost)
        best = next((m for m in near if aim.less(m, best) and same_function(model, m)), best)
    if aim.cost(best)[0] > effort.FAR * aim.cost(model)[0]:  # else the passes could not make up for it
        rewritten = passes.once(model) if rewritten is None else rewritten
        best = rewritten if aim.better(rewritten, best) else best
    given = rewritten if rewritten is not best else None
    done = any(best is form for form in near)
    if best.operations.total <= effort.LARGE or not done:  # the passes take long
        best = passes.again(best)
    if wanted == HIGHEST and not aim.worth and best.operations.total <= effort.WALKED:
        starts = [best, *(other for other in near if other is not best)]
        starts += [] if given is None else [passes.again(given)]  # a walk may come further from a longer form
        found = passes.searched(starts, tell)
        best = found if same_function(model, found) else best
    if arranged:
        found = passes.arranged([best, *(other for other in near if other is not best)], plain, tell)
        best = found if same_function(model, found) else best
    return best


def _pruned(model: Model) -> Model:
    """Only the variables that the outputs are made of."""
    used = set(model.nodes)
    kept = {name: e for name, e in model.definitions.items() if e.node in used or name in model.output_names}
    return replace(model, definitions=kept, optimized=True)


def _usual_passes(polynomials: SumsOfProducts, offline_weight: float, in_time: Callable[[], bool]) -> None:
    collect_squares(polynomials)
    extract_common(polynomials, offline_weight, in_time)


class _Passes:
    """The algebraic passes, towards a goal and as long as there is time."""

    def __init__(self, goal: Goal, end: float = inf) -> None:
        self.goal, self.end = goal, end

    def in_time(self) -> bool:
        return perf_counter() < self.end

    def once(self, model: Model) -> Model:
        """The best of their results with what is off line counted in full and for less, or none of them."""
        best = _pruned(model)
        for weight in (1.0,) if best.operations.total > effort.LARGE else (1.0, 0.5):
            if self.in_time():
                passes = partial(_usual_passes, offline_weight=weight * self.goal.offline)
                best = self._chosen(_rewritten(model, passes, self.end), best)
        return best

    def again(self, model: Model) -> Model:
        """Once more on what they left, as long as they find anything."""
        anew = False
        passes = partial(_usual_passes, offline_weight=self.goal.offline)
        rounds = 0 if self.goal.worth else effort.ROUNDS if model.operations.total <= effort.LARGE else 1
        while self.in_time():
            further = self._chosen(_rewritten(model, passes, self.end), model)
            other = model
            for _ in range(rounds if further is model else 0):
                if self.in_time():
                    other = _rewritten(other, passes, self.end, anew=True)
                    further = self._chosen(other, further)
                    anew = anew or further is other
            if further is model:
                break
            model = further
        return _ordered(model) if anew else model

    def searched(self, models: list[Model], tell: Tell) -> Model:
        """The best form that is found from some models: brackets opened and factored anew, as long as that pays."""
        streams = effort.WALKS
        if models[0].operations.total > effort.LARGE:  # one walk, which takes long, and others as long as they gain
            models, streams = models[:1], 1
        ends = [self._search(model, tell, 0) for model in models]
        likely = min(range(len(models)), key=lambda place: self.goal.cost(ends[place]))
        # further walks begin at the best model, and at that from which the first walk came furthest
        for start in dict.fromkeys((0, likely)):
            ends += [self._search(models[start], tell, stream) for stream in range(1, streams)]
        found = min(ends, key=self.goal.cost)
        small = found.operations.total <= effort.SMALL
        more = effort.WALKS_OF_SMALL if small else effort.WALKS_OF_OTHERS
        last = effort.WALKS + (effort.WALKS_IN_BUDGET if self.end < inf else more)
        stream = effort.WALKS
        while stream < last and self.in_time():
            further = self._search(found, tell, stream)
            found, stream = (found, stream + 1) if further is found else (further, effort.WALKS)
        return found if found in models else _ordered(found)

    def arranged(self, models: list[Model], plain: Model, tell: Tell) -> Model:
        """For speed: forms of some models with few operations, each term where its factors are at hand, or the first.

        Of forms whose estimated times differ by less than the error of the estimate that with the fewest operations;
        as few less than the first has as that error are not worth another order.
        """
        forms = [models[0]]
        most = self.goal.count(models[0])[0] * (1 - self.goal.worth)
        search = partial(search_forms, offline_weight=self.goal.offline, tell=tell)
        for model in models[: effort.STARTS]:
            if self.in_time():
                form = _ordered(_rewritten(model, search, self.end, anew=True))
                form = _rewritten(form, lambda _, in_time: None, sums=InTurn)
                forms += [form] if self.goal.better(form, plain) and self.goal.count(form)[0] <= most else []
        least = min(map(self.goal.cost, forms))[0]
        near = [form for form in forms if self.goal.cost(form)[0] * (1 - self.goal.worth) <= least]
        return min(near, key=self.goal.count)

    def _search(self, model: Model, tell: Tell, stream: int) -> Model:
        """One walk over its forms; the same model where none is better, or where there is no time."""
        if not self.in_time():
            return model
        search = partial(search_forms, offline_weight=self.goal.offline, tell=tell, stream=stream)
        found = self.again(_rewritten(model, search, self.end, anew=True))
        return found if self.goal.better(found, model) else model

    def _chosen(self, one: Model, other: Model) -> Model:
        return one if self.goal.better(one, other) else other


def simplified(model: Model) -> Model:
    """The passes, once, towards few operations."""
    return _Passes(GOALS["operations"]).once(model)


def _rewritten(
    model: Model,
    passes: Callable[..., None],
    end: float = inf,
    anew: bool = False,
    sums: type[SumsOfProducts] = SumsOfProducts,
) -> Model:
    """After some passes, once, by the time `end`; with `anew` what they leave alone is written again, too."""
    start = perf_counter()
    polynomials = sums(model.roots)
    last = end - effort.WRITING * (perf_counter() - start)
    if perf_counter() > last:
        return model
    passes(polynomials, in_time=lambda: perf_counter() < last)
    graph = Graph()
    declare(graph, model.inputs)
    roots, images = polynomials.build(graph, anew)
    definitions: dict[str, Expr] = {}
    for name, value in model.definitions.items():
        image = images.get(value.node)
        if image is not None and value.args:
            definitions[name] = image.signed(value.negative)
    definitions.update(zip(model.output_names, roots, strict=True))
    return replace(model, definitions=definitions, graph=graph, optimized=True)


def _ordered(model: Model) -> Model:
    """The same with the variables in the order in which the recursion named them."""
    graph = Graph()
    declare(graph, model.inputs)
    image: dict[Expr, Expr] = {}
    arithmetic, used = Expressions(graph), set(model.nodes)
    definitions = {
        name: interpret([value], arithmetic, image)[0]
        for name, value in model.definitions.items()
        if value.node in used or name in model.output_names
    }
    return replace(model, definitions=definitions, graph=graph)


def _variants(model: Model, passes: _Passes, thorough: bool, arranged: bool, tell: Tell) -> Iterator[Model]:
    """The same outputs by other recursions, simplified; what the robot does not allow is left out.

    Those that are to be `arranged` are compared by what does not depend on the order of operations.
    """
    if not passes.in_time():
        return
    measure: Callable[[Model], float] = work if arranged else lambda m: passes.goal.cost(m)[0]
    goal = passes.goal

    def cost(variant: Model) -> float:
        if not goal.worth:
            return measure(variant)
        form = composed(variant)  # which must pay: RX90 26.4 ns a state for 25.3 with a hundredth less work
        return measure(form) * (1 if arranged or form is variant else 1 + goal.worth)

    once = (lambda m: passes.once(composed(m))) if goal.worth else passes.once
    trial = Trial(model.outputs, once, cost, thorough, tell, passes.in_time, given=cost(model))
    try:
        yield from variants_of(model, trial)
    except Error:  # a robot or an option that the other recursions do not cover
        return


def same_function(model: Model, other: Model, states: int = 3) -> bool:
    """Whether two models have the same inputs and the same outputs at random states, to rounding."""
    names = {name for group in model.inputs.values() for name in group}
    if model.output_names != other.output_names or not set(symbols(other.roots)) <= names:
        return False
    draw = random_numbers("comparison of models")
    for _ in range(states):
        values = {name: draw.uniform(0.3, 1.2) * draw.choice((-1, 1)) for name in sorted(names)}
        try:
            right, found = evaluate(model.roots, values), evaluate(other.roots, values)
        except ExpressionError:
            continue
        scale = max(map(abs, right), default=0.0)
        if any(abs(a - b) > _SAME * scale for a, b in zip(right, found, strict=True)):
            return False
    return True


# ------------------------------------------------ the form that goes to a compiler, unless another was asked for


def fastest(model: Model) -> Model:
    """The form that is estimated to run fastest, of those with the same outputs; its file says so."""
    said = 'the one that is estimated to run fastest, of those with the same outputs: optimize(model, 2, goal="speed")'
    return replace(optimize(model, 2, goal="speed", budget=effort.FILE), form=said)


def quickly(model: Model) -> Model:
    """For machine code that is wanted at once: the recursion that is less work, if the model knows of one.

    It is compared with the model's own at random states. A model that was optimized is the form that was asked for.
    """
    if model.optimized or len(model.nodes) > effort.COMPILED:
        return model
    try:
        other = quick_variant(model)
    except Error:  # a robot that the other recursion does not cover
        return model
    if other is None:
        return model
    less = all(a < b for a, b in zip(_work(other), _work(model), strict=True))
    return other if less and same_function(model, other, states=1) else model


def _work(model: Model) -> tuple[float, ...]:
    """Of one state, and of many that have the parameters in common."""
    whole = model.operations
    assert whole.online is not None
    return tuple(part.total + MACHINE.angle / 2 * part.functions for part in (whole, whole.online))
