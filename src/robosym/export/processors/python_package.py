"""Python packages of models: C functions, an extension module that calls them, and files for pip."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pprint import pformat

from robosym.errors import InputError
from robosym.export.folders import template
from robosym.export.robot_functions import Part, model_of
from robosym.languages import code
from robosym.languages.header import provenance
from robosym.model import Model, flat, shape
from robosym.model.groups import is_online

__all__ = ["python_files"]

_MOST = 16  #: groups of a function, as in the source of the module


def python_files(name: str, functions: Mapping[str, Part]) -> dict[str, str | bytes]:
    """Return the files of a package that pip installs; it needs NumPy and a C compiler, and not robosym."""
    models = {own: model_of(part) for own, part in functions.items()}
    table, includes, calls, methods = {}, [], [], []
    texts: dict[str, str | bytes] = {}
    for own, model in models.items():
        inner = f"{name}_{own}"
        texts[f"{name}/{inner}.c"] = code(model, "c", name=inner, header=f"{inner}.h")
        texts[f"{name}/{inner}.h"] = code(model, "h", name=inner)
        inputs = [(group, len(names), not is_online(group)) for group, names in model.inputs.items()]
        outputs = [(group, shape(layout)) for group, layout in model.outputs.items()]
        if len(inputs) + len(outputs) > _MOST:
            raise InputError(f"{own}: expected at most {_MOST} groups of inputs and outputs")
        table[own] = tuple(inputs), tuple(outputs)
        includes.append(f'#include "{inner}.h"')
        calls += _calls(inner, own, model)
        methods.append(f'    {{"{own}", method_{own}, METH_VARARGS, NULL}},')
    texts[f"{name}/_functions.c"] = template(__package__, "extension.c.txt", {
        "ROBOT_INCLUDES": "\n".join(includes), "ROBOT_FUNCTIONS": "\n".join(calls), "ROBOT_METHODS": "\n".join(methods),
    })  # fmt: skip
    texts[f"{name}/__init__.py"] = template(
        __package__,
        "package_init.txt",
        {"ROBOT_NAME": name, "ROBOT_TABLE": pformat(table, width=110, sort_dicts=False)},
    )  # fmt: skip
    sources = [f"{name}/_functions.c", *(path for path in texts if path.endswith(".c") and "_functions" not in path)]
    texts["pyproject.toml"] = _project(name)
    texts["setup.py"] = "\n".join([
        "from setuptools import Extension, setup", "", "setup(", f'    packages=["{name}"],',
        f'    package_data={{"{name}": ["*.h"]}},',
        f'    ext_modules=[Extension("{name}._functions", {sources!r}, include_dirs=["{name}"])],', ")", "",
    ])  # fmt: skip
    texts["README.md"] = "\n".join([
        f"# {name}", "", *provenance(None), "", "```sh", "pip install .", "```", "",
        *(f"- `{name}.{own}({', '.join(group for group, _, _ in inputs)})`" for own, (inputs, _) in table.items()), "",
    ])  # fmt: skip
    return texts


def _calls(inner: str, own: str, model: Model) -> list[str]:
    rows = [(group, len(names), not is_online(group), 0) for group, names in model.inputs.items()]
    rows += [(group, len([*flat(layout)]), False, 1) for group, layout in model.outputs.items()]
    given = ", ".join(f"g[{k}]" for k in range(len(rows)))
    return [
        f"static void call_{own}(double **g) {{ {inner}({given}); }}",
        f"static PyObject *method_{own}(PyObject *self, PyObject *arguments)", "{",
        f"    static const Group groups[{len(rows)}] = {{",
        *(f'        {{"{group}", {size}, {int(shared)}, {written}}},' for group, size, shared, written in rows),
        "    };", "    (void)self;", f"    return run(arguments, groups, {len(rows)}, call_{own});", "}", "",
    ]  # fmt: skip


def _project(name: str) -> str:
    version = import_module("robosym").__version__
    return "\n".join([
        "[build-system]", 'requires = ["setuptools>=61"]', 'build-backend = "setuptools.build_meta"', "", "[project]",
        f'name = "{name.lower().replace("_", "-")}"', f'version = "{version}"',
        f'description = "Functions of the robot {name}, written by robosym"', 'requires-python = ">=3.9"',
        'dependencies = ["numpy"]', "",
    ])  # fmt: skip
