"""What is to be small: the number of operations, or the time that a processor takes for them.

The count is SYMORO+'s, so that figures compare: functions are free, and the order of operations does not matter. Time
is another thing: a sine with its cosine takes as long as a hundred sums and products, what is not at hand in a register
must be fetched, and a chain of operations that wait for each other takes as long as its parts, however few they are.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from robosym.algebra import Expr, Level
from robosym.errors import InputError
from robosym.model import Model

__all__ = ["GOALS", "MACHINE", "ONLINE", "TURNS", "Goal", "Machine", "goal_of", "work"]

_ONCE = 0.01  #: an operation that is done once for all states, in parts of one that each state takes
TURNS = ("sin", "cos")
_QUICK = ("sign", "abs", "min", "max")


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor that does several operations at once; the unit of time is what it takes for one sum or product.

    The figures are those of scalar C and of vectors alike to a third (measured on Zen 3 with gcc and LLVM): what takes
    four cycles does so in both, and both have a library's sine.
    """

    angle: float = 100.0  #: a sine and a cosine of the same angle, or one of them
    function: float = 60.0  #: a root, an arc tangent, ...
    quick: float = 2.0  #: a sign
    division: float = 5.0
    fused: float = 0.5  #: a product that is added to something at once
    fetched: float = 1.0  #: an operand that left the registers
    registers: int = 16
    waiting: float = 8.0  #: from the start of an operation to its result: others are done meanwhile
    overlapped: float = 0.5  #: share of the longest chain that remains where there is enough other work

    def time(self, nodes: Sequence[Expr], outputs: Iterable[Expr]) -> float:
        """What a sequence of operations takes, in their order."""
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
        """Operands that are not among the values used last, as many as there are registers."""
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
        """The longest chain of operations that wait for each other; one function waits no longer than it takes."""
        ready: dict[Expr, float] = {}
        for node in steps:
            own = self.waiting if node.op in ("add", "mul") else max(self.waiting, self._cost(node))
            ready[node] = own + max(ready.get(argument.node, 0.0) for argument in node.args)
        return max(ready.values(), default=0.0)


MACHINE = Machine()


def work(model: Model) -> float:
    """What takes time on line in any order of operations: they, and functions."""
    online = [node for node in model.nodes if node.level is Level.ONLINE and node.args]
    return MACHINE.work(online, {root.node for root in model.roots})


@dataclass(frozen=True, slots=True)
class Goal:
    """What a model costs, and how much less another must cost to take its place."""

    name: str
    cost: Callable[[Model], tuple[float, float]]  #: the second part decides between equals
    worth: float  #: the share of the cost that must be gained
    count: Callable[[Model], tuple[float, float]]  #: operations
    offline: float = 1.0  #: what an operation off line counts for the passes, in parts of one on line

    def less(self, one: Model, other: Model) -> bool:
        """Whether one model costs less than another."""
        return self.cost(one) < self.cost(other)

    def better(self, one: Model, other: Model) -> bool:
        """Whether one model is to take the place of another that is there already."""
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
    """Of one state, what is off line done for each as emitted code does; and of many, where it is done once."""
    nodes = [node for node in model.nodes if node.level is not Level.NUMBER]
    online = [node for node in nodes if node.level is Level.ONLINE]
    return MACHINE.time(nodes, model.roots), MACHINE.time(online, model.roots)


def _time_on_line(model: Model) -> tuple[float, float]:
    whole, online = _time(model)
    return online, whole


#: A gain of two hundredths is within the error of the estimate: the order of a recursion as it is written is safer.
GOALS = {
    goal.name: goal
    for goal in (Goal("operations", _operations, 0.0, _operations), Goal("speed", _time, 0.02, _operations))
}
#: Of a model whose parameters are prepared off line: what is done once hardly counts.
ONLINE = Goal("operations", _online_operations, 0.0, _online_operations, _ONCE)
PREPARED = {goal.name: goal for goal in (ONLINE, Goal("speed", _time_on_line, 0.02, _online_operations, _ONCE))}


def goal_of(name: str, prepared: bool = False) -> Goal:
    """`prepared`: the parameters of the model are combined off line, before it is used."""
    if name not in GOALS:
        raise InputError(f"goal: expected {' or '.join(map(repr, GOALS))}, found {name!r}")
    return PREPARED[name] if prepared else GOALS[name]
