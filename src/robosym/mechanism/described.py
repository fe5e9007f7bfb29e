"""What every description of a robot has in common: when two are equal, how one shows itself, how it is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robosym.drawing.draw import Drawing

__all__ = ["Described"]


class Described(ABC):
    """A robot with joints, with a platform, or of several modules; two are equal where their keys are."""

    @abstractmethod
    def _key(self) -> tuple[Any, ...]:
        """Name, structure and expressions as written; title, source, picture and origin are remarks."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Described) or type(other) is not type(self):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    # ----------------------------------------------------------------- showing

    def __repr__(self) -> str:
        from robosym.mechanism.sheets import one_line

        return one_line(self)

    def __str__(self) -> str:
        from robosym.mechanism.sheets import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from robosym.mechanism.sheets import as_html_page, sheets

        title = f"{self.name}  {self.title}"  # type: ignore[attr-defined]
        return as_html_page(title, list(sheets(self, 5)))

    def _repr_latex_(self) -> str:
        from robosym.mechanism.sheets import as_latex_array

        return as_latex_array(self)

    # ----------------------------------------------------------------- writing

    def write(self, path: str | Path) -> None:
        """Write the description; the extension chooses the format."""
        from robosym.formats import write

        write(self, path)  # type: ignore[arg-type]

    def draw(self, q: Any = None, **options: Any) -> Drawing:
        """A picture of the robot at the positions `q` of its joints or, where passive ones follow, of its motors.

        With the options of `rs.draw`; a notebook shows it.
        """
        from robosym.drawing import draw

        return draw(self, q, **options)  # type: ignore[arg-type]
