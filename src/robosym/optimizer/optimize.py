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
from robosym.optimizer.certificates import certified, exact_model
from robosym.optimizer.goals import GOALS, MACHINE, Goal, goal_of, work
from robosym.optimizer.kernels import collect_squares, extract_common
from robosym.optimizer.local_search import search_forms
from robosym.optimizer.recursions import Report, Trial, quick_variant, variants_of
from robosym.optimizer.scheduling import ScheduledSums, composed
from robosym.optimizer.sums_of_products import SumsOfProducts

__all__ = ["COMPILED", "HIGHEST", "ProgressText", "fastest", "optimize", "quickly", "same_function", "simplified"]

HIGHEST = 3
COMPILED = ("c", "h", "cpp")  #: languages whose files use the form estimated to run fastest
_SAME = 1e-7  #: outputs are equal if they differ by less relative to the largest one; random states may be singular
Progress = Callable[[str], None]


class ProgressText(str):
    """A progress message with the completed share of the work, if known."""

    share: float | None

    def __new__(cls, text: str, share: float | None = None) -> ProgressText:
        message = super().__new__(cls, text)
        message.share = share
        return message


def optimize(
    model: Model,
    level: int | str = 2,
    progress: Progress | None = None,
    goal: str = "operations",
    budget: float | None = None,
    certificate: bool | str = False,
) -> Model:
    """Return a model with the same outputs and fewer operations, or a faster one.

    Parameters
    ----------
    model : Model
        The model to optimize.
    level : {0, 1, 2, 3, "max"}
        0: remove variables that the selected outputs do not need. 1: extract common subexpressions, factors and squares
        until nothing is saved. 2: also use another recursion for dynamic models if it is better, with mass regrouped
        along the axes and, for trees, second moments instead of moments of inertia. 3 or "max": also search, joint by
        joint, for the axes in which each link is treated, and over forms of the result by expanding and factoring; this
        may take seconds.
    progress : callable, optional
        Called with messages (str) that have the completed share of the work as attribute `share`, or None.
    goal : {"operations", "speed"}
        "operations" minimizes SYMORO+'s count, in which functions are free; for a model with base parameters, which
        are combined offline, the count of online operations. "speed" minimizes the estimated time on a processor,
        including sines and cosines, registers and dependency chains; a model is only changed if the estimate falls.
    budget : float, optional
        Time limit in seconds; the result is the best found until then. With a long limit, level 3 continues to search.
    certificate : bool or "symbolic"
        Whether to prove that the outputs are equal, at a random point with an error probability below 2^-128, or by
        expanding the differences to zero ("symbolic", which may take long). The attribute `certificate` of the result
        then holds the proof, which `robosym/optimizer/checker.py` or `symbolic.py` checks on its own. Decimals of the
        description are taken as exact rational numbers, and constants are rounded once, when they are printed or
        compiled.

    Returns
    -------
    Model
        Its outputs differ from those of `model` by rounding errors only.

    Raises
    ------
    InputError
        An option is invalid, or there is no proof, as for constants of more than 512 bits, or for differences of too
        many terms.

    Notes
    -----
    Another recursion replaces the intermediate variables. It is used only if the selected outputs are outputs of the
    whole model and its values agree with the model's at random states.

    Examples
    --------
    >>> import robosym as rs
    >>> model = rs.inverse_dynamics(rs.load("rx90"))
    >>> rs.optimize(model).operations.total < model.operations.total
    True
    """
    wanted = HIGHEST if level == "max" else level
    if not isinstance(wanted, int) or isinstance(wanted, bool) or not 0 <= wanted <= HIGHEST:
        raise InputError(f'level: expected 0, 1, 2, 3 or "max", found {level!r}')
    if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int | float) or not budget >= 0):
        raise InputError(f"budget: expected a number of seconds of at least 0, found {budget!r}")
    if certificate not in (True, False, "symbolic"):
        raise InputError(f'certificate: expected True, False or "symbolic", found {certificate!r}')
    if certificate:
        plain = exact_model(model)
        return certified(plain, optimize(plain, level, progress, goal, budget), certificate == "symbolic")
    aim = goal_of(goal, isinstance(model.made, Origin) and model.made.prepared)
    if wanted == 0:
        return _pruned(model)

    def report(text: str, share: float | None = None) -> None:
        if progress is not None:
            progress(ProgressText(text, share))

    best = _best(model, wanted, aim, budget, report)
    report(f"{best.operations.total} operations", 1.0)
    if type(model) is not Model:  # keep attributes of subclasses, such as the columns of a regressor
        best = replace(model, title=best.title, definitions=best.definitions, graph=best.graph)
    best = replace(best, name=model.name, kind=model.kind, about=model.about, made=model.made, optimized=True)
    return replace(best, known=model.known)  # in the order of the robot; another recursion may have others


