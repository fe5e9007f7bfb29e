"""What is known of a language: one record, which the file of the language fills and registers."""

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
    """A language: how its files are called, how it spells names and expressions, how models are printed and read."""

    name: str
    code: Callable[..., str]  #: prints a model; its keyword-only arguments are the options of the language
    #: of files, the customary one first, each with the options that it implies
    extensions: Mapping[str, Mapping[str, Any]]
    comment: tuple[str, str, str] = ("", "", "")  #: the line above, what begins each line, the line below
    beside: tuple[str, ...] = ()  #: languages that are written beside a file of this one, such as the header of C

    # expressions and names, as `Program` needs them
    style: Style = PLAIN
    exact: bool = False  #: constants such as Pi/3 stay as they are instead of becoming decimals
    reserved: frozenset[str] = frozenset()  #: words that the language keeps for itself, or that its template uses
    caseless: bool = False  #: names that differ in case alone are one name
    spell: Callable[[str], str] = str  #: a name as one that the language accepts
    longest: int | None = None  #: characters of a name that the language accepts
    mark: str = "_"  #: put behind a name until it is unique
    element: str = "[{}]"  #: an entry of an array
    first: int = 0  #: the number of the first entry of an array
    arrays: bool = True  #: groups appear in the source, so that no symbol may have their names

    reading: tuple[Dialect, ...] = ()  #: how files are read back: one manner of writing, or several
    solution: Callable[..., str] | None = None  #: prints the recipe of a solution

    @property
    def options(self) -> list[str]:
        """The names of the options that `code` takes."""
        return options_of(self.code)

    def commented(self, lines: Iterable[str]) -> list[str]:
        """Lines of text as a comment, whatever they hold."""
        above, before, below = self.comment
        inner = [f"{before}{comment(line)}".rstrip() for line in lines]
        return [*([above] if above else []), *inner, *([below] if below else [])]


LANGUAGES: dict[str, Language] = {}


def options_of(printer: Callable[..., str]) -> list[str]:
    """The keyword-only arguments of what prints a model or a recipe."""
    parameters = inspect.signature(printer).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]


def register(language: Language) -> Language:
    """Make a language known by its name and its extensions."""
    taken = {extension: other.name for other in LANGUAGES.values() for extension in other.extensions}
    for extension in language.extensions:
        if taken.get(extension, language.name) != language.name:
            raise InputError(f"the extension {extension} of {language.name} belongs to {taken[extension]}")
    LANGUAGES[language.name] = language
    return language


def find_language(name: str, among: Mapping[str, Language] = LANGUAGES) -> Language:
    """A language by its name, of those that can do what is asked."""
    if name not in among:
        raise InputError(f"unknown language {name!r}{closest(name, among)}; known are {', '.join(among)}")
    return among[name]
