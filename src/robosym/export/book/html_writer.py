"""A book as one self-contained HTML page with interactive pictures; formulas are MathML."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from robosym.algebra.typeset import read_infix, read_latex, to_mathml
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
from robosym.export.derivations.written import STYLE, DerivedMatrix, Formula, formula_html
from robosym.safe_text import markup

if TYPE_CHECKING:
    from robosym.export.book.book import Book

__all__ = ["html_page"]

_PAGE_STYLE = """
:root{--text:#1f2430;--soft:#5b6478;--line:#dfe3ea;--head:#1c2a52;--ground:#fff;--code:#f6f7f9}
*{box-sizing:border-box}body{margin:0;color:var(--text);background:var(--ground);font:17px/1.6 Georgia,
"Libertinus Serif","Times New Roman",serif;display:grid;grid-template-columns:17em minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:2em 1.4em;border-right:1px solid var(--line);
font:14px/1.5 system-ui,sans-serif}nav a{display:block;color:var(--soft);text-decoration:none;padding:.2em 0}
nav a:hover{color:var(--head)}main{max-width:52em;padding:2em 3em 6em}
h1,h2,h3{color:var(--head);line-height:1.25}h1{font-size:2.4em;margin:.2em 0}h2{margin-top:2.6em;font-size:1.7em;
border-bottom:1px solid var(--line);padding-bottom:.25em}h3{margin-top:1.8em}
.subtitle{color:var(--soft);font-size:1.2em}
table{border-collapse:collapse;margin:.6em 0;font-size:.86em;border-top:1.5px solid var(--head);
border-bottom:1.5px solid var(--head)}th{border-bottom:1px solid var(--head)}th,td{padding:.25em .7em;text-align:right}
.scroll{overflow-x:auto}td.left,th.left{text-align:left}figure{margin:1.6em 0}
figcaption{color:var(--soft);font-size:.88em}
figure img{width:100%;height:auto}.row{display:grid;gap:1em;grid-auto-columns:1fr;grid-auto-flow:column}
iframe{border:1px solid var(--line);border-radius:8px;width:100%}pre{background:var(--code);padding:1em;overflow-x:auto;
font:12.5px/1.45 ui-monospace,"DejaVu Sans Mono",monospace;border-radius:6px;max-height:40em}
.two{columns:2;column-gap:2em}code{font-size:.85em}
@media(max-width:60em){body{display:block}nav{position:static;height:auto;border:0}main{padding:1em}}
@media print{nav{display:none}body{display:block}}
"""
_LONG_ROW = 90  #: characters of a row of a matrix that is printed as a matrix


def html_page(book: Book) -> str:
    """Return the book as an HTML page."""
    links = "".join(
        f'<a href="#chapter{k}">{k}. {markup(c.title)}</a>' for k, c in enumerate(book.chapters, 1)
    )  # fmt: skip
    facts = "<br>".join(map(markup, book.facts))
    body = "\n".join(part for k, chapter in enumerate(book.chapters, 1) for part in _chapter(k, chapter))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{markup(book.title)}</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_PAGE_STYLE}{STYLE}</style></head>'
        f"\n<body><nav><b>{markup(book.robot_name)}</b>{links}</nav><main><h1>{markup(book.robot_name)}</h1>"
        f'<p class="subtitle">{markup(book.subtitle)}</p>{_frame(book.cover_page)}<p>{facts}</p>\n{body}\n'
        "</main></body></html>\n"
    )


def _frame(page: str) -> str:
    return f'<iframe srcdoc="{escape(page)}" height="520" title="interactive picture"></iframe>'


def _chapter(number: int, chapter: Chapter) -> Iterator[str]:
    yield f'<section id="chapter{number}"><h2>{number}. {markup(chapter.title)}</h2>'
    for block in chapter.blocks:
        yield _block(block)
    yield "</section>"


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return f"<p>{_inline(block.text)}</p>"
        case Section():
            return f"<h3>{markup(block.text)}</h3>"
        case DisplayedEquation():
            return f'<div class="general">{to_mathml(read_latex(block.latex))}</div>'
        case FormulaList():
            return _formulas(block.formulas)
        case BookTable():
            return _table(block)
        case BookFigure():
            return _figure(block)
        case DerivedSteps():
            return block.derivation.body(title=False, opened=True)
        case ProgramText():
            kind = ' class="two"' if block.columns > 1 else ""
            return f"<pre{kind}>{markup(block.text)}</pre>"


def _inline(text: str) -> str:
    parts = []
    for kind, part in segments(text):
        if kind == "math":
            parts.append(to_mathml(read_infix(part)))
        else:
            parts.append(f"<code>{markup(part)}</code>" if kind == "code" else markup(part))
    return "".join(parts)


def _formulas(formulas: Sequence[Formula]) -> str:
    found = []
    for formula in formulas:
        if isinstance(formula, DerivedMatrix) and formula.widest > _LONG_ROW:
            found.append(_formulas(formula.entries()))
        else:
            found.append(formula_html(formula))
    return "".join(found)


def _table(block: BookTable) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        kinds = (' class="left"' if k < block.left else "" for k in range(len(cells)))
        found = (f"<{tag}{kind}>{_inline(text)}</{tag}>" for kind, text in zip(kinds, cells, strict=True))
        return f"<tr>{''.join(found)}</tr>"

    rows = "".join(row(cells, "td") for cells in block.rows)
    caption = f"<figcaption>{_inline(block.caption)}</figcaption>"
    return f'<figure>{caption}<div class="scroll"><table>{row(block.head, "th")}{rows}</table></div></figure>'


def _figure(block: BookFigure) -> str:
    if block.page:
        return f"<figure>{_frame(block.page)}<figcaption>{_inline(block.caption)}</figcaption></figure>"
    if not block.beside:
        width = f"max-width:{100 * block.width:.0f}%"
        return f'<figure style="{width}">{_image(block)}<figcaption>{_inline(block.caption)}</figcaption></figure>'
    cells = (
        f"<div>{_image(one)}<figcaption>{_inline(one.caption)}</figcaption></div>" for one in (block, *block.beside)
    )
    return f'<figure class="row">{"".join(cells)}</figure>'


def _image(block: BookFigure) -> str:
    data = base64.b64encode(block.svg.encode()).decode()
    return f'<img alt="{markup(block.caption)}" src="data:image/svg+xml;base64,{data}">'