def _best(model: Model, wanted: int, aim: Goal, budget: float | None, report: Report) -> Model:
    """Return the best form, and possibly recursion, that a level finds in time."""
    start = perf_counter()
    passes = _Passes(aim, inf if budget is None else start + budget)
    best = plain = _pruned(model)
    arranged = wanted == HIGHEST and aim.worth > 0 and plain.operations.total <= effort.ARRANGED
    arranged = arranged and ScheduledSums(model.roots).possible
    near: list[Model] = []
    report(f"{best.operations.total} operations", 0.0)
    looked_at = perf_counter() - start
    rewritten = None if budget is None else passes.once(model)  # first, as a result if the time runs out
    if wanted >= 2 and model.made is not None and perf_counter() + effort.GENERATING * looked_at < passes.end:
        for candidate in _variants(model, passes, wanted == HIGHEST, arranged, report):
            before = aim.better if best is plain else aim.less  # among recursions any gain counts
            if before(candidate, best) and same_function(model, candidate):
                report(f"{candidate.operations.total} operations: {candidate.title}")
                best = candidate
            near.append(candidate)
    if best is not plain:  # further passes may change the order of the best few
        few = effort.KEPT if best.operations.total <= effort.LARGE else 1
        near = sorted((passes.again(candidate) for candidate in sorted(near, key=aim.cost)[:few]), key=aim.cost)
        best = next((m for m in near if aim.less(m, best) and same_function(model, m)), best)
    if aim.cost(best)[0] > effort.FAR * aim.cost(model)[0]:  # otherwise the passes could not compensate
        rewritten = passes.once(model) if rewritten is None else rewritten
        best = rewritten if aim.better(rewritten, best) else best
    given = rewritten if rewritten is not best else None
    done = any(best is form for form in near)
    if best.operations.total <= effort.LARGE or not done:  # the passes are slow for large models
        best = passes.again(best)
    if wanted == HIGHEST and not aim.worth and best.operations.total <= effort.WALKED:
        starts = [best, *(other for other in near if other is not best)]
        starts += [] if given is None else [passes.again(given)]  # a walk may get further from a longer form
        found = passes.searched(starts, report)
        best = found if same_function(model, found) else best
    if arranged:
        found = passes.arranged([best, *(other for other in near if other is not best)], plain, report)
        best = found if same_function(model, found) else best
    return best


def _pruned(model: Model) -> Model:
    """Keep only the variables that the outputs depend on."""
    used = set(model.nodes)
    kept = {name: e for name, e in model.definitions.items() if e.node in used or name in model.output_names}
    return replace(model, definitions=kept, optimized=True)


def _usual_passes(polynomials: SumsOfProducts, offline_weight: float, in_time: Callable[[], bool]) -> None:
    collect_squares(polynomials)
    extract_common(polynomials, offline_weight, in_time)


