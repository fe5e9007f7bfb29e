"""The order of the packages, lowest first: a module imports only its own package and lower ones.

`ORDER` is the only place that defines this order. It applies to imports at module level and inside functions.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import robosym

ORDER = (
    "errors", "time_limits", "safe_text", "files", "table_files", "algebra", "spatial", "mechanism", "formats",
    "typed_values", "model", "chains", "coordinates", "parameters", "dynamics", "optimizer", "languages", "runtime",
    "solve", "kinematics", "drawing", "studies", "control", "simulation", "experiment", "export", "app", "__main__",
)  # fmt: skip
#: methods that import a higher package when they are called: (module, package)
CONVENIENCES = {
    ("mechanism.robot", "formats"),  # Robot.write, Robot.dumps, Robot.new
    ("mechanism.robot", "drawing"),  # Robot.draw
    ("mechanism.robot", "coordinates"),  # Robot.reference, Robot.check: where the legs of a platform close
    ("dynamics.linearize", "drawing"),  # LinearModel.animate
    ("model.model", "languages"),  # Printed.code, Printed.write (models, recipes), Model.to_casadi, Model.to_jax
    ("model.model", "export"),  # Printed.write of functional mock-up units
    ("model.model", "coordinates"),  # Model.derivative, Model.gradient along loops
    ("model.model", "runtime"),  # Model.compile, Model.precision
}
SOURCE = Path(robosym.__file__).parent


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        yield name.removesuffix(".__init__"), ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Yield (module below robosym, whether the import is at module level) for every import of a module."""
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "robosym":
            if node.module == "robosym":
                yield from ((alias.name, id(node) in top) for alias in node.names)
            else:
                yield node.module.removeprefix("robosym."), id(node) in top
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("robosym."):
                    yield alias.name.removeprefix("robosym."), id(node) in top


def package_of(module: str) -> str:
    return module.split(".")[0]


def test_every_package_is_in_the_order() -> None:
    packages = {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert packages - {"__init__"} == set(ORDER)


def test_no_package_imports_a_higher_one() -> None:
    upward = [
        f"{name} imports {target}"
        for name, tree in modules()
        if name != "__init__"
        for target, at_top in imports(tree)
        if ORDER.index(package_of(target)) > ORDER.index(package_of(name))
        if at_top or (name, package_of(target)) not in CONVENIENCES
    ]
    assert not upward, "\n".join(upward)


def test_check_detects_upward_import() -> None:
    tree = ast.parse("def f():\n    from robosym.dynamics import inverse_dynamics\nimport robosym.app.cli.main")
    assert set(imports(tree)) == {("dynamics", False), ("app.cli.main", True)}


def test_module_and_class_names_are_unique() -> None:
    """Two modules, or two public classes, never share a name."""
    files, classes = defaultdict(list), defaultdict(list)
    for name, tree in modules():
        if name.split(".")[-2:-1] != name.split(".")[-1:]:  # the main file of a package may have its name
            files[name.split(".")[-1]].append(name)
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(name)
    twice = {key: places for key, places in {**files, **classes}.items() if len(places) > 1}
    assert not twice, "\n".join(f"{key}: {', '.join(places)}" for key, places in sorted(twice.items()))
