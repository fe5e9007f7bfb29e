"""What a command gave, as plain data that a page shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what makes models is loaded when something is made: the page is there before
    from robosym.app.session.equations import SetSection
    from robosym.model import Model

__all__ = ["Counts", "Shown", "ShownCode", "ShownGroup"]


@dataclass(frozen=True)
class Counts:
    """Operations as the guide counts them."""

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
    """A group of inputs or outputs: names (of a matrix row by row), size and meaning."""

    name: str
    names: list[str]
    size: list[int]
    said: str


@dataclass(frozen=True)
class ShownCode:
    """A text in a language, as the file of this name has it, and what is written beside it."""

    language: str
    file: str
    text: str
    beside: dict[str, str] = field(default_factory=dict)
    line: str = ""  #: the command line that writes it
    python: str = ""
    program: str = ""  #: the Python with its imports


@dataclass(frozen=True)
class Shown:
    """What a command gave."""

    gives: str  #: "model", "solution", "text", "numbers", "drawing", "files"
    title: str
    about: str = ""
    seconds: float = 0.0
    counts: Counts | None = None
    inputs: list[ShownGroup] = field(default_factory=list)
    outputs: list[ShownGroup] = field(default_factory=list)
    sections: list[SetSection] = field(default_factory=list)
    sources: dict[str, ShownCode] = field(default_factory=dict)  #: by language, as far as they were asked for
    languages: list[str] = field(default_factory=list)  #: in which it can be had
    text: str = ""
    names: list[str] = field(default_factory=list)  #: of the columns of a table of numbers
    rows: list[list[float]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)  #: of a table of texts
    cells: list[list[str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    picture: str = ""  #: SVG
    files: dict[str, bytes] = field(default_factory=dict)
    line: str = ""
    python: str = ""
    program: str = ""
    kept: bytes | None = field(default=None, repr=False)  #: the model, for whoever asks on
