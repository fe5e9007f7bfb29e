"""Folders for MATLAB, GNU Octave and Simulink: MEX functions, S-functions, and a script that compiles them."""

from __future__ import annotations

from collections.abc import Mapping

from robosym.errors import InputError
from robosym.export.folders import function_names, template
from robosym.export.robot_functions import Part, model_of
from robosym.languages import code
from robosym.languages.header import provenance
from robosym.languages.language import find_language
from robosym.model import Model, shape
from robosym.model.groups import is_online

__all__ = ["matlab_files", "s_function"]

_LONGEST = 63  #: characters of a name in MATLAB


def matlab_files(name: str, functions: Mapping[str, Part]) -> dict[str, str | bytes]:
    """Return the files of the folder; MATLAB or Octave and a C compiler build it."""
    names = function_names(name, functions)
    models = {names[own]: model_of(part) for own, part in functions.items()}
    long = next((own for own in models if len(f"{own}_sfun") > _LONGEST), None)
    if long is not None:
        raise InputError(f"name: expected function names of at most {_LONGEST - 5} characters, found {long}")
    texts: dict[str, str | bytes] = {}
    for own, model in models.items():
        texts[f"{own}.c"] = code(model, "c", name=own, header=f"{own}.h")
        texts[f"{own}.h"] = code(model, "h", name=own)
        texts[f"{own}_mex.c"] = _gateway(own, model)
        texts[f"{own}_sfun.c"] = s_function(model, own, f"{own}_sfun")
        texts[f"{own}.m"] = _help(own, model)
    script = f"build_{name}"
    texts[f"{script}.m"] = template(__package__, "build.m.txt", {
        "ROBOT_SCRIPT": script, "ROBOT_NAME": name, "ROBOT_FUNCTIONS": ", ".join(f"'{own}'" for own in models),
        "ROBOT_PROVENANCE": "\n".join(f"% {line}" for line in provenance(None)),
    })  # fmt: skip
    texts["README.md"] = _guide(name, script, models)
    return texts


def _head(model: Model, title: str) -> list[str]:
    return find_language("c").commented([f"{model.name}: {title}", "", *provenance(model.robot)])


def _sizes(model: Model) -> tuple[dict[str, int], dict[str, tuple[int, int]]]:
    """Return the entries of each input, and rows and columns of each output; a vector has no columns."""
    sizes = {group: (*shape(layout), 0) for group, layout in model.outputs.items()}
    results = {group: (size[0], size[1]) for group, size in sizes.items()}
    return {group: len(names) for group, names in model.inputs.items()}, results


def _gateway(own: str, model: Model) -> str:
    """Return the MEX function: one column per state; a matrix of each state is a page."""
    given, results = _sizes(model)
    inputs = [f'{{"{group}", {size}, {int(not is_online(group))}}}' for group, size in given.items()]
    outputs = [f"{{{rows}, {columns}}}" for rows, columns in results.values()]
    arguments = [*(f"given[{k}]" for k in range(len(given))), *(f"found[{k}]" for k in range(len(results)))]
    return "\n".join([*_head(model, f"MEX function of {own}"), template(__package__, "mex.c.txt", {
        "ROBOT_FUNCTION": own, "ROBOT_CALL": ", ".join(arguments), "ROBOT_INPUTS": ", ".join(inputs) or '{"", 0, 1}',
        "ROBOT_OUTPUTS": ", ".join(outputs), "ROBOT_READ": str(len(given)), "ROBOT_WRITTEN": str(len(results)),
        "ROBOT_MOST": str(max([rows * max(columns, 1) for rows, columns in results.values()])),
    })])  # fmt: skip


