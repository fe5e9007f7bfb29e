"""A book in Typst: the source, and the PDF that the `typst` package makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from robosym.algebra.typeset import read_infix, read_latex, to_typst
from robosym.errors import InputError
from robosym.export.book.blocks import (
    Block,
    BookFigure,
    BookTable,
    Chapter,
    DerivedSteps,
    DisplayedEquation,
    FormulaList,
    Paragraph,
    ProgramText,
    Section,
    segments,
)  # fmt: skip
from robosym.export.derivations.written import Derivation, DerivedMatrix, Formula

if TYPE_CHECKING:
    from robosym.export.book.book import Book

__all__ = ["pdf_bytes", "typst_files"]

_HEAD = """#set document(title: {title}, author: "robosym")
#set page(paper: "a4", margin: (x: 2.4cm, top: 2.6cm, bottom: 2.4cm))
#set text(font: "Libertinus Serif", size: 10.5pt, lang: "en")
#set par(justify: true, leading: 0.62em)
#set math.equation(numbering: none)
#show raw: set text(font: "DejaVu Sans Mono", size: 7.4pt)
#show heading: set text(fill: rgb("#1c2a52"))
#show heading.where(level: 1): it => block(above: 2.6em, below: 1.1em, sticky: true, it)
#show heading.where(level: 2): it => block(above: 1.5em, below: 0.7em, it)
#show heading.where(level: 3): it => block(above: 1.2em, below: 0.5em, text(size: 10.5pt, it))
#show figure: set block(above: 1.2em, below: 1.2em)
#show figure.where(kind: table): set figure.caption(position: top)
#show figure.where(kind: table): set block(breakable: true)
#show figure.caption: set text(size: 9pt)
#set table(stroke: none, inset: (x: 5pt, y: 3pt))
#show table: set text(size: 8.8pt)
#show table: set par(justify: false)
#let rule = table.hline(stroke: 0.6pt + rgb("#1c2a52"))
#let formula(placed, left, right) = block(above: 0.65em, below: 0.65em, inset: (left: 1em), grid(
  columns: (auto, 1fr), column-gutter: 0.35em, align: placed, left, par(justify: false, hanging-indent: 1em, right)))
#let beside(..items) = block(above: 0.7em, below: 0.7em, inset: (left: 1em), stack(dir: ltr, spacing: 2em, ..items))
"""
_COVER = """#page(margin: (x: 2.4cm, top: 4cm, bottom: 2.4cm), numbering: none)[
#set align(center)
#set par(justify: false)
#text(size: 28pt, weight: "bold", fill: rgb("#1c2a52"), {name})
#v(0.3em)
#text(size: 15pt, fill: rgb("#4a5674"), {subtitle})
#v(2.5em)
#image("cover.svg", width: 88%)
#v(1fr)
#set text(size: 10pt, fill: rgb("#4a5674"))
{facts}
]
#set page(numbering: "1", header: context {{
  let page = here().page()
  let before = query(heading.where(level: 1)).filter(it => it.location().page() <= page)
  if before.len() > 0 {{ text(size: 8.5pt, fill: rgb("#6a748c"))[#{name} #h(1fr) #before.last().body] }}
}})
#counter(page).update(1)
#outline(depth: 2, indent: auto)
#set heading(numbering: "1.1")
"""
_LONG_TABLE = 24  #: rows of a table that may continue on the next page
_LONG_ROW = 76  #: characters of a row of a matrix that is printed as a matrix


def typst_files(book: Book) -> dict[str, bytes]:
    """Return the source `main.typ` and its pictures by name."""
    writer = _Writer()
    lines = [_HEAD.format(title=_string(book.title))]
    facts = " #linebreak() ".join(f"#{_string(fact)}" for fact in book.facts)
    lines.append(_COVER.format(name=_string(book.robot_name), subtitle=_string(book.subtitle), facts=facts))
    numbered = True
    for chapter in book.chapters:
        if chapter.appendix and numbered:
            lines += ['#set heading(numbering: "A.1")', "#counter(heading).update(0)"]
            numbered = False
        lines += writer.chapter(chapter)
    files = {name: svg.encode() for name, svg in writer.pictures.items()}
    return {"main.typ": "\n".join(lines).encode(), "cover.svg": book.cover.encode(), **files}


def pdf_bytes(book: Book) -> bytes:
    """Return the book as PDF."""
    try:
        typst: Any = import_module("typst")
    except ImportError:
        raise InputError(
            "pdf: typst is not installed: run pip install 'robosym[book]', or write .html or .tex"
        ) from None
    found = typst.compile(typst_files(book), format="pdf")
    assert isinstance(found, bytes)
    return found


def _string(text: str) -> str:
    """Return text as a string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _inline(text: str) -> str:
    """Return text with formulas and code as content."""
    parts = []
    for kind, part in segments(text):
        if kind == "math":
            parts.append(f"${to_typst(read_infix(part))}$")
        else:
            parts.append(f"#raw({_string(part)})" if kind == "code" else f"#{_string(part)};")
    return "".join(parts)


