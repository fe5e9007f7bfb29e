"""Cost functions: the number of operations, or the estimated time on a processor.

The count is SYMORO+'s, so that figures are comparable: functions are free, and the order does not matter. For the time,
a sine with its cosine costs as much as a hundred sums and products, a value that is not in a register must be loaded,
and a chain of dependent operations takes the sum of their latencies.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, Level
from robosym.errors import InputError
from robosym.model import Model

__all__ = ["GOALS", "MACHINE", "ONLINE", "TURNS", "Goal", "Machine", "goal_of", "work"]

_ONCE = 0.01  #: weight of an operation done once for all states, relative to one per state
TURNS = ("sin", "cos")
_QUICK = ("sign", "abs", "min", "max")


@dataclass(frozen=True, slots=True)
class Machine:
    """A superscalar processor; the unit of time is that of one sum or product.

    The figures hold for scalar C and for vectors within a third (measured on Zen 3 with gcc and LLVM): latencies are
    the same, and both use a library's sine.
    """

    angle: float = 100.0  #: sine and cosine of the same angle, or one of them
    function: float = 60.0  #: square root, arc tangent etc.
    quick: float = 2.0  #: sign
    division: float = 5.0
    fused: float = 0.5  #: a product that is added to something directly
    fetched: float = 1.0  #: an operand that is not in a register
    registers: int = 16
    waiting: float = 8.0  #: latency of an operation
    overlapped: float = 0.5  #: share of the longest chain that remains if there is enough independent work

    def time(self, nodes: Sequence[Expr], outputs: Iterable[Expr]) -> float:
        """Return the time of a sequence of operations in their order."""
        steps = [node for node in nodes if node.args]
        work = self.work(steps, {root.node for root in outputs}) + self.fetched * self._fetches(steps)
        chain = self._chain(steps)
        return max(work, chain) + self.overlapped * chain

    def _cost(self, node: Expr) -> float:
        if node.op in ("add", "mul"):
            return 1.0
        if node.op == "div":
            return self.division
        return self.angle if node.op in TURNS else self.quick if node.op in _QUICK else self.function

    def work(self, steps: list[Expr], outputs: set[Expr]) -> float:
        uses = Counter(argument.node for node in steps for argument in node.args)
        total, angles = 0.0, set()
        for node in steps:
            if node.op in TURNS:
                angles.add(node.args[0].node)
                continue
            total += self._cost(node)
            if node.op == "add" and any(
                a.op == "mul" and uses[a.node] == 1 and a.node not in outputs for a in node.args
            ):
                total -= self.fused
        return total + self.angle * len(angles)

    def _fetches(self, steps: list[Expr]) -> int:
        """Return the number of operands that are not among the values used last, as many as there are registers."""
        at_hand: OrderedDict[Expr, None] = OrderedDict()
        fetches = 0
        for node in steps:
            for argument in node.args:
                if argument.args:
                    fetches += argument.node not in at_hand
                    at_hand[argument.node] = None
                    at_hand.move_to_end(argument.node)
            at_hand[node] = None
            while len(at_hand) > self.registers:
                at_hand.popitem(last=False)
        return fetches

    def _chain(self, steps: list[Expr]) -> float:
        """Return the latency of the longest dependency chain; a function counts with its time."""
        ready: dict[Expr, float] = {}
        for node in steps:
            own = self.waiting if node.op in ("add", "mul") else max(self.waiting, self._cost(node))
            ready[node] = own + max(ready.get(argument.node, 0.0) for argument in node.args)
        return max(ready.values(), default=0.0)


MACHINE = Machine()


def work(model: Model) -> float:
    """Return the online cost that does not depend on the order: operations and functions."""
    online = [node for node in model.nodes if node.level is Level.ONLINE and node.args]
    return MACHINE.work(online, {root.node for root in model.roots})


@dataclass(frozen=True, slots=True)
class Goal:
    """The cost of a model, and the minimum gain for replacing it."""

    name: str
    cost: Callable[[Model], tuple[float, float]]  #: the second entry breaks ties
    worth: float  #: minimum relative gain
    count: Callable[[Model], tuple[float, float]]  #: number of operations
    offline: float = 1.0  #: weight of an offline operation in the passes

    def less(self, one: Model, other: Model) -> bool:
        """Return whether one model costs less than another."""
        return self.cost(one) < self.cost(other)

    def better(self, one: Model, other: Model) -> bool:
        """Return whether one model should replace another."""
        a, b = self.cost(one), self.cost(other)
        return a < b if not self.worth else a[0] < b[0] * (1 - self.worth) and a[1] <= b[1]


def _operations(model: Model) -> tuple[float, float]:
    operations = model.operations
    assert operations.online is not None
    return operations.total, operations.online.total


def _online_operations(model: Model) -> tuple[float, float]:
    operations = model.operations
    assert operations.online is not None
    return operations.online.total + _ONCE * operations.total, operations.total


def _time(model: Model) -> tuple[float, float]:
    """Return the time of one state including offline work, as in generated code, and of many states without it."""
    nodes = [node for node in model.nodes if node.level is not Level.NUMBER]
    online = [node for node in nodes if node.level is Level.ONLINE]
    return MACHINE.time(nodes, model.roots), MACHINE.time(online, model.roots)


def _online_time(model: Model) -> tuple[float, float]:
    whole, online = _time(model)
    return online, whole


#: A gain of 2 % is within the error of the estimate: keep the order of the recursion then.
GOALS = {
    goal.name: goal
    for goal in (Goal("operations", _operations, 0.0, _operations), Goal("speed", _time, 0.02, _operations))
}
#: For models whose parameters are prepared offline: work done once hardly counts.
ONLINE = Goal("operations", _online_operations, 0.0, _online_operations, _ONCE)
PREPARED = {goal.name: goal for goal in (ONLINE, Goal("speed", _online_time, 0.02, _online_operations, _ONCE))}


def goal_of(name: str, prepared: bool = False) -> Goal:
    """Return a goal by name; `prepared` if the parameters of the model are combined offline before use."""
    if name not in GOALS:
        raise InputError(f"goal: expected {' or '.join(map(repr, GOALS))}, found {name!r}")
    return PREPARED[name] if prepared else GOALS[name]
