"""How a model was made: from this the optimizer finds other recursions with the same outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robosym.mechanism import Robot
    from robosym.model.model import Model

__all__ = ["Derived", "Origin"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The function that made a model, and its arguments."""

    maker: Callable[..., Model]  #: a function of a module, so that models pickle
    robot: Robot
    options: Mapping[str, Any] = field(default_factory=dict)
    prepared: bool = False  #: the parameters are combined offline, before the model is used: base parameters
    coordinates: str = "joints"  #: those of the model; recursions of trees serve those of loops in another way

    def again(self, robot: Robot | None = None, **changed: Any) -> Model:
        """Make the model again, of another robot or with other options."""
        return self.maker(self.robot if robot is None else robot, **{**self.options, **changed})


@dataclass(frozen=True, slots=True)
class Derived:
    """The model whose outputs were differentiated, and by which groups of inputs."""

    model: Model
    groups: tuple[str, ...]
