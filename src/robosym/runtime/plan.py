"""Order of evaluation of a compiled model: groups that are set once, and values passed between blocks of code."""

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

#: Nodes per function of straight-line code; LLVM's compile time grows faster than linearly with the block length.
BLOCK = 1500
#: Number of nodes above which a model is evaluated in windows, since register allocation would dominate the compile
#: time. Shorter models keep values in registers (derivatives of the RX90: 107 ns per state, 127 ns with windows).
LONG = 10_000
#: Nodes per window; windows pass values through memory.
WINDOW = 60
#: Windows per function.
WINDOWS = 12
#: Nodes per offline function. All values are stored in one array, and LLVM checks every load against every store.
OFFLINE_BLOCK = 250
#: Maximum number of angles whose sines and cosines are computed inline; models with more call a function.
ANGLES = 32
#: Maximum number of offline values stored in every lane of a vector; more would evict the arrays from the cache.
SPREAD = 256


@dataclass(frozen=True)
class Group:
    """An input or output group: an array of `shape` per row of the batch."""

    name: str
    shape: tuple[int, ...]
    first: int  #: first column among all online inputs, offline inputs or outputs
    online: bool = True

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1] if len(self.shape) == 2 else self.shape[0]


@dataclass(frozen=True)
class Operands:
    """The arrays of a NumPy inner loop, inputs first: a pointer and a row step per array, then all inner strides."""

    inputs: Sequence[Group]
    outputs: Sequence[Group]

    @property
    def groups(self) -> tuple[Group, ...]:
        return (*self.inputs, *self.outputs)

    @property
    def strides(self) -> list[range]:
        """Indices of the inner strides of each array among all steps."""
        ends = list(accumulate((len(group.shape) for group in self.groups), initial=len(self.groups)))
        return [range(*ends[k : k + 2]) for k in range(len(self.groups))]

    @property
    def steps(self) -> int:
        """Total number of steps and strides."""
        return len(self.groups) + sum(len(group.shape) for group in self.groups)


@dataclass
class Window:
    """A sequence of nodes and the values it exchanges with other windows through memory."""

    nodes: list[Expr]
    loads: dict[Expr, int] = field(default_factory=dict)  #: source index
    stores: dict[Expr, int] = field(default_factory=dict)  #: target index


@dataclass
class Block:
    """Windows that form one function."""

    windows: list[Window]
    angles: list[Expr] = field(default_factory=list)  #: angles whose sines and cosines are computed first

    @property
    def nodes(self) -> list[Expr]:
        return [node for window in self.windows for node in window.nodes]

    def early_angles(self) -> list[Expr]:
        """Return the angles that are inputs or sums of inputs."""
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
        """Plan a model; `windows` allows windows for long models, `given` are the groups of a call if they differ."""
        self.model = model
        self.given = given or model.inputs
        nodes = model.nodes
        anything_online = any(n.op == "symbol" and n.level is Level.ONLINE for n in nodes)
        self.inputs: list[Group] = []
        self.column: dict[str, int] = {}  #: column of a symbol among the online or the offline inputs
        width = {True: 0, False: 0}
        for name, symbols in self.given.items():
            # without any online input treat all inputs as online, so that batches are vectorized
            now = is_online(name) or not anything_online
            self.inputs.append(Group(sys.intern(name), (len(symbols),), width[now], now))
            self.column |= {symbol: width[now] + k for k, symbol in enumerate(symbols)}
            width[now] += len(symbols)
        self.outputs: list[Group] = []
        total = 0
        for name, layout in model.outputs.items():
            if 0 in shape(layout):
                raise InputError(f"output group {name!r} is empty: nothing to compile")
            self.outputs.append(Group(name, shape(layout), total))
            total += self.outputs[-1].size
        self.online_width, self.output_width = width[True], total
        #: loops by name: `full` takes all groups, `bound` only the online ones
        online = [group for group in self.inputs if group.online]
        self.loops = {"full": Operands(self.inputs, self.outputs), "bound": Operands(online, self.outputs)}

        for node in nodes:
            if node.op == "symbol" and node.value not in self.column:
                known = ", ".join(self.given)
                raise InputError(f"symbol {node.value!r} of the model is in none of its input groups: {known}")
        constants = [node for node in nodes if node.level is Level.NUMBER]
        self.constants = dict(zip(constants, evaluate(constants, {}), strict=True))
        late = self._online(nodes)
        offline = [n for n in nodes if n not in self.constants and n not in late]
        computed = [n for n in offline if n.args]
        #: index of each offline value: first the columns of the groups, then values computed from them
        self.offline_place = {n: self.column[n.value] for n in offline if not n.args}
        self.offline_place |= {n: width[False] + k for k, n in enumerate(computed)}
        self.offline_width = width[False] + len(computed)
        self.offline_blocks = [computed[k : k + OFFLINE_BLOCK] for k in range(0, len(computed), OFFLINE_BLOCK)]
        #: whether offline values are stored in every lane of a vector
        self.spread = self.offline_width <= SPREAD
        moving = [n for n in nodes if n in late and n.args]
        each, most = (WINDOWS, WINDOW) if windows and len(moving) > LONG else (1, BLOCK)
        parts, self.crossing_width = _divide(moving, most)
        self.online_blocks = [Block(parts[k : k + each]) for k in range(0, len(parts), each)]
        angles = [part.early_angles() for part in self.online_blocks]
        if sum(map(len, angles)) <= ANGLES:
            for part, found in zip(self.online_blocks, angles, strict=True):
                part.angles = found
        #: number of vectors for their sines and cosines
        self.turned_width = 2 * max(len(part.angles) for part in self.online_blocks)

    def zeros(self, group: Group) -> frozenset[int]:
        """Return the indices of outputs of a group that are zero for all inputs."""
        roots = self.model.roots[group.first : group.first + group.size]
        return frozenset(k for k, root in enumerate(roots) if self.constants.get(root.node) == 0)

    def _online(self, nodes: Iterable[Expr]) -> set[Expr]:
        """Return the nodes that depend on an online group."""
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
    """Divide the nodes into windows (at least one) and allocate memory slots for values used by other windows."""
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
