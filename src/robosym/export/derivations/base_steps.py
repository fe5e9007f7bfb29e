"""Base inertial parameters: for each link, the rule that groups its parameters with others, and why it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from robosym.algebra import Expr, Graph
from robosym.errors import InputError
from robosym.export.derivations.written import DerivationStep, DerivedFormula, StatedFormula
from robosym.mechanism import INERTIA, Robot
from robosym.parameters import base_parameters
from robosym.parameters.by_rules import GroupingRecord, LinkGrouping, grouped_by_rules
from robosym.parameters.linear_forms import collected, linear_coefficients, row_text
from robosym.parameters.standard import LinkField, inertial_fields, standard_parameters

__all__ = ["base_steps"]

#: why each rule holds: {j} is the link, {i} its antecedent
_WHY = {
    "theorem 1": (
        "Joint {j} is revolute: YY{j}, MZ{j} and M{j} act as parameters of link {i}, because the energy of a mass on "
        "the axis of the joint, and of equal inertias about x and y, does not depend on the motion of the joint."
    ),
    "rule 4": (
        "Link {j} rotates about one direction only, parallel to its axis: XX{j}, XY{j}, XZ{j} and YZ{j} have no effect."
    ),
    "rule 5": "The axis is parallel to gravity and does not move: MX{j} and MY{j} have no effect.",
    "theorem 4": (
        "The axis of joint {j} is perpendicular to all motions of link {i}: the inertia of the rotor, IA{j}, acts as "
        "that of the link."
    ),
    "theorem 2": (
        "Joint {j} is prismatic: links {j} and {i} have the same angular velocity, so that the inertia tensor of link "
        "{j} acts as that of link {i}."
    ),
    "theorem 3 a": "Link {j} rotates about one direction only: its first moment along that direction has no effect.",
    "theorem 3 b": (
        "Link {j} rotates about the axis of joint {j} only: MX{j} and MY{j} act as those of link {i}, and MZ{j} has no "
        "effect."
    ),
    "no rotation": "Link {j} does not rotate: its first moments have no effect.",
    "mass": "Joint {j} moves the link perpendicular to gravity: M{j} acts as on link {i}, except for its own motion.",
    "parallelogram": "A parallelogram prevents link {j} from rotating: only its mass acts, as that of link {i}.",
    "fixed point": "Without gravity, the link rotates about a fixed point: MX{j} and MY{j} act as XZ{j} and YZ{j}.",
    "fixed": "Frame {j} does not move relative to link {i}: all its parameters are added to those of link {i}.",
    "helical": "Joint {j} is helical: YY{j} acts as an inertia of link {i}, and XX{j} remains as XX{j} - YY{j}.",
}  # fmt: skip
#: general equations of the rules that group parameters
_EQUATIONS = {
    "theorem 1": (
        "Ki + YYj (e_XX + e_YY) + MZj e_MZ + Mj e_M, moved to frame i; XXRj = XXj - YYj",
        r"K_{Ri} = K_i + YY_j\left({}^{i}\lambda^{XX}_j + {}^{i}\lambda^{YY}_j\right) + MZ_j\,{}^{i}\lambda^{MZ}_j"
        r" + M_j\,{}^{i}\lambda^{M}_j, \quad XX_{Rj} = XX_j - YY_j",
    ),
    "theorem 2": ("JRi = Ji + iAj Jj jAi", r"J_{Ri} = J_i + {}^{i}A_j\,J_j\,{}^{j}A_i"),
}  # fmt: skip
_LOOP = (
    "An inertia that a cut joint does not change has the same energy on both links that it connects: for a revolute "
    "joint the mass, MZ, and equal XX and YY."
)
_SHAPE = " Opposite links of a parallelogram rotate alike, so that their inertia tensors act alike."


def base_steps(robot: Robot) -> tuple[DerivationStep, ...]:
    """Return the groupings from the last link to the first, the relations of loops, and the result."""
    found = base_parameters(robot)
    if robot.coordinates != "joints" and not robot.loops:
        raise InputError(
            f"{robot.name}: subject base_parameters: expected a tree or closed loops; the parameters of a platform "
            "follow from a numeric rank, see base_parameters"
        )
    record = GroupingRecord()
    standard = standard_parameters(robot, bool(robot.loops))
    grouped_by_rules(robot, standard, bool(robot.loops), record)
    steps = [step for link in record.links for step in _of_link(link, record.names)]
    steps = [_with_part(step, "Links from the last to the first" if not k else "") for k, step in enumerate(steps)]
    if record.relations:
        steps.append(_of_loops(record))
    texts = {name: row_text(row) for name, row in found.coefficients.items()}
    result = tuple(StatedFormula(f"{name} = {text}") for name, text in texts.items() if text != name)
    alone = [name for name, text in texts.items() if text == name]
    grouped = [name for name in found.eliminated if name not in found.without_effect]
    remarks = f"Not grouped: {', '.join(alone) or 'none'}. Grouped with others: {', '.join(grouped) or 'none'}. "
    remarks += f"Without effect: {', '.join(found.without_effect) or 'none'}."
    if found.missed:
        remarks += f" A numeric rank groups in addition: {', '.join(found.missed)}."
    heading = f"{len(found.names)} base parameters of {len(found.standard_names)}"
    steps.append(DerivationStep(heading, "", "", result, remarks, "Result"))
    return tuple(steps)


def _with_part(step: DerivationStep, part: str) -> DerivationStep:
    return DerivationStep(step.heading, step.equation, step.general, step.formulas, step.note, part)


def _of_link(link: LinkGrouping, names: Mapping[LinkField, str]) -> Iterator[DerivationStep]:
    """Yield the grouping of one link, unless nothing changes."""
    j, i = link.link, link.antecedent
    known = {names[at] for at in names}
    (before, rotor), (after, rotor_after) = link.before, link.after
    own = {f"{name}{j}": (getattr(before, name), getattr(after, name)) for name in INERTIA}
    own[f"IA{j}"] = rotor, rotor_after
    formulas = list(_changed(own, known))
    if i:
        formulas += [
            formula
            for name in INERTIA
            if isinstance(value := getattr(link.antecedent_after, name), Expr)
            for formula in _grouping(f"{name}{i}", value, known, f"{name}{j}", j, names)
        ]
    gone = [name for name, (old, new) in own.items() if isinstance(old, Expr) and not old.is_zero and _is_zero(new)]
    if not formulas and not gone:
        return
    equation, general = next((_EQUATIONS[rule] for rule in link.rules if rule in _EQUATIONS), ("", ""))
    words = " ".join(_WHY[rule].format(i=i or "0, the base", j=j) for rule in link.rules)
    if gone:
        words += f" No longer needed: {', '.join(gone)}."
    yield DerivationStep(f"Link {j}", equation, general, tuple(formulas), words)


def _is_zero(value: object) -> bool:
    return value.is_zero if isinstance(value, Expr) else not value


def _changed(own: Mapping[str, tuple[object, object]], known: set[str]) -> Iterator[DerivedFormula]:
    """Yield the parameters of the link that remain with another value."""
    for name, (old, new) in own.items():
        if isinstance(new, Expr) and not new.is_zero and new is not old:
            if isinstance(old, Expr) and old.node is new.node and old.negative is new.negative:
                continue
            yield DerivedFormula(f"{name}R", _collected(new, known))


def _grouping(
    name: str, value: Expr, known: set[str], _: str, j: int, names: Mapping[LinkField, str]
) -> Iterator[DerivedFormula]:
    """Yield the value of a parameter of the antecedent if it received parameters of link j."""
    received = {names[j, entry] for entry in inertial_fields if (j, entry) in names}
    if received & set(linear_coefficients(value, known)):
        yield DerivedFormula(f"{name}R", _collected(value, known))


def _collected(value: Expr, known: set[str]) -> Expr:
    """Return a linear form with one bracket per coefficient."""
    order = sorted(known, key=lambda name: (int("".join(filter(str.isdigit, name)) or 0), name))
    return collected({"": value}, order)[""]


def _of_loops(record: GroupingRecord) -> DerivationStep:
    """Return the relations between energy functions that loops add, each solved for an eliminated one."""
    texts = []
    for gone, row in record.relations.items():
        terms = Graph()
        energies = {f"e_{record.names[at]}": c for at, c in row.items()}
        total = terms.zero
        for name, coefficient in energies.items():
            total = total + terms.copy([coefficient])[0] * terms.symbol(name)
        texts.append(f"e_{record.names[gone]} = {row_text(linear_coefficients(total, energies)) if row else '0'}")
    words = _LOOP + (_SHAPE if record.parallelograms else "")
    words += " Each relation between energy functions e removes one parameter, whose content moves to the others."
    return DerivationStep(
        "Relations of the loops", "", "", tuple(map(StatedFormula, texts)), words, "Closed loops"
    )  # fmt: skip
