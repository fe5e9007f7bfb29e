"""Friction of the joints as data: which terms there are, what each is called and what multiplies it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robosym.errors import InputError

__all__ = ["Friction"]

Array = NDArray[np.float64]
Term = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class Friction:
    """Terms of friction, each with one parameter a joint.

    | option | parameters of joint j | torque |
    | --- | --- | --- |
    | `viscous` | FVj | qd |
    | `coulomb` | FSj | sign(qd), or tanh(qd / smooth) |
    | `offset` | OFFj | 1 |
    | `asymmetric` | FVPj, FSPj, FVNj, FSNj instead | the same, for qd > 0 and for qd < 0; OFF is in FSP, FSN |
    | `stribeck` = speed | FBj | sign(qd) exp(-(qd / speed)^2) |
    | `load` | FLj | sign(qd) times the size of the torque of the inertial parameters |
    | `terms` = {"FC": f} | FCj | f(q, qd), of the position and the velocity of the joint |
    """

    viscous: bool = True
    coulomb: bool = True
    smooth: float = 0.0
    offset: bool = True
    asymmetric: bool = False
    stribeck: float | None = None
    load: bool = False
    terms: Mapping[str, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.smooth < 0:
            raise InputError(f"friction: smooth: expected a speed, found {self.smooth!r}")
        if self.stribeck is not None and not self.stribeck > 0:
            raise InputError(f"friction: stribeck: expected a speed, found {self.stribeck!r}")
        for name in self.terms:
            if not name.isidentifier() or name[-1].isdigit() or name in ("FV", "FS", "OFF", "FB", "FL", "IA"):
                raise InputError(f"friction: terms: expected a new name that ends in a letter, found {name!r}")

    def direction(self, qd: Array) -> Array:
        """The sign of the velocity, or what stands for it."""
        return np.tanh(qd / self.smooth) if self.smooth else np.sign(qd)

    def columns(self, q: Array, qd: Array) -> dict[str, Array]:
        """{name without the joint: what multiplies the parameter}, of the samples of one joint, load apart."""
        sign = self.direction(qd)
        found: dict[str, Array] = {}
        sides = (
            {"P": (qd > 0).astype(float), "N": (qd < 0).astype(float)} if self.asymmetric else {"": np.ones_like(qd)}
        )
        for side, holds in sides.items():
            if self.viscous:
                found[f"FV{side}"] = qd * holds
            if self.coulomb:
                found[f"FS{side}"] = sign * holds
        if self.stribeck is not None:
            found["FB"] = sign * np.exp(-((qd / self.stribeck) ** 2))
        for name, term in self.terms.items():
            values = np.asarray(term(q, qd), dtype=float)
            if values.shape != qd.shape or not np.isfinite(values).all():
                raise InputError(f"friction: {name}: expected a finite value for each of {len(qd)} samples")
            found[name] = values
        if self.offset and not (self.asymmetric and self.coulomb):
            found["OFF"] = np.ones_like(qd)
        return found