def _help(own: str, model: Model) -> str:
    """Return the help of a function; the compiled function of the same name is called instead of the file."""
    given, results = (", ".join(groups) for groups in (model.inputs, model.outputs))
    lines = [f"{own.upper()} {model.title}", f"   [{results}] = {own}({given})", ""]
    for groups, sizes in ((model.inputs, _sizes(model)[0]), (model.outputs, _sizes(model)[1])):
        for group in groups:
            meaning = model.meaning(group, groups is model.outputs)
            size = sizes[group]
            rows = str(size) if isinstance(size, int) else " x ".join(str(n) for n in size if n)
            lines.append(f"   {group} ({rows}): {meaning}".rstrip(": "))
    lines += ["", "One column per state; an argument with one column applies to all states, and matrices of",
              "several states are pages. Run the script build_... once to compile this function."]  # fmt: skip
    return "\n".join([
        f"function varargout = {own}(varargin)", *find_language("matlab").commented(lines), "",
        f"    error('robosym:compile', '{own} is not compiled: run the script build_... in its folder.');", "end", "",
    ])  # fmt: skip


def s_function(model: Model, function: str, name: str) -> str:
    """Return a level 2 S-function without states, with one port per array of a function in double precision."""
    ports, results = _sizes(model)
    lines = [
        *_head(model, f"S-function of {function}, for Simulink: mex {name}.c {function}.c"),
        "",
        f"#define S_FUNCTION_NAME {name}",
        "#define S_FUNCTION_LEVEL 2",
        '#include "simstruc.h"',
        f'#include "{function}.h"',
        "",
        "static void mdlInitializeSizes(SimStruct *S)",
        "{",
        "    ssSetNumSFcnParams(S, 0);",
        f"    if (!ssSetNumInputPorts(S, {len(ports)})) return;",
    ]
    for place, size in enumerate(ports.values()):
        lines += [f"    ssSetInputPortWidth(S, {place}, {size});"]
        lines += [f"    ssSetInputPortDirectFeedThrough(S, {place}, 1);"]
        lines += [f"    ssSetInputPortRequiredContiguous(S, {place}, 1);"]
    lines += [f"    if (!ssSetNumOutputPorts(S, {len(results)})) return;"]
    for place, (rows, columns) in enumerate(results.values()):
        lines += [f"    ssSetOutputPortWidth(S, {place}, {rows * max(columns, 1)});"]
    lines += ["    ssSetNumSampleTimes(S, 1);", "}", "", "static void mdlInitializeSampleTimes(SimStruct *S)", "{"]
    lines += ["    ssSetSampleTime(S, 0, INHERITED_SAMPLE_TIME);", "    ssSetOffsetTime(S, 0, 0.0);", "}", ""]
    lines += ["static void mdlOutputs(SimStruct *S, int_T tid)", "{", "    (void)tid;"]
    given = [f"(const double *)ssGetInputPortSignal(S, {place})" for place in range(len(ports))]
    given += [f"(double *)ssGetOutputPortSignal(S, {place})" for place in range(len(results))]
    lines += [f"    {function}({f',{chr(10)}        '.join(given)});", "}", ""]
    lines += ["static void mdlTerminate(SimStruct *S)", "{", "    (void)S;", "}", ""]
    lines += ["#ifdef MATLAB_MEX_FILE", '#include "simulink.c"', "#else", '#include "cg_sfun.h"', "#endif", ""]
    return "\n".join(lines)


def _guide(name: str, script: str, models: Mapping[str, Model]) -> str:
    lines = [
        f"# {name}", "", *provenance(None), "",
        "In MATLAB or GNU Octave, with a C compiler (`mex -setup`), in this folder:", "",
        "```matlab", script, "```", "",
        "| function | arguments | results |", "| --- | --- | --- |",
    ]  # fmt: skip
    for own, model in models.items():
        given, results = _sizes(model)
        cells = [", ".join(f"{group}[{size}]" for group, size in given.items())]
        cells.append(", ".join(f"{g}[{' x '.join(str(n) for n in size if n)}]" for g, size in results.items()))
        lines.append(f"| `{own}` | {cells[0]} | {cells[1]} |")
    lines += [
        "", "Functions take one column per state; arguments with one column apply to all states. Matrices of several",
        "states are pages: `T(:, :, k)`. In Simulink, add an `S-Function` block with the name of a function and",
        "`_sfun`: one port per argument and per result; matrices are signals row by row.", "",
    ]  # fmt: skip
    return "\n".join(lines)
