"""Reading and writing XML as a tree of elements with line numbers.

The parser is defusedxml's: no document type, no entities, no external files. Depth and size are limited.
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

FORMS = {"robot": "URDF", "mujoco": "MJCF", "sdf": "SDF"}  #: format by root element
_MAX_DEPTH = 2_000  #: enough for a chain of 1,000 bodies in MJCF
_MAX_ELEMENTS = 100_000  #: about three times as many as 1,000 bodies need


@dataclass(eq=False)
class Element:
    """An element of a file: attributes, children and line."""

    tag: str
    attributes: dict[str, str]
    line: int
    file: str | None
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)  #: pieces of text between the tags
    form: str = "XML"  #: format name in warnings if there is no file

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag} name={shortened(name)!r}>" if name is not None else f"<{self.tag}>"

    def fail(self, message: str) -> NoReturn:
        raise FormatError(f"{self}: {message}", self.file, self.line)

    def remark(self, message: str) -> None:
        """Warn about a part of the file that is ignored."""
        warnings.warn(f"{self.file or self.form}:{self.line}: {message}", RobotWarning, stacklevel=2)

    # ---------------------------------------------------------------- children

    def all(self, *tags: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag in tags)

    def first(self, tag: str) -> Element | None:
        return next(self.all(tag), None)

    def required(self, tag: str) -> Element:
        """Return the child with this tag; raise an error if there is none."""
        found = self.first(tag)
        if found is None:
            self.fail(f"expected a child <{tag}>, found none")
        return found

    # -------------------------------------------------------------- attributes

    def get(self, key: str, default: str = "") -> str:
        return self.attributes.get(key, default).strip()

    def need(self, key: str) -> str:
        """Return the attribute with this name; raise an error if it is missing or empty."""
        value = self.get(key)
        if not value and key in self.attributes:
            self.fail(f"{key}: expected a value, found an empty string")
        if not value:
            self.fail(f"expected the attribute {key}, found none{closest(key, self.attributes)}")
        return value

    def numbers(self, key: str, length: int, default: Sequence[float] | None = None) -> tuple[float, ...]:
        """Return the numbers of an attribute, or `default` if it is missing."""
        if key not in self.attributes:
            if default is None:
                self.fail(f"expected the attribute {key}, found none{closest(key, self.attributes)}")
            return tuple(default)
        return self.parsed(self.attributes[key], key, length)

    def number(self, key: str, default: float | None = None) -> float:
        return self.numbers(key, 1, None if default is None else (default,))[0]

    def content(self, length: int) -> tuple[float, ...]:
        """Return the numbers in the element's text."""
        return self.parsed(self.text, "content", length)

    def parsed(self, text: str, what: str, length: int | None = None) -> tuple[float, ...]:
        """Parse finite numbers separated by whitespace."""
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
    """Builds elements from parser events."""

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
            element.fail(f"expected at most {_MAX_ELEMENTS} elements, found more")
        if len(self.open) >= _MAX_DEPTH:
            element.fail(f"expected at most {_MAX_DEPTH} nested elements, found more")
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
    """Return the root element of an XML text."""
    before = len(text) - len(text.lstrip())  # accept leading empty lines, as other readers do
    if before == len(text):
        raise FormatError("expected a robot description, found an empty file", file)
    builder = _Builder(file, text.count("\n", 0, before))
    parser = make_parser()
    parser.forbid_dtd = True
    parser.setContentHandler(builder)
    source = InputSource()
    source.setCharacterStream(io.StringIO(text[before:]))
    try:
        parser.parse(source)
    except DefusedXmlException:
        message = "document types and entities are not supported: expected plain elements"
        raise FormatError(message, file, builder.line()) from None
    except SAXParseException as error:
        place = (error.getLineNumber() or 1) + builder.lines_before, (error.getColumnNumber() or 0) + 1
        raise FormatError(f"invalid XML: {error.getMessage()}", file, *place) from None
    assert builder.root is not None
    return builder.root


# ---------------------------------------------------------------------- writing


def element(tag: str, *inside: Element | str | None, **attributes: str | float | Iterable[float]) -> Element:
    """Create an element for writing; None children are skipped, and one without a tag has its children on one line."""
    written = {key: value if isinstance(value, str) else decimals(value) for key, value in attributes.items()}
    children = [one for one in inside if isinstance(one, Element)]
    return Element(tag, written, 0, None, children, [one for one in inside if isinstance(one, str)])


def decimals(values: float | Iterable[float]) -> str:
    """Return numbers separated by blanks, each as short as reads back the same; -0 is 0."""
    return " ".join(
        f"{value + 0.0:.17g}" if float(f"{value:.15g}") != value else f"{value + 0.0:.15g}"
        for value in (values if isinstance(values, Iterable) else [values])
    )


def xml_text(root: Element, flat: int = _MAX_DEPTH) -> str:
    """Return the text of an element, one child per line; from depth `flat` on everything on one line."""
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
