"""WebAssembly modules of models: a folder for npm with the module, a JavaScript wrapper and its types."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files

from robosym.algebra.tolerances import SOLVED
from robosym.export.processors.compilers import Processor, compiled
from robosym.export.processors.row_kernels import kernels
from robosym.export.processors.wasm_object import linked_module
from robosym.export.robot_functions import Part, Solved, model_of
from robosym.languages.header import describe, provenance
from robosym.languages.language import find_language
from robosym.model import Model
from robosym.runtime.lanes import Format
from robosym.runtime.plan import Group, Plan

__all__ = ["wasm_files", "wasm_module", "wasm_script"]

_FEATURES = "+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals,+multivalue"
_PROCESSOR = Processor("wasm32-unknown-unknown", "generic", _FEATURES)
_LANES = 2  #: doubles in a vector


def wasm_module(models: Mapping[str, Model]) -> bytes:
    """Return a module that exports one function per model, the memory, and the address `heap` of its free part."""
    text = kernels(models, Format(single=False, lanes=_LANES))
    return linked_module(compiled(text, _PROCESSOR), list(models))


def wasm_files(name: str, functions: Mapping[str, Part]) -> dict[str, str | bytes]:
    """Return the files of the folder."""
    models = {key: model_of(part) for key, part in functions.items()}
    module = wasm_module(models)
    robot = next((model.robot for model in models.values() if model.robot is not None), None)
    head = [f"{name}: functions in WebAssembly", "", *provenance(robot)]
    for key, model in models.items():
        head += ["", f"{key}: {model.title}", *describe(model)[2 + len(provenance(model.robot)) :]]
    comment = find_language("c").commented(head)
    script = [*comment, "", _loader(name, functions)]
    return {
        f"{name}.wasm": module,
        f"{name}.mjs": "\n".join(script),
        f"{name}.d.ts": _types(name, functions, models),
        "package.json": _package(name),
        "README.md": _guide(name, functions, models, len(module)),
    }


def wasm_script(name: str, functions: Mapping[str, Part]) -> str:
    """Return a JavaScript expression with the module in it: a promise of the functions.

    A page that is opened from a disk may not load modules or files.
    """
    module = wasm_module({key: model_of(part) for key, part in functions.items()})
    plain = _loader(name, functions).replace("export async", "async").replace("import.meta.url", "document.baseURI")
    text = base64.b64encode(module).decode()
    return f'(() => {{\n{plain}\nreturn load(Uint8Array.from(atob("{text}"), (sign) => sign.charCodeAt(0)));\n}})()'


def _loader(name: str, functions: Mapping[str, Part]) -> str:
    """Return the source of the wrapper, without its head."""
    loader = files("robosym.export.processors").joinpath("wasm_loader.txt").read_text("utf-8")
    tables = {key: _table(part, Plan(model_of(part))) for key, part in functions.items()}
    rows = ",\n".join(f"  {json.dumps(key)}: {json.dumps(table)}" for key, table in tables.items())
    return f'const WASM = "./{name}.wasm";\nconst FUNCTIONS = {{\n{rows},\n}};\n\n{loader}'


def _table(part: Part, plan: Plan) -> dict[str, object]:
    """Return the groups of a function for the wrapper: names, sizes, and whether each state has its own."""
    found: dict[str, object] = {
        "inputs": [[group.name, group.size, group.online] for group in plan.inputs],
        "outputs": [[group.name, group.size] for group in plan.outputs],
    }
    return found | ({"angles": part.angles, "tolerance": SOLVED} if isinstance(part, Solved) else {})


# ------------------------------------------------------------------------------------------ types and guide


def _size(group: Group) -> str:
    return " x ".join(map(str, group.shape))


def _types(name: str, functions: Mapping[str, Part], models: Mapping[str, Model]) -> str:
    lines = [
        "/** Numbers of one state, or of several states one after the other; matrices row by row. */",
        "export type Numbers = ArrayLike<number>;", "",
        "/** Solutions of a pose. */",
        "export interface Solutions extends Array<Float64Array> {",
        "  /** Whether all solutions are here: false at and near singularities. */",
        "  complete: boolean;",
        "  /** False for a pose that is not finite or not a rotation; it has no solutions. */",
        "  valid: boolean;", "}", "",
        "export interface Robot {",
        "  readonly exports: WebAssembly.Exports;",
        "  readonly memory: WebAssembly.Memory;",
        "  /** Address of the free part of the memory. */",
        "  readonly heap: number;",
    ]  # fmt: skip
    for key, part in functions.items():
        lines += _signature(key, part, Plan(models[key]), models[key])
    source = "ArrayBuffer | ArrayBufferView | WebAssembly.Module | URL | string"
    lines += ["}", "", f"/** Load the functions of {name}: from the file beside the wrapper, an address, or bytes. */",
              f"export function load(source?: {source}): Promise<Robot>;", ""]  # fmt: skip
    return "\n".join(lines)


def _signature(key: str, part: Part, plan: Plan, model: Model) -> list[str]:
    title = [f"  /** {model.title}."]
    if isinstance(part, Solved):
        more = ", parameters?: Numbers" if "parameters" in model.inputs else ""
        return [*title, "   * T: the pose, a 4 x 4 matrix row by row; near: sort by distance from these joints. */",
                f"  {key}(T: Numbers, near?: Numbers{more}): Solutions;"]  # fmt: skip
    arguments = [f"{group.name}: Numbers" for group in plan.inputs]
    for group, direction in [*((g, "") for g in plan.inputs), *((g, "returns ") for g in plan.outputs)]:
        meaning = model.meaning(group.name, bool(direction))
        title.append(f"   * {direction}{group.name} ({_size(group)}): {meaning}".rstrip(": "))
    single = len(plan.outputs) == 1
    result = "Float64Array" if single else f"{{ {'; '.join(f'{g.name}: Float64Array' for g in plan.outputs)} }}"
    return [*title[:-1], f"{title[-1]} */", f"  {key}({', '.join([*arguments, f'out?: {result}'])}): {result};"]


def _package(name: str) -> str:
    version = import_module("robosym").__version__  # a regular import would be circular
    content = {
        "name": name.lower().replace("_", "-"), "version": version, "type": "module", "private": True,
        "description": f"Functions of the robot {name}, written by robosym", "main": f"./{name}.mjs",
        "types": f"./{name}.d.ts", "exports": {".": {"types": f"./{name}.d.ts", "default": f"./{name}.mjs"}},
        "files": [f"{name}.wasm", f"{name}.mjs", f"{name}.d.ts"], "sideEffects": False,
    }  # fmt: skip
    return f"{json.dumps(content, indent=2)}\n"


def _guide(name: str, functions: Mapping[str, Part], models: Mapping[str, Model], size: int) -> str:
    lines = [
        f"# {name}", "", *provenance(None), "",
        f"`{name}.wasm` ({size:,} bytes) has no imports and needs WebAssembly with 128-bit vectors, which",
        "browsers since 2023, Node 16 and wasmtime have.", "",
        "```js", f'import {{ load }} from "./{name}.mjs";', "const robot = await load();",
    ]  # fmt: skip
    key = next(iter(functions))
    given = ", ".join(f"new Array({group.size}).fill(0)" for group in Plan(models[key]).inputs)
    lines += [f"console.log(robot.{key}({given}));", "```", ""]
    lines += [
        "An argument with the numbers of several states one after the other computes all of them in one call.", "",
        "## Memory", "",
        "The exported functions take the number of states and the address of each array in the exported memory, inputs",
        "first. Arrays contain doubles, one row per state, matrices row by row; arrays marked * have one row for all",
        "states. Memory from the exported global `heap` on is free; `memory.grow` adds to it.", "",
        "| function | arguments |", "| --- | --- |",
    ]  # fmt: skip
    for key, model in models.items():
        plan = Plan(model)
        columns = [f"{g.name}[{_size(g)}]{'' if g.online else '*'}" for g in (*plan.inputs, *plan.outputs)]
        lines.append(f"| `{key}` | count, {', '.join(columns)} |")
    return "\n".join([*lines, ""])
