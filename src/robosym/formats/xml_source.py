"""XML as a tree of elements, read and written.

Elements know their lines; entities, depth and size that a hostile file could use are refused.

The parser is defusedxml's: no document type, no entities, nothing external.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape, quoteattr
from xml.sax.xmlreader import InputSource

from defusedxml.common import DefusedXmlException
from defusedxml.sax import make_parser

from robosym.errors import FormatError, RobotWarning, closest
from robosym.formats.source import shortened

__all__ = ["FORMS", "Element", "decimals", "element", "read_xml", "xml_text"]

FORMS = {"robot": "URDF", "mujoco": "MJCF", "sdf": "SDF"}  #: by the root element
_MAX_DEPTH = 2_000  #: a chain of 1,000 bodies in MJCF; more is no robot
_MAX_ELEMENTS = 100_000  #: as many as 1,000 bodies with all that belongs to them have, and three times more


@dataclass(eq=False)
class Element:
    """An element of a file: its attributes and children, and where it stands."""

    tag: str
    attributes: dict[str, str]
    line: int
    file: str | None
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)  #: the text between the tags, as the parser came upon it
    form: str = "XML"  #: what a remark calls a text that is no file

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag} name={shortened(name)!r}>" if name is not None else f"<{self.tag}>"

    def fail(self, message: str) -> NoReturn:
        raise FormatError(f"{self}: {message}", self.file, self.line)

    def remark(self, message: str) -> None:
        """Tell a user what of a file is left out."""
        warnings.warn(f"{self.file or self.form}:{self.line}: {message}", RobotWarning, stacklevel=2)

    # ---------------------------------------------------------------- children

    def all(self, *tags: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag in tags)

    def first(self, tag: str) -> Element | None:
        return next(self.all(tag), None)

    def the(self, tag: str) -> Element:
        """The child of this name, which must be there."""
        found = self.first(tag)
        if found is None:
            self.fail(f"expected <{tag}>, found none")
        return found

    # -------------------------------------------------------------- attributes

    def get(self, key: str, default: str = "") -> str:
        return self.attributes.get(key, default).strip()

    def need(self, key: str) -> str:
        """The attribute of this name, which must be there and say something."""
        value = self.get(key)
        if not value and key in self.attributes:
            self.fail(f"{key}: expected a text, found nothing")
        if not value:
            self.fail(f"expected the attribute {key}, found none{closest(key, self.attributes)}")
        return value

    def numbers(self, key: str, length: int, default: Sequence[float] | None = None) -> tuple[float, ...]:
        """The numbers of an attribute; `default` where it is not there."""
        if key not in self.attributes:
            if default is None:
                self.fail(f"expected the attribute {key}, found none{closest(key, self.attributes)}")
            return tuple(default)
        return self.parsed(self.attributes[key], key, length)

    def number(self, key: str, default: float | None = None) -> float:
        return self.numbers(key, 1, None if default is None else (default,))[0]

    def content(self, length: int) -> tuple[float, ...]:
        """The numbers that the element encloses."""
        return self.parsed(self.text, "its content", length)

    def parsed(self, text: str, what: str, length: int | None = None) -> tuple[float, ...]:
        """Finite numbers with blanks between them."""
        words = text.split()
        if length is not None and len(words) != length:
            expected = "a number" if length == 1 else f"{length} numbers"
            self.fail(f"{what}: expected {expected}, found {shortened(text.strip()) or 'nothing'}")
        values = []
        for word in words:
            try:
                value = float(word) if "_" not in word else math.nan
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                self.fail(f"{what}: expected a finite number, found {shortened(word)}")
            values.append(value)
        return tuple(values)


class _Builder(ContentHandler):
    """Elements from the events of the parser."""

    def __init__(self, file: str | None, lines_before: int) -> None:
        super().__init__()
        self.file = file
        self.lines_before = lines_before
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.locator: Any = None

    def setDocumentLocator(self, locator: Any) -> None:
        self.locator = locator

    def line(self) -> int:
        return int(self.locator.getLineNumber()) + self.lines_before

    def startElement(self, name: str, attrs: Any) -> None:
        form = FORMS.get(self.root.tag if self.root else name, "XML")
        element = Element(name, dict(attrs.items()), self.line(), self.file, form=form)
        self.count += 1
        if self.count > _MAX_ELEMENTS:
            element.fail(f"more than {_MAX_ELEMENTS} elements, the most that are read")
        if len(self.open) >= _MAX_DEPTH:
            element.fail(f"nested more than {_MAX_DEPTH} deep")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def endElement(self, name: str) -> None:
        self.open.pop()

    def characters(self, content: str) -> None:
        if self.open:
            self.open[-1].pieces.append(content)


def read_xml(text: str, file: str | None) -> Element:
    """The root element of an XML text."""
    before = len(text) - len(text.lstrip())  # other readers take a file that begins with empty lines, and so do we
    if before == len(text):
        raise FormatError("the file is empty", file)
    builder = _Builder(file, text.count("\n", 0, before))
    parser = make_parser()
    parser.forbid_dtd = True
    parser.setContentHandler(builder)
    source = InputSource()
    source.setCharacterStream(io.StringIO(text[before:]))
    try:
        parser.parse(source)
    except DefusedXmlException:
        message = "a document type or entities are not read: expected plain elements"
        raise FormatError(message, file, builder.line()) from None
    except SAXParseException as error:
        place = (error.getLineNumber() or 1) + builder.lines_before, (error.getColumnNumber() or 0) + 1
        raise FormatError(f"not well-formed XML: {error.getMessage()}", file, *place) from None
    assert builder.root is not None
    return builder.root


# ---------------------------------------------------------------------- writing


def element(tag: str, *inside: Element | str | None, **attributes: str | float | Iterable[float]) -> Element:
    """An element to be written, with what is inside but for None; one without a tag has its children on one line."""
    written = {key: value if isinstance(value, str) else decimals(value) for key, value in attributes.items()}
    children = [one for one in inside if isinstance(one, Element)]
    return Element(tag, written, 0, None, children, [one for one in inside if isinstance(one, str)])


def decimals(values: float | Iterable[float]) -> str:
    """Numbers with blanks between them, each as short as reads back the same; -0 is 0."""
    return " ".join(
        f"{value + 0.0:.17g}" if float(f"{value:.15g}") != value else f"{value + 0.0:.15g}"
        for value in (values if isinstance(values, Iterable) else [values])
    )


def xml_text(root: Element, flat: int = _MAX_DEPTH) -> str:
    """The text of an element, those inside each on a line of its own; from the depth `flat` on all on one line."""
    lines: list[str] = []
    waiting: list[tuple[Element | str, int]] = [(root, 0)]
    while waiting:
        one, depth = waiting.pop()
        if isinstance(one, Element) and one.children and one.tag and depth < flat:
            waiting += [(f"</{one.tag}>", depth), *((child, depth + 1) for child in reversed(one.children))]
            one = _opened(one)
        lines.append("  " * depth + (one if isinstance(one, str) else _on_one_line(one)))
    return "\n".join(lines) + "\n"


def _opened(one: Element, end: str = ">") -> str:
    return " ".join([f"<{one.tag}", *(f"{key}={quoteattr(value)}" for key, value in one.attributes.items())]) + end


def _on_one_line(one: Element) -> str:
    inner = escape(one.text) + "".join(map(_on_one_line, one.children))
    if not one.tag:
        return inner
    return f"{_opened(one)}{inner}</{one.tag}>" if inner else _opened(one, "/>")
