"""How a file in each language is cut into statements: comments taken out, broken lines joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from robosym.errors import FormatError
from robosym.languages.reading.span import Span

__all__ = ["DIALECTS", "Dialect", "dialect_of", "statements"]


@dataclass(frozen=True)
class Dialect:
    """Comments, ends of statements, what is no assignment, and names of functions that differ."""

    name: str
    block: tuple[tuple[str, str], ...] = ()  #: comments from one mark to another
    line: tuple[str, ...] = ()  #: comments to the end of the line
    ends: str = ""  #: characters that end a statement; a line end does where there are none
    assign: str = "="
    ignored: str = r"(?!)"  #: statements without a value: declarations, the head and the end of a function
    functions: dict[str, str] = field(default_factory=dict)


_FORTRAN = Dialect(
    "fortran",
    line=("!",),
    ignored=r"(?i)(subroutine|end\b|implicit|double precision|real\b|module|contains|private|public|use\b|call\b|return"
    r"|program|external|integer|common|if *\(x)",
    functions={
        "robosym_sign": "sign",
        **{f"d{name}": name for name in "sin cos tan asin acos atan atan2 sqrt exp log abs".split()},
    },
)
DIALECTS: dict[str, Dialect] = {
    "listing": Dialect("listing", block=(("(*", "*)"),)),
    "fortran": _FORTRAN,
    "fortran77": _FORTRAN,
    "mathematica": Dialect("mathematica", block=(("(*", "*)"),), ends=";\n"),
    "maple": Dialect(
        "maple",
        line=("#",),
        ends=";:",
        assign=":=",
        ignored=r"local\b|end\b|restart",
        functions={"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log", "signum": "sign"},
    ),
    "c": Dialect(
        "c",
        block=(("/*", "*/"),),
        line=("//",),
        ends=";",
        ignored=r"(extern|static|void|typedef|return|double [\w, \n\t*]+$|double shared\[|\(void\)|\w+\([\w, ]*\)$)",
        functions={"fabs": "abs", "robosym_sign": "sign"},
    ),
    "matlab": Dialect(
        "matlab",
        line=("%",),
        ends=";\n",
        ignored=r"(function|global|end\b|clear|clc|persistent|return)",
        functions={"power": "pow"},
    ),
}
_EXTENSIONS = {
    ".c": "c", ".h": "c", ".m": "matlab", ".f": "fortran77", ".for": "fortran77", ".f90": "fortran",
    ".mh": "mathematica", ".wl": "mathematica", ".nb": "mathematica", ".mp": "maple", ".mpl": "maple",
}  # fmt: skip
_ASSIGNED = re.compile(r"\w+\s*:?=(?!=)")


def dialect_of(suffix: str, text: str) -> str:
    """By the extension, else by what stands in the file."""
    known = _EXTENSIONS.get(suffix.lower())
    if known:
        return known
    if "#include" in text:
        return "c"
    if re.search(r"^\s*%", text, re.MULTILINE):
        return "matlab"
    return "maple" if ":=" in text else "listing"


def _without_comments(text: str, dialect: Dialect, file: str) -> list[Span]:
    """Lines with comments blanked; nested ones too, as SYMORO+'s banners are."""
    opening = dict(dialect.block)
    marks = [*(m for pair in dialect.block for m in pair), *dialect.line]
    pattern = re.compile("|".join(map(re.escape, marks)) or r"(?!)")
    lines: list[Span] = []
    nested = "(*" if "(*" in opening else ""  # these comments may hold others, as banners do
    inside: tuple[str, int, int, int] | None = None  # closing mark, depth, line, column
    for number, line in enumerate(text.split("\n"), 1):
        kept = list(line)
        position = 0
        while position < len(line):
            if inside is not None:
                closing, depth = inside[0], inside[1]
                marks_inside = f"{re.escape(closing)}|{re.escape(nested)}" if nested else re.escape(closing)
                found = re.compile(marks_inside).search(line, position)
                stop = found.end() if found else len(line)
                kept[position:stop] = " " * (stop - position)
                if found:
                    depth += 1 if found[0] != closing else -1
                    inside = (closing, depth, *inside[2:]) if depth else None
                position = stop
                continue
            found = pattern.search(line, position)
            if found is None:
                break
            if found[0] in opening:
                inside = opening[found[0]], 1, number, found.start() + 1
                position = found.start()
                kept[position : position + len(found[0])] = " " * len(found[0])
                position += len(found[0])
            elif found[0] in dialect.line:
                kept[found.start() :] = " " * (len(line) - found.start())
                break
            else:
                position = found.end()
        lines.append(Span.of_line("".join(kept), number))
    if inside is not None:
        raise FormatError(f"the comment opened here lacks its {inside[0]!r}", file, inside[2], inside[3])
    return lines


def _newline(span: Span) -> Span:
    line, column = span.place(len(span.text))
    return Span(span.text + "\n", (*span.places, (line, column)))


