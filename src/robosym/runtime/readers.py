"""The arguments of a call for one state, looked at where they lie: arrays of doubles, and dicts of numbers, in IR."""

from __future__ import annotations

from robosym.runtime.capi import ALIGNED, DATA, DESCR, FLAGS, NDIM, NUMBER, SHAPE, STRIDES, TYPE, field, held

__all__ = ["readers"]


def readers() -> str:
    """IR of `@vector`, which finds the numbers of an argument, and of `@by_name`, which takes them from a dict.

    `@vector` leaves a pointer and a stride and says whether it could; %buffer is there to hold what is in a dict.
    """
    return f"""
define internal i1 @vector(ptr %a, i64 %length, ptr %names, ptr %buffer, ptr %pointer, ptr %step) noinline {{
  {field("ptr", "a", TYPE, "type")}
  {held("array", "array_type")}
  %is_array = icmp eq ptr %type, %array_type
  br i1 %is_array, label %array, label %other
array:
  {field("i32", "a", NDIM, "ndim")}
  {field("ptr", "a", DESCR, "descr")}
  {field("i32", "a", FLAGS, "flags")}
  %flat = icmp eq i32 %ndim, 1
  {held("double", "double_descr")}
  %double = icmp eq ptr %descr, %double_descr
  %masked = and i32 %flags, {ALIGNED}
  %aligned = icmp ne i32 %masked, 0
  %usual = and i1 %flat, %double
  %usable = and i1 %usual, %aligned
  br i1 %usable, label %measure, label %no
measure:
  {field("ptr", "a", SHAPE, "shape")}
  %found = load i64, ptr %shape
  %fits = icmp eq i64 %found, %length
  br i1 %fits, label %take, label %no
take:
  {field("ptr", "a", DATA, "data")}
  {field("ptr", "a", STRIDES, "strides")}
  %stride = load i64, ptr %strides
  br label %yes
other:
  {held("dict", "dict_type")}
  %is_dict = icmp eq ptr %type, %dict_type
  br i1 %is_dict, label %dict, label %no
dict:
  %complete = call i1 @by_name(ptr %a, i64 %length, ptr %names, ptr %buffer)
  br i1 %complete, label %yes, label %no
yes:
  %from = phi ptr [%data, %take], [%buffer, %dict]
  %by = phi i64 [%stride, %take], [8, %dict]
  store ptr %from, ptr %pointer
  store i64 %by, ptr %step
  ret i1 true
no:
  ret i1 false
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
  %there = call i32 @PyDict_Next(ptr %dict, ptr %position, ptr %key_at, ptr %value_at)
  %key = load ptr, ptr %key_at
  %name_at = getelementptr ptr, ptr %names, i64 %k
  %name = load ptr, ptr %name_at
  %in_order = icmp eq ptr %key, %name
  br i1 %in_order, label %take, label %look
take:
  %taken = load ptr, ptr %value_at
  br label %check
look:
  %looked = call ptr @PyDict_GetItemWithError(ptr %dict, ptr %name)
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
  %target = getelementptr double, ptr %buffer, i64 %k
  store double %number, ptr %target
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
