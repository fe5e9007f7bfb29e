"""The result of a command as plain data for the page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from robosym.app.session.requests import Equivalent

if TYPE_CHECKING:  # the page starts before the modules that generate models are imported
    from robosym.languages.sections import SetSection
    from robosym.model import Model
    from robosym.model.solution.book_steps import BookStep

__all__ = ["CommandResult", "Counts", "ShownCode", "ShownGroup"]


@dataclass(frozen=True)
class Counts:
    """Operation counts by the rules of the guide."""

    additions: int
    multiplications: int
    functions: int
    total: int
    online: int

    @classmethod
    def of(cls, model: Model) -> Counts:
        found = model.operations
        online = found.total if found.online is None else found.online.total
        return cls(found.additions, found.multiplications, found.functions, found.total, online)


@dataclass(frozen=True)
class ShownGroup:
    """A group of inputs or outputs: names (a matrix row by row), size and meaning."""

    name: str
    names: list[str]
    size: list[int]
    meaning: str


@dataclass(frozen=True)
class ShownCode:
    """Source code as its file contains it, with the name of the file and of accompanying files."""

    language: str
    file: str
    text: str
    same: Equivalent  #: commands that write it
    beside: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CommandResult:
    """The result of a command."""

    gives: str  #: "model", "solution", "text", "numbers", "drawing", "files"
    title: str
    same: Equivalent
    about: str = ""
    seconds: float = 0.0
    counts: Counts | None = None
    inputs: list[ShownGroup] = field(default_factory=list)
    outputs: list[ShownGroup] = field(default_factory=list)
    sections: list[SetSection] = field(default_factory=list)
    sources: dict[str, ShownCode] = field(default_factory=dict)  #: generated code by language
    languages: list[str] = field(default_factory=list)  #: available languages
    text: str = ""
    steps: list[BookStep] = field(default_factory=list)  #: steps of a solution, to be typeset
    names: list[str] = field(default_factory=list)  #: column names of a table of numbers
    rows: list[list[float]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)  #: column names of a table of texts
    cells: list[list[str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    picture: str = ""  #: SVG
    files: dict[str, bytes] = field(default_factory=dict)
    kept: bytes | None = field(default=None, repr=False)  #: the pickled model, for later requests
