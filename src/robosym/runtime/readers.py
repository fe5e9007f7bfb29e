"""The arguments of a call looked at where they lie, in IR: arrays of numbers, dicts of them, places for results."""

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
)
from robosym.runtime.lanes import Format

__all__ = ["readers"]


def readers(form: Format) -> str:
    """IR of what looks at arguments.

    `@vector` finds the numbers of a vector or of a table with a row for each state, and leaves a pointer and strides;
    %rows is the number of states, -1 as long as it is not known. `@by_name` takes numbers from a dict to %buffer.
    `@place` does for the place of a result, a vector or (%down is not 0) a matrix for each state, what `@vector` does
    for an argument. Each says whether it could. `@named` finds the argument given under a name, first where it
    is likely; names are known by their address. `@handed_on` calls a function of
    Python with the same arguments.
    """
    return f"""
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)

define internal i1 @vector(ptr %a, i64 %length, ptr %names, ptr %buffer, ptr %rows, ptr %pointer, ptr %outer, ptr %step)
    noinline {{
  {_array(form, ALIGNED, "other")}
  br i1 %usable, label %measure, label %no
measure:
  {_MEASURE}
  switch i32 %ndim, label %no [
    i32 1, label %one
    i32 2, label %many
  ]
one:
  %found = load i64, ptr %shape
  %fits = icmp eq i64 %found, %length
  br i1 %fits, label %take, label %no
take:
  %stride = load i64, ptr %strides
  br label %yes
many:
  %found_rows = load i64, ptr %shape
  %second = getelementptr i64, ptr %shape, i64 1
  %columns = load i64, ptr %second
  %as_long = icmp eq i64 %columns, %length
  %known = load i64, ptr %rows
  %same = icmp eq i64 %known, %found_rows
  %new = icmp eq i64 %known, -1
  %well = or i1 %same, %new
  %all_well = and i1 %as_long, %well
  br i1 %all_well, label %take_rows, label %no
take_rows:
  store i64 %found_rows, ptr %rows
  %row_stride = load i64, ptr %strides
  store i64 %row_stride, ptr %outer
  %inner = getelementptr i64, ptr %strides, i64 1
  %inner_stride = load i64, ptr %inner
  br label %yes
other:
  {held("dict", "dict_type")}
  %is_dict = icmp eq ptr %type, %dict_type
  br i1 %is_dict, label %dict, label %no
dict:
  %complete = call i1 @by_name(ptr %a, i64 %length, ptr %names, ptr %buffer)
  br i1 %complete, label %yes, label %no
yes:
  %from = phi ptr [%data, %take], [%data, %take_rows], [%buffer, %dict]
  %by = phi i64 [%stride, %take], [%inner_stride, %take_rows], [{form.bytes}, %dict]
  store ptr %from, ptr %pointer
  store i64 %by, ptr %step
  ret i1 true
no:
  ret i1 false
}}

define internal i1 @place(ptr %a, i1 %batch, i64 %rows, i64 %down, i64 %across, ptr %pointer, ptr %outer, ptr %core)
    noinline {{
  {_array(form, ALIGNED | WRITEABLE, "no")}
  %matrix = icmp ne i64 %down, 0
  %more = zext i1 %batch to i32
  %core_axes = select i1 %matrix, i32 2, i32 1
  %axes = add i32 %core_axes, %more
  %as_many = icmp eq i32 %ndim, %axes
  %good = and i1 %usable, %as_many
  br i1 %good, label %measure, label %no
measure:
  {_MEASURE}
  store ptr %data, ptr %pointer
  store i64 0, ptr %outer
  br i1 %batch, label %row, label %within
row:
  %found_rows = load i64, ptr %shape
  %row_stride = load i64, ptr %strides
  store i64 %row_stride, ptr %outer
  %same = icmp eq i64 %found_rows, %rows
  %moves = icmp ne i64 %row_stride, 0
  %rows_well = and i1 %same, %moves
  br i1 %rows_well, label %within, label %no
within:
  %first = zext i1 %batch to i64
  %length_at = getelementptr i64, ptr %shape, i64 %first
  %stride_at = getelementptr i64, ptr %strides, i64 %first
  %length = load i64, ptr %length_at
  %stride = load i64, ptr %stride_at
  store i64 %stride, ptr %core
  %wanted = select i1 %matrix, i64 %down, i64 %across
  %fits = icmp eq i64 %length, %wanted
  %apart = icmp ne i64 %stride, 0
  %well = and i1 %fits, %apart
  br i1 %well, label %so_far, label %no
so_far:
  br i1 %matrix, label %across_it, label %yes
across_it:
  %last_length_at = getelementptr i64, ptr %length_at, i64 1
  %last_stride_at = getelementptr i64, ptr %stride_at, i64 1
  %last_length = load i64, ptr %last_length_at
  %last_stride = load i64, ptr %last_stride_at
  %last_core = getelementptr i64, ptr %core, i64 1
  store i64 %last_stride, ptr %last_core
  %last_fits = icmp eq i64 %last_length, %across
  %last_apart = icmp ne i64 %last_stride, 0
  %last_well = and i1 %last_fits, %last_apart
  br i1 %last_well, label %yes, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}

define internal ptr @named(ptr %args, i64 %by_place, ptr %names, i64 %count, i64 %likely, ptr %key) noinline {{
entry:
  br label %next
next:
  %tried = phi i64 [0, %entry], [%tried1, %look]
  %at = phi i64 [%likely, %entry], [%at1, %look]
  %over = icmp uge i64 %at, %count
  %k = select i1 %over, i64 0, i64 %at
  %more = icmp ult i64 %tried, %count
  br i1 %more, label %look, label %no
look:
  %name = call ptr @PyTuple_GetItem(ptr %names, i64 %k)
  %is_it = icmp eq ptr %name, %key
  %tried1 = add i64 %tried, 1
  %at1 = add i64 %k, 1
  br i1 %is_it, label %yes, label %next
yes:
  %place = add i64 %by_place, %k
  %value_at = getelementptr ptr, ptr %args, i64 %place
  %value = load ptr, ptr %value_at
  ret ptr %value
no:
  ret ptr null
}}

define internal ptr @handed_on(ptr %function, ptr %args, i64 %by_place, ptr %names) noinline {{
entry:
  %values = call ptr @PyTuple_New(i64 %by_place)
  %made = icmp ne ptr %values, null
  br i1 %made, label %next, label %no
next:
  %k = phi i64 [0, %entry], [%k1, %put]
  %more = icmp ult i64 %k, %by_place
  br i1 %more, label %put, label %placed
put:
  %value_at = getelementptr ptr, ptr %args, i64 %k
  %value = load ptr, ptr %value_at
  call void @Py_IncRef(ptr %value)
  %set = call i32 @PyTuple_SetItem(ptr %values, i64 %k, ptr %value)
  %k1 = add i64 %k, 1
  br label %next
placed:
  %some_named = icmp ne ptr %names, null
  br i1 %some_named, label %name, label %call
name:
  %dict = call ptr @PyDict_New()
  %room = icmp ne ptr %dict, null
  br i1 %room, label %count, label %give_up
count:
  %by_name = call i64 @PyTuple_Size(ptr %names)
  br label %next_name
next_name:
  %n = phi i64 [0, %count], [%n1, %enter]
  %more_names = icmp ult i64 %n, %by_name
  br i1 %more_names, label %enter, label %call
enter:
  %key = call ptr @PyTuple_GetItem(ptr %names, i64 %n)
  %place = add i64 %by_place, %n
  %named_at = getelementptr ptr, ptr %args, i64 %place
  %named_value = load ptr, ptr %named_at
  %entered = call i32 @PyDict_SetItem(ptr %dict, ptr %key, ptr %named_value)
  %n1 = add i64 %n, 1
  %well = icmp eq i32 %entered, 0
  br i1 %well, label %next_name, label %drop
call:
  %keywords = phi ptr [null, %placed], [%dict, %next_name]
  %called = call ptr @PyObject_Call(ptr %function, ptr %values, ptr %keywords)
  br i1 %some_named, label %drop, label %give_up
drop:
  %answer = phi ptr [%called, %call], [null, %enter]
  %dropped = phi ptr [%keywords, %call], [%dict, %enter]
  call void @Py_DecRef(ptr %dropped)
  br label %give_up
give_up:
  %result = phi ptr [null, %name], [%called, %call], [%answer, %drop]
  call void @Py_DecRef(ptr %values)
  ret ptr %result
no:
  ret ptr null
}}

define internal i1 @by_name(ptr %dict, i64 %length, ptr %names, ptr %buffer) noinline {{
entry:
  %position = alloca i64
  %key_at = alloca ptr
  %value_at = alloca ptr
  {held("float", "float_type")}
  {held("scalar", "scalar_type")}
  {held("int", "int_type")}
  store i64 0, ptr %position
  %size = call i64 @PyDict_Size(ptr %dict)
  %same = icmp eq i64 %size, %length
  br i1 %same, label %next, label %no
next:
  ; most dicts have the names in the order of the model, and looking them up is then not needed
  %k = phi i64 [0, %entry], [%k1, %put]
  %name_at = getelementptr ptr, ptr %names, i64 %k
  %key = load ptr, ptr %name_at
  %there = call i32 @PyDict_Next(ptr %dict, ptr %position, ptr %key_at, ptr %value_at)
  %found = load ptr, ptr %key_at
  %in_order = icmp eq ptr %found, %key
  br i1 %in_order, label %take, label %look
take:
  %taken = load ptr, ptr %value_at
  br label %check
look:
  %looked = call ptr @PyDict_GetItemWithError(ptr %dict, ptr %key)
  %missing = icmp eq ptr %looked, null
  br i1 %missing, label %no, label %check
check:
  %value = phi ptr [%taken, %take], [%looked, %look]
  {field("ptr", "value", TYPE, "type")}
  %is_float = icmp eq ptr %type, %float_type
  %is_double = icmp eq ptr %type, %scalar_type
  %is_held = or i1 %is_float, %is_double
  br i1 %is_held, label %held, label %perhaps
held:
  {field("double", "value", NUMBER, "as_held")}
  br label %put
perhaps:
  %is_int = icmp eq ptr %type, %int_type
  br i1 %is_int, label %convert, label %no
convert:
  %converted = call double @PyFloat_AsDouble(ptr %value)
  br label %put
put:
  %number = phi double [%as_held, %held], [%converted, %convert]
  {_put(form)}
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %length
  br i1 %more, label %next, label %done
done:
  %error = call ptr @PyErr_Occurred()
  %fine = icmp eq ptr %error, null
  br i1 %fine, label %yes, label %no
yes:
  ret i1 true
no:
  call void @PyErr_Clear()
  ret i1 false
}}
"""


