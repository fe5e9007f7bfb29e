"""Description of an output language: one record per language, filled and registered by its module."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from robosym.algebra import PLAIN, Style
from robosym.errors import InputError, closest
from robosym.safe_text import comment

if TYPE_CHECKING:
    from robosym.languages.reading.dialect import Dialect

__all__ = ["LANGUAGES", "Language", "find_language", "options_of", "register"]


@dataclass(frozen=True, kw_only=True)
class Language:
    """An output language: file extensions, spelling of names and expressions, printing and reading functions."""

    name: str
    code: Callable[..., str]  #: prints a model; its keyword-only arguments are the options of the language
    #: file extensions, the default first, each with the options it implies
    extensions: Mapping[str, Mapping[str, Any]]
    comment: tuple[str, str, str] = ("", "", "")  #: opening line, prefix of each line, closing line
    beside: tuple[str, ...] = ()  #: languages written next to a file of this one, such as the header of a C file

    # settings of expressions and names for `Program`
    style: Style = PLAIN
    exact: bool = False  #: print constants such as Pi/3 exactly instead of as decimals
    reserved: frozenset[str] = frozenset()  #: reserved words of the language and names used by its template
    caseless: bool = False  #: identifiers are case-insensitive
    spell: Callable[[str], str] = str  #: converts a name to a valid identifier
    longest: int | None = None  #: maximum length of an identifier
    mark: str = "_"  #: suffix that makes a name unique
    element: str = "[{}]"  #: format of an array index
    first: int = 0  #: index of the first array element
    arrays: bool = True  #: input and output groups appear by name in the source, so no symbol may share their names

    reading: tuple[Dialect, ...] = ()  #: dialects in which files can be read back
    solution: Callable[..., str] | None = None  #: prints a solution recipe

    @property
    def options(self) -> list[str]:
        """Names of the options of `code`."""
        return options_of(self.code)

    def commented(self, lines: Iterable[str]) -> list[str]:
        """Return lines of arbitrary text as a safe comment."""
        above, before, below = self.comment
        inner = [f"{before}{comment(line)}".rstrip() for line in lines]
        return [*([above] if above else []), *inner, *([below] if below else [])]


LANGUAGES: dict[str, Language] = {}


def options_of(printer: Callable[..., str]) -> list[str]:
    """Return the names of the keyword-only arguments of a printing function."""
    parameters = inspect.signature(printer).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]


def register(language: Language) -> Language:
    """Register a language under its name and file extensions."""
    taken = {extension: other.name for other in LANGUAGES.values() for extension in other.extensions}
    for extension in language.extensions:
        if taken.get(extension, language.name) != language.name:
            raise InputError(
                f"extension {extension} of language {language.name!r} is already used by {taken[extension]!r}"
            )
    LANGUAGES[language.name] = language
    return language


def find_language(name: str, among: Mapping[str, Language] = LANGUAGES) -> Language:
    """Return the language with this name."""
    if name not in among:
        raise InputError(f"unknown language {name!r}{closest(name, among)}; known languages: {', '.join(among)}")
    return among[name]
