"""Inverse geometric models and the closure of loops in steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from robosym.coordinates.loops import Loop, loops_of
from robosym.errors import InputError
from robosym.export.derivations.written import DerivationStep, StatedFormula
from robosym.mechanism import Robot
from robosym.model.solution.steps import Step, Writer
from robosym.solve.inverse_geometry import inverse_geometry
from robosym.solve.loop_geometry import loop_geometry

__all__ = ["inverse_steps", "loop_steps"]

_GENERAL = {
    "linear": r"X\,@ + Z = 0",
    "sine": r"X \sin @ + Y \cos @ + Z = 0",
    "pair": r"X_1 \sin @ + Y_1 \cos @ + Z_1 = 0, \quad X_2 \sin @ + Y_2 \cos @ + Z_2 = 0",
}


def inverse_steps(robot: Robot, link: int | None) -> tuple[DerivationStep, ...]:
    """Return the steps of the inverse geometric model of a frame."""
    found = inverse_geometry(robot) if link is None else inverse_geometry(robot, frame=link)
    if found.method == "general":
        words = (
            "The equations have no solution in steps. The general method eliminates all unknowns but one; see "
            "general_equations for its matrices, and solve for all solutions in numbers."
        )
        return (DerivationStep("General method", "", "", (), f"{found.reason} {words}"),)
    steps = list(_solved(found.steps, f"Pose of {found.problem.chain.goal}: {', '.join(found.problem.unknown)}"))
    for stage in found.loops:
        title = f"Loop of frames {stage.loop.cut} and {stage.loop.fixed}: {', '.join(stage.unknown)}"
        steps += _solved(stage.steps, title)
    return tuple(steps)


def loop_steps(robot: Robot) -> tuple[DerivationStep, ...]:
    """Return the closure of every loop: its equation, its parallelogram if it is one, and the passive joints."""
    if not robot.loops:
        raise InputError(f"{robot.name}: subject loops: expected a robot with closed loops")
    found = loop_geometry(robot)
    steps: list[DerivationStep] = []
    for loop in loops_of(robot):
        steps.append(_closure(robot, loop))
        for stage in (stage for stage in found.stages if stage.loop.cut == loop.cut):
            if stage.method == "general":
                steps.append(
                    DerivationStep("General method", "", "", (), "The loop is solved by elimination in numbers.")
                )
            linear = {name: text for name, text in found.linear.items() if name in stage.unknown}
            if linear:
                steps.append(_parallelogram(linear))
            steps += _solved(stage.steps, "")
    if found.together is not None:
        words = "These loops close only together; their joints follow from Newton's method from many starts."
        steps.append(DerivationStep("Loops without a closed form", "", "", (), words))
    return tuple(steps)


def _parallelogram(linear: Mapping[str, str]) -> DerivationStep:
    texts = (StatedFormula(f"{name} = {text}") for name, text in linear.items())
    words = (
        "The loop is a parallelogram: its opposite links stay parallel, so that the joints are sums of each other. "
        "The steps below give the same joints, and those of the crossed loop."
    )
    return DerivationStep("Parallelogram", "", "", tuple(texts), words)


def _closure(robot: Robot, loop: Loop) -> DerivationStep:
    near, far = (", ".join(robot.variable(j) for j in side if robot.frame(j).joint_type.moves) for side in _sides(loop))
    cut = f"{loop.root}T{loop.cut} = {loop.root}T{loop.fixed}"
    general = rf"{{}}^{{{loop.root}}}T_{{{loop.cut}}} = {{}}^{{{loop.root}}}T_{{{loop.fixed}}}"
    words = (
        f"The loop is cut at joint {loop.cut}: frames {loop.cut} and {loop.fixed} coincide when it is closed. One side "
        f"moves by {near or 'no joint'}, the other by {far or 'no joint'}."
    )
    return DerivationStep(
        "Equation of the loop", cut, general, (), words, f"Loop of frames {loop.cut} and {loop.fixed}"
    )


def _sides(loop: Loop) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return (*loop.near, loop.cut), loop.far


def _solved(steps: Sequence[Any], part: str) -> Iterator[DerivationStep]:
    """Yield one step per unknown: equation, coefficients, solution, and where it is singular."""
    writer = Writer([c for step in steps if isinstance(step, Step) for c in step.readable])
    for number, step in enumerate(steps):
        head = "" if number else part
        if not isinstance(step, Step):
            yield DerivationStep("Elimination", "", "", (), step.explain(), head)
            continue
        texts = [f"{name} = {text}" for name, text in writer.shared(step.readable)]
        texts += [f"{name} = {writer.text(value)}" for name, value in zip(step.values, step.readable, strict=True)]
        if step.solved is not None and step.form != "difference":
            pattern, parts = step.solved
            texts += [f"{name} = {text}" for name, text in writer.shared(parts)]
            texts.append(f"{step.joint} = {pattern.format(*map(writer.text, parts))}")
        elif step.form != "difference":
            texts.append(step.formula)
        stands = "" if len(step.variable.terms) == 1 else f" = {step.variable.name}"
        values = f"{step.branches} value{'s' if step.branches > 1 else ''}"
        heading = f"{step.joint}{stands}: equation of {step.type}, {values}, from {' and '.join(step.origins)}"
        general = _GENERAL.get(step.form, "").replace("@", _tex(step.joint)) if step.form in _GENERAL else ""
        note = f"Singular where {step.singular}." if ":" not in step.singular else f"Singular: {step.singular}."
        yield DerivationStep(heading, step.equation, general, tuple(map(StatedFormula, texts)), note, head)


def _tex(name: str) -> str:
    letters = name.rstrip("0123456789")
    return f"{letters}_{{{name[len(letters) :]}}}" if letters and letters != name else name
