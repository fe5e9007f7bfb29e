"""Provenance of a model, from which the optimizer derives other recursions with the same outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from robosym.mechanism import Robot
    from robosym.model.model import Model

__all__ = ["Derived", "Origin", "Proof"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The function that generated a model, and its arguments."""

    maker: Callable[..., Model]  #: a module-level function, so that models can be pickled
    robot: Robot
    options: Mapping[str, Any] = field(default_factory=dict)
    prepared: bool = False  #: whether the inputs are base parameters, combined offline
    coordinates: str = "joints"  #: coordinates of the model, which determine the available recursions

    def again(self, robot: Robot | None = None, **changed: Any) -> Model:
        """Generate the model again, for another robot or with other options."""
        return self.maker(self.robot if robot is None else robot, **{**self.options, **changed})


@dataclass(frozen=True, slots=True)
class Derived:
    """Provenance of derivatives: the differentiated model, and the groups of inputs."""

    model: Model
    groups: tuple[str, ...]


class Proof(Protocol):
    """Proof that an optimized model has the outputs of the plain one: a `Certificate` of the optimizer."""

    @property
    def text(self) -> str: ...
    @property
    def error(self) -> float: ...
    @property
    def degree(self) -> int: ...
    @property
    def conditions(self) -> tuple[str, ...]: ...
    def check(self) -> bool: ...
    def write(self, directory: str | Path) -> list[Path]: ...
