"""Julia: a function over vectors, and one that writes into given arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robosym.algebra import Style
from robosym.languages import c
from robosym.languages.header import describe
from robosym.languages.program import Part, Program, double, function_name, shared_values, wrapped
from robosym.model import Model, shape

__all__ = ["code"]


@dataclass(frozen=True)
class _Style(Style):
    def function(self, name: str, arguments: Sequence[str]) -> str:
        if name == "pow":
            return f"(({arguments[0]})^({arguments[1]}))"
        return super().function(name, arguments)


STYLE = _Style(number=double, pi="pi", functions={"atan2": "atan"})
RESERVED = frozenset(
    """baremodule begin break catch const continue do else elseif end export false finally for function global if
    import let local macro module quote return struct true try using while abstract mutable primitive type where in
    isa im pi sin cos tan asin acos atan sqrt exp log abs sign shared constants similar zeros eltype promote_type
    Float64 Matrix Vector""".split()
)


def code(model: Model, *, init: bool = False) -> str:
    """Two functions, `f!(outputs..., inputs...)` and `f(inputs...)`; with `init` also `f_init`, which computes the
    vector `constants` once from what is set once."""
    program = Program(model, STYLE, RESERVED, constants=init)
    spelled = {**program.groups, "constants": "constants"}
    name = function_name(model)

    def entry(group: str, place: int) -> str:
        size = shape(model.outputs[group]) if group in model.outputs else (0,)
        if len(size) == 2:
            return f"{spelled[group]}[{place // size[1] + 1}, {place % size[1] + 1}]"
        return f"{spelled[group]}[{place + 1}]"

    def body(part: Part) -> list[str]:
        lines = [f"    {n} = {entry(group, place)}" for group, place, n in part.inputs]
        lines += [f"    {n} = shared[{place + 1}]" for place, n in part.taken]
        # a line goes on while a bracket is open
        lines += [_assign(s.name, s.text) for s in part.statements]
        lines += [_assign(entry(group, place), text) for group, place, text in part.outputs]
        return lines + [f"    shared[{place + 1}] = {n}" for place, n in part.left]

    def function(head: str, read: list[str], written: list[str], parts: list[Part]) -> list[str]:
        arguments = [spelled[g] for g in (*written, *read)]
        returned = f"    return {', '.join(spelled[g] for g in written)}"
        if len(parts) == 1:
            return [f"function {head}!({', '.join(arguments)})", *body(parts[0]), returned, "end", ""]
        lines: list[str] = []
        for number, part in enumerate(parts, 1):
            lines += [f"function {head}_{number}!({', '.join([*arguments, 'shared'])})"]
            lines += [*body(part), "    return", "end", ""]
        lines += [f"function {head}!({', '.join(arguments)})"]
        lines += [f"    shared = zeros({_kind(read, spelled)}, {max(shared_values(parts), 1)})"]
        lines += [f"    {head}_{number}!({', '.join([*arguments, 'shared'])})" for number in range(1, len(parts) + 1)]
        return [*lines, returned, "end", ""]

    outputs = list(model.outputs)
    lines = [f"# {line}".rstrip() for line in describe(model)] + [""]
    read = list(model.inputs)
    if init:
        read = [*program.online_groups, "constants"]
        fixed = program.offline_groups
        lines += function(f"{name}_init", fixed, ["constants"], program.offline(c.STATEMENTS))
        lines += [f"function {name}_init({', '.join(spelled[g] for g in fixed)})"]
        lines += [f"    constants = zeros({_kind(fixed, spelled)}, {len(program.constants)})"]
        lines += [f"    return {name}_init!({', '.join(['constants', *(spelled[g] for g in fixed)])})", "end", ""]
    parts = program.online(c.STATEMENTS) if init else program.whole(c.STATEMENTS)
    lines += function(name, read, outputs, parts)
    lines += [f"function {name}({', '.join(spelled[g] for g in read)})"]
    for group in outputs:
        size = ", ".join(map(str, shape(model.outputs[group])))
        lines += [f"    {spelled[group]} = zeros({_kind(read, spelled)}, {size})"]
    lines += [f"    return {name}!({', '.join(spelled[g] for g in (*outputs, *read))})", "end", ""]
    return "\n".join(lines)


def _kind(groups: Sequence[str], spelled: dict[str, str]) -> str:
    """The type that holds what is computed from the arguments: dual numbers pass through."""
    kinds = [f"eltype({spelled[group]})" for group in groups]
    return f"promote_type({', '.join(kinds)})" if kinds else "Float64"


def _assign(name: str, text: str) -> str:
    if len(text) < 100:
        return f"    {name} = {text}"
    return (
        wrapped(f"    {name} = (", text, ")", 110, "        ")
        .replace("\n        + ", " +\n        ")
        .replace("\n        - ", " -\n        ")
    )
