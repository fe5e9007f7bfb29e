"""Compose several models into one graph, in which common subexpressions are computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from robosym.algebra import Expr, Graph
from robosym.algebra.interpret import substitute
from robosym.errors import InputError, closest
from robosym.model.domain import Domain, joined_domain
from robosym.model.groups import declare, is_online
from robosym.model.model import Model
from robosym.model.naming import Layout, flat, shape

__all__ = ["compose"]


def compose(*models: Model, wires: Mapping[str, str] | None = None) -> Model:
    """Compose models in order, so that outputs of one are inputs of the following ones.

    Inputs with the same name are one input. All outputs remain outputs; use `select` to choose among them. If two
    models have different outputs with the same name, the name of the later one gets the position of its model as a
    suffix: GAM1_2, in the group tau_2.

    Parameters
    ----------
    *models : Model
        The models, first to last.
    wires : mapping of str to str, optional
        {output group: input group} to connect; {} connects nothing. By default, an output group is connected to the
        input group of the same name, and the last model that has it wins.

    Returns
    -------
    Model
        The composition.

    Raises
    ------
    InputError
        If no model is given, a group in `wires` is unknown, or two connected groups differ in size.

    Examples
    --------
    >>> import robosym as rs
    >>> both = rs.compose(rs.direct_geometry("planar2r"), rs.gravity_torques("planar2r"))
    >>> list(both.outputs)
    ['T', 'Q']
    """
    _check(models, wires)
    inputs = _inputs(models, wires)
    graph = Graph()
    declare(graph, inputs)
    taken = {name: graph.symbol(name) for names in inputs.values() for name in names}  #: expression of each name
    definitions: dict[str, Expr] = {}
    outputs: dict[str, Layout] = {}
    given: dict[str, list[Expr]] = {}  #: output groups so far
    domains: list[Domain] = []
    about: dict[str, str] = {}
    for place, model in enumerate(models, 1):
        values: dict[str, Expr] = {}
        for group, source in _wired(model, given, wires).items():
            values |= dict(zip(model.inputs[group], given[source], strict=True))
        if model.domain is not None:
            domains.append(partial(_fed, model.domain, graph, values))
        names = list(model.definitions)
        made = dict(zip(names, substitute([model.definitions[name] for name in names], graph, values), strict=True))
        called = {}
        for name, value in made.items():
            called[name] = name if taken.setdefault(name, value) is value else f"{name}_{place}"
            taken.setdefault(called[name], value)
            definitions[called[name]] = value
        for group, layout in model.outputs.items():
            given[group] = [made[name] for name in flat(layout)]
            renamed = _renamed(layout, called)
            name = group if outputs.get(group, renamed) == renamed else f"{group}_{place}"
            outputs[name], about[name] = renamed, model.meaning(group, output=True)
        about |= {key: words for key, words in model.about.items() if key.startswith("in ")}
    robots = {id(model.robot): model.robot for model in models}
    return Model(
        "_".join(dict.fromkeys(model.name for model in models)),
        "_".join(dict.fromkeys(model.kind for model in models)),
        "; ".join(dict.fromkeys(model.title for model in models)),
        inputs,
        outputs,
        definitions,
        graph,
        models[0].robot if len(robots) == 1 else None,
        domain=joined_domain(domains),
        about={group: words for group, words in about.items() if words},
    )


def _fed(domain: Domain, graph: Graph, values: Mapping[str, Expr]) -> Expr | None:
    """Return the margin of a model whose inputs are connected to previous models."""
    margin = domain()
    return None if margin is None else substitute([margin], graph, values)[0]


def _check(models: Iterable[Model], wires: Mapping[str, str] | None) -> None:
    models = list(models)
    if not models:
        raise InputError("compose: expected models, found none")
    for place, model in enumerate(models, 1):
        if not isinstance(model, Model):
            raise InputError(f"compose: expected models, found {type(model).__name__} in place {place}")
    outputs = {group for model in models[:-1] for group in model.outputs}
    inputs = {group for model in models[1:] for group in model.inputs}
    for source, target in (wires or {}).items():
        for what, group, known in (("output", source, outputs), ("input", target, inputs)):
            if group not in known:
                raise InputError(f"wires: unknown {what} group {group!r}{closest(group, known)}")


def _wired(model: Model, given: Mapping[str, Iterable[object]], wires: Mapping[str, str] | None) -> dict[str, str]:
    """Return {input group: output group that is connected to it}."""
    by_name = {group: group for group in given} if wires is None else wires
    found = {target: source for source, target in by_name.items() if source in given and target in model.inputs}
    for group, source in found.items():
        wanted, offered = len(model.inputs[group]), len(list(given[source]))
        if wanted != offered:
            raise InputError(f"{source}: expected {wanted} outputs, as {group} of {model.title} has, found {offered}")
    return found


def _inputs(models: Iterable[Model], wires: Mapping[str, str] | None) -> dict[str, tuple[str, ...]]:
    """Return the inputs that are not connected; a symbol that is online in one model is online in all of them."""
    given: dict[str, tuple[str, ...]] = {}
    left: list[tuple[str, str]] = []
    for model in models:
        wired = _wired(model, given, wires)
        left += [(name, group) for group, names in model.inputs.items() if group not in wired for name in names]
        given |= {group: tuple(flat(layout)) for group, layout in model.outputs.items()}
    home: dict[str, str] = {}
    for name, group in sorted(left, key=lambda pair: not is_online(pair[1])):
        home.setdefault(name, group)
    groups = sorted(dict.fromkeys(group for _, group in left), key=lambda group: group == "parameters")
    names = list(dict.fromkeys(name for name, _ in left))
    return {group: tuple(name for name in names if home[name] == group) for group in groups}


def _renamed(layout: Layout, called: Mapping[str, str]) -> Layout:
    if len(shape(layout)) == 1:
        return tuple(called[name] for name in flat(layout))
    return tuple(tuple(called[name] for name in row) for row in layout)