#: IR: where the numbers of the array %a lie
_MEASURE = "\n  ".join(
    field("ptr", "a", place, name) for place, name in ((SHAPE, "shape"), (STRIDES, "strides"), (DATA, "data"))
)


def _array(form: Format, flags: int, otherwise: str) -> str:
    """IR: %ndim and %usable, whether %a is an array of numbers of our precision with these flags; else to a label."""
    return "\n  ".join(
        [
            field("ptr", "a", TYPE, "type"),
            held("array", "array_type"),
            "%is_array = icmp eq ptr %type, %array_type",
            f"br i1 %is_array, label %array, label %{otherwise}",
            "array:",
            field("i32", "a", NDIM, "ndim"),
            field("ptr", "a", DESCR, "descr"),
            field("i32", "a", FLAGS, "flags"),
            held("single" if form.single else "double", "kind_descr"),
            "%kind = icmp eq ptr %descr, %kind_descr",
            f"%masked = and i32 %flags, {flags}",
            f"%allowed = icmp eq i32 %masked, {flags}",
            "%usable = and i1 %kind, %allowed",
        ]
    )


def _put(form: Format) -> str:
    """IR that stores the double %number as the k-th of %buffer."""
    target = f"%target = getelementptr {form.scalar}, ptr %buffer, i64 %k"
    if form.single:
        return f"{target}\n  %short = fptrunc double %number to float\n  store float %short, ptr %target"
    return f"{target}\n  store double %number, ptr %target"