def statements(text: str, dialect_name: str, file: str) -> Iterator[Span]:
    """The statements of a file, one after the other, without those that have no value."""
    dialect = DIALECTS[dialect_name]
    ignored = re.compile(dialect.ignored)
    cut: Callable[[list[Span]], list[Span]] = {
        "listing": _listing, "fortran": _free_form, "fortran77": _fixed_form, "c": _c, "matlab": _matlab,
        "mathematica": _mathematica, "maple": _maple,
    }[dialect_name]  # fmt: skip
    if dialect_name == "fortran77":
        text = "\n".join("" if line[:1] in ("c", "C", "*", "!") else line for line in text.split("\n"))
    for statement in cut(_without_comments(text, dialect, file)):
        # `function = parameters(3)` gives a value to a name that happens to be a word of the language
        if statement and (_ASSIGNED.match(statement.text) or not ignored.match(statement.text)):
            yield statement


def _listing(lines: list[Span]) -> list[Span]:
    """An assignment begins with a name and `=`; what follows on other lines, or behind `*=`, belongs to it."""
    found: list[list[Span]] = []
    for line in lines:
        bare = line.stripped()
        if not bare or bare.text.startswith("*=*"):
            continue
        if bare.text.startswith("*="):
            bare = bare[2:]
        elif re.match(r"[A-Za-z_]\w*\s*:?=", bare.text) or not found:
            found.append([])
        found[-1].append(_newline(bare))
    return [Span.joined(parts).stripped() for parts in found]


def _free_form(lines: list[Span]) -> list[Span]:
    found: list[list[Span]] = [[]]
    for line in lines:
        bare = line.stripped()
        if bare.text.endswith("&"):
            found[-1].append(bare[: len(bare.text) - 1])
        elif bare:
            found[-1].append(bare[1:] if bare.text.startswith("&") else bare)
            found.append([])
    return [Span.joined(parts).stripped() for parts in found]


def _fixed_form(lines: list[Span]) -> list[Span]:
    """A character in column 6 says that the line goes on."""
    found: list[list[Span]] = []
    for line in lines:
        head = line.text[:6]
        if len(head) == 6 and not head[:5].strip() and head[5] not in " 0" and found:
            found[-1].append(line[6:])
        elif line:
            found.append([line[6:] if not head.strip() else line.stripped()])
    return [Span.joined(parts).stripped() for parts in found]


def _c(lines: list[Span]) -> list[Span]:
    """What stands between semicolons and braces; lines of the preprocessor are left out."""
    body = Span.joined([_newline(line) for line in lines if not line.text.lstrip().startswith("#")])
    depth = start = 0
    found: list[Span] = []
    for index, character in enumerate(body.text):
        depth += (character in "([") - (character in ")]")
        if character in "{}" or (character == ";" and depth <= 0):
            piece = body[start:index].stripped()
            if character != "{" or "=" in piece.text:  # before a brace stands the head of a function
                found.append(piece)
            start = index + 1
    return [*found, body[start:].stripped()]


def _matlab(lines: list[Span]) -> list[Span]:
    joined: list[Span] = []
    skipped = 0
    for line in lines:
        bare = line.stripped()
        if re.match(r"if is(struct|vector)\(", bare.text):  # of our own files: how an argument may be given
            skipped = 1
        if skipped:
            skipped = 0 if bare.text == "end" else 1
            continue
        if bare.text.endswith("..."):
            joined.append(bare[: len(bare.text) - 3])
        else:
            joined.append(_newline(line))
    return Span.joined(joined).split(";\n")


def _mathematica(lines: list[Span]) -> list[Span]:
    """The body of a Module, or the file as it is; a line that ends in an operator or an open bracket goes on."""
    body = Span.joined([_newline(line) for line in lines]).stripped()
    head = re.match(r"[\w$]+\[[^\]]*\]\s*:=\s*Module\[\s*\{[^}]*\}\s*,", body.text)
    if head and body.text.endswith("]"):
        return body[head.end() : len(body.text) - 1].split(";")
    found: list[list[Span]] = []
    for piece in body.split(";\n"):
        if found and re.search(r"[-+*/=^,]$", found[-1][-1].text):
            found[-1].append(piece)
        else:
            found.append([piece])
    return [Span.joined(parts) for parts in found]


def _maple(lines: list[Span]) -> list[Span]:
    body = Span.joined([_newline(line) for line in lines]).stripped()
    head = re.match(r"\w+\s*:=\s*proc\([^)]*\)", body.text)
    if head:
        body = body[head.end() :]
    body = body.replaced(re.compile(r":="), lambda _: "\0=")  # a colon ends a statement, but not this one
    pieces = body.split(";:")
    ends = re.compile(r"\s*end( proc)?\s*$")
    pieces = [piece.replaced(ends, lambda _: "") for piece in pieces]
    return [piece.replaced(re.compile("\0="), lambda _: ":=") for piece in pieces]
