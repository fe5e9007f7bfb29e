"""`rs.book`: the book of a robot, from its description to checked numbers and generated code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from robosym.coordinates.accepts import ALL, accepts
from robosym.drawing import draw
from robosym.drawing.example_values import example_values
from robosym.errors import InputError
from robosym.export.book.blocks import Chapter
from robosym.export.book.check_chapter import checked_numbers
from robosym.export.book.description_chapters import described, facts, notation
from robosym.export.book.dynamic_chapters import base, code, cost, dynamics, identification
from robosym.export.book.html_writer import html_page
from robosym.export.book.kinematic_chapters import geometry, inverse, loops, platform, velocity, workspace_of_arm
from robosym.export.book.latex_writer import latex_files
from robosym.export.book.number_checks import CheckedNumber
from robosym.export.book.typst_writer import pdf_bytes, typst_files
from robosym.files import write_bytes, write_text
from robosym.mechanism import Robot

__all__ = ["Book", "book"]


@dataclass(frozen=True, eq=False)
class Book:
    """Book of a robot; `write` writes it as PDF, HTML, LaTeX or Typst, and a notebook shows it as HTML.

    Attributes
    ----------
    robot_name : str
        Name of the robot.
    subtitle : str
        Line below the name.
    facts : tuple of str
        Short sentences of the cover.
    chapters : tuple of Chapter
        Chapters in order.

    Examples
    --------
    >>> import robosym as rs
    >>> made = rs.book(rs.load("planar2r"))
    >>> made.chapters[0].title
    'Description'
    """

    robot_name: str
    subtitle: str
    facts: tuple[str, ...]
    cover: str  #: picture (SVG)
    cover_page: str  #: interactive picture (HTML)
    chapters: tuple[Chapter, ...]
    formats: ClassVar[tuple[str, ...]] = (".pdf", ".html", ".tex", ".typ")  #: files that `write` writes

    @property
    def title(self) -> str:
        """Name and subtitle."""
        return f"{self.robot_name}: {self.subtitle}"

    @property
    def comparisons(self) -> tuple[CheckedNumber, ...]:
        """Numbers of the models beside the same numbers from elsewhere, as printed in the book."""
        return tuple(one for chapter in self.chapters for one in chapter.comparisons)

    def __str__(self) -> str:
        lines = [self.title, ""]
        return "\n".join([*lines, *(f"{k}. {c.title}" for k, c in enumerate(self.chapters, 1))]) + "\n"

    def __repr__(self) -> str:
        return f"<Book of {self.robot_name}, {len(self.chapters)} chapters>"

    def _repr_html_(self) -> str:
        return html_page(self)

    def write(self, path: str | Path) -> Path:
        """Write the book.

        Parameters
        ----------
        path : str or Path
            File to write: .pdf (requires `typst`: `pip install robosym[book]`), .html (self-contained, with
            interactive pictures), .tex or .typ (with pictures in files beside it).

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            If the extension is not supported, or typst is not installed.
        """
        path = Path(path)
        if path.suffix not in self.formats:
            raise InputError(f"{path}: expected an extension of {', '.join(self.formats)}")
        if path.suffix == ".pdf":
            write_bytes(path, pdf_bytes(self))
        elif path.suffix == ".html":
            write_text(path, html_page(self))
        elif path.suffix == ".typ":
            self._write_files(path, typst_files(self))
        else:
            text, pictures = latex_files(self, path.stem)
            for name, svg in pictures.items():
                write_text(path.parent / name, svg)
            write_text(path, text)
        return path

    @staticmethod
    def _write_files(path: Path, files: dict[str, bytes]) -> None:
        for name, content in files.items():
            write_bytes(path if name == "main.typ" else path.parent / name, content)


@accepts("fixed", platform=ALL)
def book(robot: Robot) -> Book:
    """Make the book of a robot: description, models with their derivations, plots, checked numbers and code.

    The chapters depend on the robot: inverse geometric model, Jacobian matrix and singular positions, workspace, closed
    loops or legs, dynamics (derived for small robots, as a listing for others), base parameters, identification
    model, comparison with numbers from elsewhere, operations, generated code.

    Parameters
    ----------
    robot : Robot
        Robot with a fixed base; a library name or a path is accepted too.

    Returns
    -------
    Book
        Book with a method `write` for .pdf, .html, .tex and .typ.

    Raises
    ------
    InputError
        If the robot is not supported.

    Examples
    --------
    >>> import robosym as rs
    >>> rs.book(rs.load("planar2r"))
    <Book of Planar arm with two revolute joints, 12 chapters>
    """
    if any(robot.joint(j).eta for j in robot.tree_joints):
        raise InputError(f"{robot.name}: book: expected rigid joints, found elastic ones")
    values = example_values(robot)
    numeric = robot.with_values(values) if values else robot
    picture = draw(robot, size=(760, 600), hide=("frames", "axes", "names"))
    chapters = tuple(chapter for chapter in _chapters(robot, numeric, values) if chapter.blocks)
    return Book(
        robot.title or robot.name, "models, derivations and numbers", (*facts(robot), _made()),
        picture.svg(ground=False), draw(robot, size=(900, 520)).html(), chapters,
    )  # fmt: skip


def _made() -> str:
    return f"made by robosym {import_module('robosym').__version__}"  # a regular import would be circular


def _chapters(robot: Robot, numeric: Robot, values: dict[str, float]) -> Iterator[Chapter]:
    """Yield the chapters of a robot; one that its kind does not have is left out."""
    omitted: list[str] = []
    made: list[Callable[[], Chapter]] = [lambda: described(robot, values)]
    if robot.coordinates == "platform":
        made.append(lambda: platform(robot, values))
    else:
        made.append(lambda: geometry(robot))
        if robot.loops:
            made.append(lambda: loops(robot))
        made.append(lambda: inverse(robot, numeric))
        made.append(lambda: velocity(robot, numeric))
        made.append(lambda: workspace_of_arm(numeric))
    made += [
        lambda: dynamics(robot, numeric), lambda: base(robot),
        lambda: identification(robot, values), lambda: checked_numbers(robot, numeric),
        lambda: cost(robot), lambda: code(robot), notation,
    ]  # fmt: skip
    for make in made:
        try:
            yield make()
        except InputError as error:  # a model that this robot does not have
            omitted.append(str(error))
    if omitted:
        chapter = Chapter("Models that this book leaves out", appendix=True)
        for reason in omitted:
            chapter.paragraph(reason)
        yield chapter
