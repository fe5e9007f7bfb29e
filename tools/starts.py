"""Write `src/robosym/solve/starts.json`: all solutions of a complex instance of the distance problem per motion group.

The instance is computed from a pose, so one solution is known. Moving the distances along closed loops in the complex
numbers permutes the solutions (monodromy), so each loop may lead from known solutions to new ones. The search ends when
the maximum number is found: 40 in space (Ronga and Vust 1992), 6 in the plane, 8 about a point, 2 for translations.
Tests certify the stored solutions: they are distinct, and alpha is below Smale's bound for each.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from robosym.solve.continuation import MOTIONS, Instance, MotionGroup, follow, refined

TARGET = Path(__file__).resolve().parent.parent / "src" / "robosym" / "solve" / "starts.json"
Array = np.ndarray[Any, np.dtype[Any]]
LOOPS = 60  #: minimum number of loops, so that a surplus solution would be found


def start(motion: MotionGroup) -> dict[str, list[Any]]:
    draw = np.random.default_rng(1)

    def numbers(*shape: int) -> Array:
        return np.round(draw.normal(size=shape) + 1j * draw.normal(size=shape), 3)

    a, b, e, p = numbers(motion.legs, 3), numbers(motion.legs, 3), numbers(4), numbers(3)
    used = motion.coordinates
    e, p = np.where(np.isin(range(4), used), e, 0), np.where(np.isin([5, 6, 7], used), p, 0)
    if motion.name == "plane":
        a[:, 2] = b[:, 2] = 0
    h = np.array([-(p @ e[1:]), *(p * e[0] + np.cross(p, e[1:]))])
    x = np.concatenate([e, h])[list(used)][None]
    W = motion.legs_of(a, b)
    d = ((W @ x[0]) ** 2).sum(1) / (e @ e)
    found, size, loops = x, 2 * np.sqrt(np.abs(d).mean()), 0
    while len(found) < motion.solutions or loops < LOOPS:
        loops += 1
        corners = [d, d + size * numbers(motion.legs), d + size * numbers(motion.legs), d]
        x = found
        for before, after in pairwise(corners):
            paths = follow(x, Instance(motion, W, before), Instance(motion, W, after), 0.3)
            x = paths.x[paths.arrived]
        x, corrections = refined(x, Instance(motion, W, d))
        for point in x[corrections < 1e-11]:
            if np.all(np.abs(found.conj() @ point) < (1 - 1e-7) * np.linalg.norm(found, axis=1)):
                found = np.vstack([found, point])
    if len(found) != motion.solutions:
        raise SystemExit(f"{motion.name}: {len(found)} solutions, expected {motion.solutions}")
    found /= np.linalg.norm(found, axis=1, keepdims=True)

    def rows(values: Array, digits: int) -> list[Any]:
        return np.stack([values.real, values.imag], -1).round(digits).tolist()  # type: ignore[no-any-return]

    return {"a": rows(a, 3), "b": rows(b, 3), "d": rows(d, 15), "x": rows(found, 9)}


def main() -> None:
    texts = []
    for name, motion in MOTIONS.items():
        fields = ",\n  ".join(f'"{key}": {json.dumps(value)}' for key, value in start(motion).items())
        texts.append(f'"{name}": {{\n  {fields}\n}}'.replace("]], [[", "]],\n   [["))
        print(f"{name}: {motion.solutions} poses")
    TARGET.write_text("{\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
