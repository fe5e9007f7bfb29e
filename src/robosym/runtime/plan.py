"""What a compiled model computes when: which groups are set once, which values cross between the parts of the code."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from robosym.algebra import Expr, Level
from robosym.algebra.interpret import evaluate
from robosym.errors import InputError
from robosym.model import Model, is_online, shape

__all__ = ["Block", "Group", "Operands", "Plan", "Window"]

#: Nodes in one function of the straight-line code. LLVM's time grows faster than the length of a block.
BLOCK = 1500
#: Nodes from which on a model is computed in windows: LLVM's search for registers would take most of its time. Shorter
#: models keep what is in registers (derivatives of the RX90 take 107 ns a state so, in windows 127).
LONG = 10_000
#: Nodes of a window, from each of which values go to the next through memory.
WINDOW = 60
#: Windows in one function.
WINDOWS = 12
#: Nodes in one function off line, where every value is stored in one array: LLVM asks of each load which store it waits
#: for.
OFFLINE_BLOCK = 250
#: Angles in a model that are turned by instructions where they stand; more of them go through a function.
ANGLES = 32
#: Values off line that are kept in every lane of a vector: more would drive the arrays from the cache.
SPREAD = 256


@dataclass(frozen=True)
class Group:
    """A group of inputs or of outputs as the code sees it: an array of `shape` for each row of the batch."""

    name: str
    shape: tuple[int, ...]
    first: int  #: its place in the array of all columns on line or off line, or of all outputs
    online: bool = True

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1] if len(self.shape) == 2 else self.shape[0]


@dataclass(frozen=True)
class Operands:
    """The arrays of a loop over rows as NumPy hands them over, those that are read first: a pointer and a step from row
    to row for each of them, and behind all steps the strides within each."""

    inputs: Sequence[Group]
    outputs: Sequence[Group]

    @property
    def groups(self) -> tuple[Group, ...]:
        return (*self.inputs, *self.outputs)

    @property
    def strides(self) -> list[range]:
        """Of each array the places of its strides among all steps."""
        ends = list(accumulate((len(group.shape) for group in self.groups), initial=len(self.groups)))
        return [range(*ends[k : k + 2]) for k in range(len(self.groups))]

    @property
    def steps(self) -> int:
        """How many steps and strides there are."""
        return len(self.groups) + sum(len(group.shape) for group in self.groups)


@dataclass
class Window:
    """A run of nodes, and the values it exchanges with the others through memory."""

    nodes: list[Expr]
    loads: dict[Expr, int] = field(default_factory=dict)  #: from which place
    stores: dict[Expr, int] = field(default_factory=dict)  #: to which place


@dataclass
class Block:
    """Windows that become one function."""

    windows: list[Window]
    angles: list[Expr] = field(default_factory=list)  #: whose sines and cosines come before all else

    @property
    def nodes(self) -> list[Expr]:
        return [node for window in self.windows for node in window.nodes]

    def early_angles(self) -> list[Expr]:
        """The angles that are inputs or sums of inputs."""
        nodes = self.nodes
        sums = {node for node in nodes if node.op == "add"}
        angles = dict.fromkeys(node.args[0] for node in nodes if node.op in ("sin", "cos"))

        def early(reference: Expr) -> bool:
            node = reference.node
            return node.op == "symbol" or (node in sums and all(map(early, node.args)))

        return [angle for angle in angles if early(angle)]


class Plan:
    """The order of evaluation of a model."""

    def __init__(self, model: Model, windows: bool = True, given: Mapping[str, tuple[str, ...]] | None = None) -> None:
        """`windows`: whether a long model has them; `given`: the groups of a call, if not the model's."""
        self.model = model
        self.given = given or model.inputs
        nodes = model.nodes
        anything_online = any(n.op == "symbol" and n.level is Level.ONLINE for n in nodes)
        self.inputs: list[Group] = []
        self.column: dict[str, int] = {}  #: of a symbol among those on line, or among those off line
        width = {True: 0, False: 0}
        for name, symbols in self.given.items():
            # where nothing at all is on line, everything is: batches are then computed as vectors
            now = is_online(name) or not anything_online
            self.inputs.append(Group(sys.intern(name), (len(symbols),), width[now], now))
            self.column |= {symbol: width[now] + k for k, symbol in enumerate(symbols)}
            width[now] += len(symbols)
        self.outputs: list[Group] = []
        total = 0
        for name, layout in model.outputs.items():
            if 0 in shape(layout):
                raise InputError(f"the output group {name} is empty: there is nothing to compile")
            self.outputs.append(Group(name, shape(layout), total))
            total += self.outputs[-1].size
        self.online_width, self.output_width = width[True], total
        #: the loops: `full` takes every group, `bound` those on line alone
        online = [group for group in self.inputs if group.online]
        self.loops = {"full": Operands(self.inputs, self.outputs), "bound": Operands(online, self.outputs)}

        for node in nodes:
            if node.op == "symbol" and node.value not in self.column:
                raise InputError(f"the symbol {node.value} is in none of the groups {', '.join(self.given)}")
        constants = [node for node in nodes if node.level is Level.NUMBER]
        self.constants = dict(zip(constants, evaluate(constants, {}), strict=True))
        late = self._online(nodes)
        offline = [n for n in nodes if n not in self.constants and n not in late]
        computed = [n for n in offline if n.args]
        #: places of the values off line: the columns of the groups, then what is computed from them
        self.offline_place = {n: self.column[n.value] for n in offline if not n.args}
        self.offline_place |= {n: width[False] + k for k, n in enumerate(computed)}
        self.offline_width = width[False] + len(computed)
        self.offline_blocks = [computed[k : k + OFFLINE_BLOCK] for k in range(0, len(computed), OFFLINE_BLOCK)]
        #: whether the code on line finds the values off line in every lane of a vector
        self.spread = self.offline_width <= SPREAD
        moving = [n for n in nodes if n in late and n.args]
        each, most = (WINDOWS, WINDOW) if windows and len(moving) > LONG else (1, BLOCK)
        parts, self.crossing_width = _divide(moving, most)
        self.online_blocks = [Block(parts[k : k + each]) for k in range(0, len(parts), each)]
        angles = [part.early_angles() for part in self.online_blocks]
        if sum(map(len, angles)) <= ANGLES:
            for part, found in zip(self.online_blocks, angles, strict=True):
                part.angles = found
        #: vectors that their sines and cosines need
        self.turned_width = 2 * max(len(part.angles) for part in self.online_blocks)

    def zeros(self, group: Group) -> frozenset[int]:
        """The places of a group of outputs that are zero whatever the inputs."""
        roots = self.model.roots[group.first : group.first + group.size]
        return frozenset(k for k, root in enumerate(roots) if self.constants.get(root.node) == 0)

    def _online(self, nodes: Iterable[Expr]) -> set[Expr]:
        """The nodes that depend on a group on line."""
        symbols = {s for group in self.inputs if group.online for s in self.given[group.name]}
        found: set[Expr] = set()
        for node in nodes:
            if node.args:
                for argument in node.args:
                    if argument.node in found:
                        found.add(node)
                        break
            elif node.value in symbols and node.op == "symbol":
                found.add(node)
        return found


def _divide(nodes: list[Expr], most: int) -> tuple[list[Window], int]:
    """Computed nodes in windows, at least one, and how many places the values that cross between them need."""
    count = max(1, -(-len(nodes) // most))
    windows = [Window(nodes[k * len(nodes) // count : (k + 1) * len(nodes) // count]) for k in range(count)]
    home = {node: k for k, window in enumerate(windows) for node in window.nodes}
    last_use: dict[Expr, int] = {}
    readers: list[dict[Expr, None]] = []
    for k, window in enumerate(windows):
        foreign = {a.node: None for node in window.nodes for a in node.args if home.get(a.node, k) != k}
        readers.append(foreign)
        last_use |= dict.fromkeys(foreign, k)
    place: dict[Expr, int] = {}
    free: list[int] = []
    width = 0
    for k, window in enumerate(windows):
        window.loads = {node: place[node] for node in readers[k]}
        for node in window.nodes:
            if node in last_use:
                if not free:
                    free.append(width)
                    width += 1
                window.stores[node] = place[node] = free.pop()
        free += [place[node] for node in readers[k] if last_use[node] == k]
    return windows, width
