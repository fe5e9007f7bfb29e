"""Handlers of the foreign-function interface of XLA (typed, version 0) that call machine code of models.

A handler reads the buffers from the call frame and passes their addresses to the loop over rows. An argument with one
axis applies to every row of the batch; all others have the leading axes of the results.
"""

from __future__ import annotations

import re
from pathlib import Path

from robosym.runtime.engine import Code, build, host
from robosym.runtime.kernel import Entry
from robosym.runtime.lanes import Lines, joined

__all__ = ["api_version", "xla_handler"]

#: offsets in bytes in the structures of the interface, on processors with 64 bits
_EXTENSION, _ARGUMENTS, _RESULTS = 8, 72, 112
_TYPE, _METADATA, _VERSION = 8, 24, 24
_DATA, _RANK, _DIMS = 24, 32, 40


def api_version(include: str) -> tuple[int, int]:
    """Return the version of the interface in the headers of jaxlib."""
    text = (Path(include) / "xla" / "ffi" / "api" / "c_api.h").read_text("utf-8")
    major, minor = (re.search(rf"#define XLA_FFI_API_{part}\s+(\d+)", text) for part in ("MAJOR", "MINOR"))
    if major is None or minor is None:
        raise RuntimeError("the headers of jaxlib do not state the version of the foreign-function interface")
    return int(major[1]), int(minor[1])


def xla_handler(entry: Entry, version: tuple[int, int]) -> tuple[int, Code]:
    """Return the address of the handler of a loop, and the code, which must stay alive."""
    operands, size = entry.operands, entry.form.bytes
    inputs, groups = operands.inputs, operands.groups
    code = Lines()
    code.lines += [f"%pointers = alloca [{len(groups)} x ptr]", f"%steps = alloca [{operands.steps} x i64]",
                   "%dims = alloca i64", "br label %arguments", "arguments:"]  # fmt: skip
    first = ""
    for k, group in enumerate(groups):
        given = k < len(inputs)
        table = code.load("ptr", code.at("%frame", _ARGUMENTS if given else _RESULTS))
        buffer = code.entry("ptr", table, k if given else k - len(inputs))
        code.put("ptr", code.load("ptr", code.at(buffer, _DATA)), "%pointers", k)
        rank = code.load("i64", code.at(buffer, _RANK))
        several = code.new(f"icmp ugt i64 {rank}, {len(group.shape)}")
        code.put("i64", code.new(f"select i1 {several}, i64 {group.size * size}, i64 0"), "%steps", k)
        for stride, place in zip((size * group.shape[-1], size)[-len(group.shape) :], operands.strides[k], strict=True):
            code.put("i64", str(stride), "%steps", place)
        if k == len(inputs):
            first = buffer
            code.new(f"sub i64 {rank}, {len(group.shape)}", "leading")
    sizes = code.load("ptr", code.at(first, _DIMS))
    text = f"""
define ptr @handler(ptr %frame) {{
start:
  %extension_at = getelementptr i8, ptr %frame, i64 {_EXTENSION}
  %extension = load ptr, ptr %extension_at
  %plain = icmp eq ptr %extension, null
  br i1 %plain, label %call, label %query
query:
  %type_at = getelementptr i8, ptr %extension, i64 {_TYPE}
  %type = load i32, ptr %type_at
  %asked = icmp eq i32 %type, 1
  br i1 %asked, label %answer, label %call
answer:
  %metadata_at = getelementptr i8, ptr %extension, i64 {_METADATA}
  %metadata = load ptr, ptr %metadata_at
  %version_at = getelementptr i8, ptr %metadata, i64 {_VERSION}
  store i32 {version[0]}, ptr %version_at
  %minor_at = getelementptr i8, ptr %version_at, i64 4
  store i32 {version[1]}, ptr %minor_at
  %traits_at = getelementptr i8, ptr %version_at, i64 8
  store i32 0, ptr %traits_at
  ret ptr null
call:
  {joined(code.lines)}
  br label %count
count:
  %axis = phi i64 [0, %arguments], [%axis1, %more]
  %rows = phi i64 [1, %arguments], [%rows1, %more]
  %left = icmp slt i64 %axis, %leading
  br i1 %left, label %more, label %run
more:
  %size_at = getelementptr i64, ptr {sizes}, i64 %axis
  %size = load i64, ptr %size_at
  %rows1 = mul i64 %rows, %size
  %axis1 = add i64 %axis, 1
  br label %count
run:
  store i64 %rows, ptr %dims
  %loop = inttoptr i64 {entry.address} to ptr
  call void %loop(ptr %pointers, ptr %dims, ptr %steps, ptr null)
  ret ptr null
}}"""
    made = build(text, host(), cached=False)
    return made.get_function_address("handler"), made