class _Passes:
    """The algebraic passes for a goal, within a time limit."""

    def __init__(self, goal: Goal, end: float = inf) -> None:
        self.goal, self.end = goal, end

    def in_time(self) -> bool:
        return perf_counter() < self.end

    def once(self, model: Model) -> Model:
        """Return the best result with full and reduced weight of offline operations, or the model itself."""
        best = _pruned(model)
        for weight in (1.0,) if best.operations.total > effort.LARGE else (1.0, 0.5):
            if self.in_time():
                passes = partial(_usual_passes, offline_weight=weight * self.goal.offline)
                best = self._chosen(_rewritten(model, passes, self.end), best)
        return best

    def again(self, model: Model) -> Model:
        """Repeat the passes until they find nothing."""
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

    def searched(self, models: list[Model], report: Report) -> Model:
        """Return the best form found from some models by expanding and factoring repeatedly."""
        streams = effort.WALKS
        if models[0].operations.total > effort.LARGE:  # one long walk, and more while they gain
            models, streams = models[:1], 1
        ends = [self._search(model, report, 0) for model in models]
        likely = min(range(len(models)), key=lambda place: self.goal.cost(ends[place]))
        # further walks start at the best model, and where the first walk got furthest
        for start in dict.fromkeys((0, likely)):
            ends += [self._search(models[start], report, stream) for stream in range(1, streams)]
        found = min(ends, key=self.goal.cost)
        small = found.operations.total <= effort.SMALL
        more = effort.WALKS_OF_SMALL if small else effort.WALKS_OF_OTHERS
        last = effort.WALKS + (effort.WALKS_IN_BUDGET if self.end < inf else more)
        stream = effort.WALKS
        while stream < last and self.in_time():
            further = self._search(found, report, stream)
            found, stream = (found, stream + 1) if further is found else (further, effort.WALKS)
        return found if found in models else _ordered(found)

    def arranged(self, models: list[Model], plain: Model, report: Report) -> Model:
        """Return a form for speed, with each term placed where its factors are available, or the first model.

        Among forms whose estimated times differ by less than the error of the estimate, choose the one with the fewest
        operations; a smaller gain is not worth another order of operations.
        """
        forms = [models[0]]
        most = self.goal.count(models[0])[0] * (1 - self.goal.worth)
        search = partial(search_forms, offline_weight=self.goal.offline, report=report)
        for model in models[: effort.STARTS]:
            if self.in_time():
                form = _ordered(_rewritten(model, search, self.end, anew=True))
                form = _rewritten(form, lambda _, in_time: None, sums=ScheduledSums)
                forms += [form] if self.goal.better(form, plain) and self.goal.count(form)[0] <= most else []
        least = min(map(self.goal.cost, forms))[0]
        near = [form for form in forms if self.goal.cost(form)[0] * (1 - self.goal.worth) <= least]
        return min(near, key=self.goal.count)

    def _search(self, model: Model, report: Report, stream: int) -> Model:
        """Walk over the forms of a model once; return the model itself if none is better or the time is over."""
        if not self.in_time():
            return model
        search = partial(search_forms, offline_weight=self.goal.offline, report=report, stream=stream)
        found = self.again(_rewritten(model, search, self.end, anew=True))
        return found if self.goal.better(found, model) else model

    def _chosen(self, one: Model, other: Model) -> Model:
        return one if self.goal.better(one, other) else other


def simplified(model: Model) -> Model:
    """Run the passes once, for few operations."""
    return _Passes(GOALS["operations"]).once(model)


def _rewritten(
    model: Model,
    passes: Callable[..., None],
    end: float = inf,
    anew: bool = False,
    sums: type[SumsOfProducts] = SumsOfProducts,
) -> Model:
    """Apply some passes once, until the time `end`; with `anew`, also rewrite the parts that they do not change."""
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
    """Sort the variables in the order in which the recursion named them."""
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


def _variants(model: Model, passes: _Passes, thorough: bool, arranged: bool, report: Report) -> Iterator[Model]:
    """Yield the same outputs by other recursions, simplified; recursions that do not fit the robot are skipped.

    Variants to be `arranged` are compared by a cost that does not depend on the order of operations.
    """
    if not passes.in_time():
        return
    measure: Callable[[Model], float] = work if arranged else lambda m: passes.goal.cost(m)[0]
    goal = passes.goal

    def cost(variant: Model) -> float:
        if not goal.worth:
            return measure(variant)
        form = composed(variant)  # must pay: RX90 26.4 ns instead of 25.3 ns per state with 1 % less work
        return measure(form) * (1 if arranged or form is variant else 1 + goal.worth)

    once = (lambda m: passes.once(composed(m))) if goal.worth else passes.once
    trial = Trial(model.outputs, once, cost, thorough, report, passes.in_time, given=cost(model))
    try:
        yield from variants_of(model, trial)
    except Error:  # a robot or option that other recursions do not support
        return


def same_function(model: Model, other: Model, states: int = 3) -> bool:
    """Return whether two models have the same inputs and, up to rounding, the same outputs at random states."""
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


# ------------------------------------------------------------------ the default form for compilers


def fastest(model: Model) -> Model:
    """Return the form estimated to run fastest; its file header says so."""
    form = 'estimated to run fastest among those with the same outputs: optimize(model, 2, goal="speed")'
    return replace(optimize(model, 2, goal="speed", budget=effort.FILE), form=form)


def quickly(model: Model) -> Model:
    """Return a form for machine code that is available quickly: a cheaper recursion, if the model has one.

    It is compared with the model at random states. An optimized model is returned unchanged.
    """
    if model.optimized or len(model.nodes) > effort.COMPILED:
        return model
    try:
        other = quick_variant(model)
    except Error:  # a robot that the other recursion does not support
        return model
    if other is None:
        return model
    less = all(a < b for a, b in zip(_work(other), _work(model), strict=True))
    return other if less and same_function(model, other, states=1) else model


def _work(model: Model) -> tuple[float, ...]:
    """Return the cost of one state, and of many states with the same parameters."""
    whole = model.operations
    assert whole.online is not None
    return tuple(part.total + MACHINE.angle / 2 * part.functions for part in (whole, whole.online))
