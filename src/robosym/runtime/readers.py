"""Reading the arguments of a call in machine code (LLVM IR): arrays, dicts of numbers, arrays for results."""

from __future__ import annotations

from robosym.runtime.capi import (
    ALIGNED,
    DATA,
    DESCR,
    FLAGS,
    NDIM,
    NUMBER,
    SHAPE,
    STRIDES,
    TYPE,
    WRITEABLE,
    field,
    held,
)  # fmt: skip
from robosym.runtime.lanes import Format, Lines, joined

__all__ = ["readers"]


def readers(form: Format) -> str:
    """Return the IR of the functions that read arguments; each returns whether it succeeded."""
    declared = ["declare i64 @llvm.smin.i64(i64, i64)", "declare i64 @llvm.smax.i64(i64, i64)"]
    return "\n".join([*declared, _vector(form), _place(form), _by_name(form), _named(), _handed_on()])


def _function(head: str, code: Lines) -> str:
    return f"define internal {head} noinline {{\nentry:\n  {joined(code.lines)}\n}}"


def _array(code: Lines, form: Format, flags: int, otherwise: str) -> tuple[str, str, str, str]:
    """Return the number of axes of the array %a and the addresses of its shape, strides and data.

    Jump to `otherwise` if it is not an array, and to `no` if its type or flags do not fit.
    """
    code.require(code.equal("ptr", field(code, "ptr", "%a", TYPE), held(code, "array")), otherwise)
    precision = held(code, "single" if form.single else "double")
    code.require(code.equal("ptr", field(code, "ptr", "%a", DESCR), precision), "no")
    masked = code.new(f"and i32 {field(code, 'i32', '%a', FLAGS)}, {flags}")
    code.require(code.equal("i32", masked, flags), "no")
    shape, strides, data = (field(code, "ptr", "%a", offset) for offset in (SHAPE, STRIDES, DATA))
    return field(code, "i32", "%a", NDIM), shape, strides, data


def _end(code: Lines) -> None:
    code.lines += ["no:", "ret i1 false"]


def _vector(form: Format) -> str:
    """`@vector` reads a vector, a table with one row per state, or a dict; it stores pointer and strides.

    %rows is the number of states, -1 while it is unknown.
    """
    code = Lines()

    def found(data: str, stride: str | int) -> None:
        code.store("ptr", data, "%pointer")
        code.store("i64", stride, "%step")
        code.lines.append("ret i1 true")

    axes, shape, strides, data = _array(code, form, ALIGNED, "other")
    code.fork(code.equal("i32", axes, 1), "one", "many")
    code.label("one")
    code.require(code.equal("i64", code.load("i64", shape), "%length"), "no")
    found(data, code.load("i64", strides))
    code.label("many")
    code.require(code.equal("i32", axes, 2), "no")
    code.require(code.equal("i64", code.entry("i64", shape, 1), "%length"), "no")
    rows, known = code.load("i64", shape), code.load("i64", "%rows")
    code.require(code.new(f"or i1 {code.equal('i64', known, rows)}, {code.equal('i64', known, -1)}"), "no")
    code.store("i64", rows, "%rows")
    code.store("i64", code.load("i64", strides), "%outer")
    found(data, code.entry("i64", strides, 1))
    code.label("other")
    code.require(code.equal("ptr", field(code, "ptr", "%a", TYPE), held(code, "dict")), "no")
    code.require(code.new("call i1 @by_name(ptr %a, i64 %length, ptr %names, ptr %buffer)"), "no")
    found("%buffer", form.bytes)
    _end(code)
    arguments = "ptr %a, i64 %length, ptr %names, ptr %buffer, ptr %rows, ptr %pointer, ptr %outer, ptr %step"
    return _function(f"i1 @vector({arguments})", code)


def _place(form: Format) -> str:
    """`@place` checks an array for a result like `@vector` an argument.

    A result is one vector per state, or (if %down is not 0) one matrix per state.
    """
    code = Lines()

    def axis(place: str, length: str, target: str) -> None:
        """Check the length and stride of an axis and store the stride."""
        code.require(code.equal("i64", code.entry("i64", shape, place), length), "no")
        stride = code.entry("i64", strides, place)
        code.require(code.new(f"icmp ne i64 {stride}, 0"), "no")
        code.store("i64", stride, target)

    axes, shape, strides, data = _array(code, form, ALIGNED | WRITEABLE, "no")
    matrix = code.new("icmp ne i64 %down, 0")
    first = code.new("zext i1 %batch to i64")
    wanted = code.new(f"add i64 {first}, {code.new(f'select i1 {matrix}, i64 2, i64 1')}")
    code.require(code.equal("i64", code.new(f"zext i32 {axes} to i64"), wanted), "no")
    code.store("ptr", data, "%pointer")
    code.store("i64", 0, "%outer")
    code.fork("%batch", "row", "within")
    code.label("row")
    axis("0", "%rows", "%outer")
    code.go("within")
    code.label("within")
    axis(first, code.new(f"select i1 {matrix}, i64 %down, i64 %across"), "%core")
    code.fork(matrix, "last", "yes")
    code.label("last")
    axis(code.new(f"add i64 {first}, 1"), "%across", code.at("%core", 1, "i64"))
    code.go("yes")
    code.lines += ["yes:", "ret i1 true"]
    _end(code)
    arguments = "ptr %a, i1 %batch, i64 %rows, i64 %down, i64 %across, ptr %pointer, ptr %outer, ptr %core"
    return _function(f"i1 @place({arguments})", code)