class _Writer:
    def __init__(self) -> None:
        self.pictures: dict[str, str] = {}

    def chapter(self, chapter: Chapter) -> Iterator[str]:
        yield f"= #{_string(chapter.title)}"
        for block in chapter.blocks:
            yield from self.block(block)

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Paragraph():
                yield f"\n{_inline(block.text)}\n"
            case Section():
                yield f"== #{_string(block.text)}"
            case DisplayedEquation():
                yield f"$ {to_typst(read_latex(block.latex))} $"
            case FormulaList():
                yield from _formulas(block.formulas)
            case BookTable():
                yield _table(block)
            case BookFigure():
                yield self.figure(block)
            case DerivedSteps():
                yield from self.steps(block.derivation)
            case ProgramText():
                body = f"#raw({_string(block.text)}, lang: {_string(block.language or 'txt')}, block: true)"
                yield (
                    f"#columns({block.columns}, gutter: 1.2em)[#{body.removeprefix(chr(35))}]"
                    if block.columns > 1
                    else body
                )

    def image(self, svg: str) -> str:
        name = f"picture{len(self.pictures) + 1}.svg"
        self.pictures[name] = svg
        return name

    def figure(self, block: BookFigure) -> str:
        row = [block, *block.beside]
        images = [f'image("{self.image(one.svg)}", width: 100%)' for one in row]
        if len(row) == 1:
            return f"#figure(block(width: {100 * block.width:.0f}%, {images[0]}), caption: [{_inline(block.caption)}])"
        cells = ", ".join(
            f"stack(spacing: 0.5em, {image}, text(size: 9pt)[{_inline(one.caption)}])"
            for image, one in zip(images, row, strict=True)
        )
        return f"#block(above: 1em, below: 1em, grid(columns: {len(row)} * (1fr,), gutter: 1em, {cells}))"

    def steps(self, derivation: Derivation) -> Iterator[str]:
        if derivation.shorthand:
            pairs = [f"${to_typst(read_infix(f'{a} = {b}'))}$" for a, b in derivation.shorthand.items()]
            yield f'\n#"With "{", ".join(pairs)}.\n'
        for number, step in enumerate(derivation.steps, 1):
            if step.part:
                yield f"== #{_string(step.part)}"
            yield f"#block(above: 1em, below: 0.6em, sticky: true)[*{number}. #{_string(step.heading)};*]"
            if step.general:
                general = to_typst(read_latex(step.general))
                yield f"#block(above: 0.7em, below: 0.7em, inset: (left: 1em))[$display({general})$]"
            yield from _formulas(step.formulas)
            if step.note:
                yield f"\n#{_string(step.note)}\n"
            if step.posture is not None:
                name = self.image(step.posture.drawing().svg(ground=False))
                yield f'#align(center, image("{name}", width: 44%))'


def _formulas(formulas: Sequence[Formula]) -> Iterator[str]:
    row: list[str] = []  # short matrices side by side
    for formula in formulas:
        left, right = formula.sides
        matrix = isinstance(formula, DerivedMatrix)
        if isinstance(formula, DerivedMatrix) and formula.widest > _LONG_ROW:
            yield from _formulas(formula.entries())
            continue
        if isinstance(formula, DerivedMatrix) and formula.widest < _LONG_ROW / 2:
            row.append(f"$display({to_typst(left)} = {to_typst(right)})$")
            continue
        if row:
            yield f"#beside({', '.join(f'[{item}]' for item in row)})"
            row.clear()
        first = f"$display({to_typst(left)}) =$" if not left.empty else ""
        yield f"#formula({'horizon' if matrix else 'top'}, [{first}], [$display({to_typst(right)})$])"
    if row:
        yield f"#beside({', '.join(f'[{item}]' for item in row)})"


def _table(block: BookTable) -> str:
    count = len(block.head)
    align = ", ".join(["left"] * block.left + ["right"] * (count - block.left))
    head = ", ".join(f"[*{_inline(cell)}*]" for cell in block.head)
    rows = ",\n".join(", ".join(f"[{_inline(cell)}]" for cell in row) for row in block.rows)
    table = f"table(columns: {count}, align: ({align},), rule, table.header({head}), rule,\n{rows}, rule)"
    figure = f"#figure({table}, caption: [{_inline(block.caption)}])"
    return figure if len(block.rows) > _LONG_TABLE else f"#[#show figure: set block(breakable: false)\n{figure}]"
