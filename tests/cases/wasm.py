"""WebAssembly modules run by wasmtime, and their JavaScript wrappers by Node."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cases.toolchains import run, tool
from robosym.model import Model
from robosym.runtime.plan import Plan

Array = np.ndarray[Any, np.dtype[Any]]


class WasmModule:
    """A module in wasmtime; arrays are written to the free memory, as its documentation says."""

    def __init__(self, path: Path) -> None:
        wasmtime = pytest.importorskip("wasmtime")
        self.store = wasmtime.Store()
        module = wasmtime.Module(self.store.engine, path.read_bytes())
        self.imports = list(module.imports)
        self.exports = wasmtime.Instance(self.store, module, []).exports(self.store)
        self.heap = int(self.exports["heap"].value(self.store))

    def __call__(self, name: str, model: Model, groups: Mapping[str, Any], count: int = 1) -> dict[str, Array]:
        """Evaluate `count` states; groups that all states share have one row."""
        plan, memory = Plan(model), self.exports["memory"]
        given = [np.asarray(groups[group.name], float).reshape(-1, group.size) for group in plan.inputs]
        rows = [
            np.broadcast_to(values, (count if group.online else 1, group.size))
            for values, group in zip(given, plan.inputs, strict=True)
        ]
        sizes = [*(row.size for row in rows), *(count * group.size for group in plan.outputs)]
        places = self.heap + 8 * np.cumsum([0, *sizes])
        missing = int(places[-1]) - memory.data_len(self.store)
        if missing > 0:
            memory.grow(self.store, -(-missing // 65536))
        for row, place in zip(rows, places, strict=False):
            memory.write(self.store, np.ascontiguousarray(row).tobytes(), int(place))
        self.exports[name](self.store, count, *map(int, places[:-1]))
        found = {}
        for group, place, size in zip(plan.outputs, places[len(rows) :], sizes[len(rows) :], strict=False):
            data = memory.read(self.store, int(place), int(place) + 8 * size)
            found[group.name] = np.frombuffer(bytes(data)).reshape(count, *group.shape)
        return found


def in_node(folder: Path, wrapper: str, script: str, given: object = None) -> Any:
    """Run a script with `robot` (the loaded functions) and `given`; return what it prints as JSON."""
    (folder / "given.json").write_text(json.dumps(given))
    text = f'import {{ load }} from "./{wrapper}.mjs";\nimport {{ readFileSync }} from "node:fs";\n'
    text += 'const given = JSON.parse(readFileSync(new URL("given.json", import.meta.url)));\n'
    text += "const number = (x) => Number.isFinite(x) ? x : String(x);\n"
    text += "const plain = (key, value) => ArrayBuffer.isView(value) ? Array.from(value, number) : value;\n"
    text += f"const robot = await load();\n{script}\nconsole.log(JSON.stringify(result, plain));\n"
    (folder / "script.mjs").write_text(text)
    return json.loads(run(tool("node"), "script.mjs", cwd=folder))


def units_apart(found: Array, right: Array) -> float:
    """Return the greatest difference in units in the last place of the largest entry of each state."""
    found, right = np.asarray(found, float), np.asarray(right, float)
    assert np.array_equal(np.isnan(found), np.isnan(right))
    rows = (found.reshape(len(right), -1), right.reshape(len(right), -1))
    size = np.nanmax(np.abs(rows[1]), axis=1, initial=0.0)
    return float(np.nanmax(np.abs(rows[0] - rows[1]) / np.spacing(size)[:, None], initial=0.0))