def _by_name(form: Format) -> str:
    """`@by_name` copies numbers from a dict to %buffer."""
    code = Lines()
    code.lines += ["%position = alloca i64", "%key_at = alloca ptr", "%value_at = alloca ptr"]
    kinds = [held(code, kind) for kind in ("float", "scalar", "int")]
    code.store("i64", 0, "%position")
    code.fork(code.equal("i64", code.new("call i64 @PyDict_Size(ptr %dict)"), "%length"), "next", "no")
    code.label("next")
    # most dicts have the names in the order of the model; lookups are then not needed
    code.new("phi i64 [0, %entry], [%following, %put]", "k")
    key = code.entry("ptr", "%names", "%k")
    code.new("call i32 @PyDict_Next(ptr %dict, ptr %position, ptr %key_at, ptr %value_at)")
    code.fork(code.equal("ptr", code.load("ptr", "%key_at"), key), "take", "look")
    code.label("take")
    taken = code.load("ptr", "%value_at")
    code.go("check")
    code.label("look")
    looked = code.new(f"call ptr @PyDict_GetItemWithError(ptr %dict, ptr {key})")
    code.fork(code.exists(looked), "check", "no")
    code.label("check")
    value = code.new(f"phi ptr [{taken}, %take], [{looked}, %look]")
    kind = field(code, "ptr", value, TYPE)
    is_float, is_scalar, is_int = (code.equal("ptr", kind, known) for known in kinds)
    code.fork(code.new(f"or i1 {is_float}, {is_scalar}"), "held", "perhaps")
    code.label("held")
    number = field(code, "double", value, NUMBER)
    code.go("put")
    code.label("perhaps")
    code.fork(is_int, "convert", "no")
    code.label("convert")
    converted = code.new(f"call double @PyFloat_AsDouble(ptr {value})")
    code.go("put")
    code.label("put")
    number = code.new(f"phi double [{number}, %held], [{converted}, %convert]")
    number = code.new(f"fptrunc double {number} to float") if form.single else number
    code.store(form.scalar, number, code.at("%buffer", "%k", form.scalar))
    code.new("add i64 %k, 1", "following")
    code.fork(code.new("icmp ult i64 %following, %length"), "next", "done")
    code.label("done")
    code.fork(code.exists(code.new("call ptr @PyErr_Occurred()")), "no", "yes")
    code.lines += ["yes:", "ret i1 true", "no:", "call void @PyErr_Clear()", "ret i1 false"]
    return _function("i1 @by_name(ptr %dict, i64 %length, ptr %names, ptr %buffer)", code)


def _named() -> str:
    """`@named` returns the argument of a name, tried at the likely position first; names are compared by address."""
    code = Lines()
    code.go("next")
    code.label("next")
    code.new("phi i64 [0, %entry], [%tried_next, %look]", "tried")
    code.new("phi i64 [%likely, %entry], [%at_next, %look]", "at")
    k = code.new(f"select i1 {code.new('icmp uge i64 %at, %count')}, i64 0, i64 %at")
    code.fork(code.new("icmp ult i64 %tried, %count"), "look", "no")
    code.label("look")
    name = code.new(f"call ptr @PyTuple_GetItem(ptr %names, i64 {k})")
    code.new("add i64 %tried, 1", "tried_next")
    code.new(f"add i64 {k}, 1", "at_next")
    code.fork(code.equal("ptr", name, "%key"), "yes", "next")
    code.label("yes")
    value = code.entry("ptr", "%args", code.new(f"add i64 %by_place, {k}"))
    code.lines += [f"ret ptr {value}", "no:", "ret ptr null"]
    return _function("ptr @named(ptr %args, i64 %by_place, ptr %names, i64 %count, i64 %likely, ptr %key)", code)


def _handed_on() -> str:
    """`@handed_on` calls a Python function with the same arguments."""
    code = Lines()
    code.fork(code.exists("%names"), "name", "bare")
    code.label("bare")
    plain = code.new("call ptr @PyObject_VectorcallDict(ptr %function, ptr %args, i64 %by_place, ptr null)")
    code.lines.append(f"ret ptr {plain}")
    code.label("name")
    keywords = code.new("call ptr @PyDict_New()")
    code.fork(code.exists(keywords), "count", "no")
    code.label("count")
    count = code.new("call i64 @PyTuple_Size(ptr %names)")
    code.go("next")
    code.label("next")
    code.new("phi i64 [0, %count], [%following, %enter]", "k")
    code.fork(code.new(f"icmp ult i64 %k, {count}"), "enter", "call")
    code.label("enter")
    key = code.new("call ptr @PyTuple_GetItem(ptr %names, i64 %k)")
    value = code.entry("ptr", "%args", code.new("add i64 %by_place, %k"))
    entered = code.new(f"call i32 @PyDict_SetItem(ptr {keywords}, ptr {key}, ptr {value})")
    code.new("add i64 %k, 1", "following")
    code.fork(code.equal("i32", entered, 0), "next", "drop")
    code.label("call")
    called = f"call ptr @PyObject_VectorcallDict(ptr %function, ptr %args, i64 %by_place, ptr {keywords})"
    called = code.new(called)
    code.go("drop")
    code.label("drop")
    answer = code.new(f"phi ptr [{called}, %call], [null, %enter]")
    code.lines += [f"call void @Py_DecRef(ptr {keywords})", f"ret ptr {answer}", "no:", "ret ptr null"]
    return _function("ptr @handed_on(ptr %function, ptr %args, i64 %by_place, ptr %names)", code)
