"""The book of a robot: chapters as data, and their PDF, HTML and LaTeX."""

from robosym.export.book.book import Book, book

__all__ = ["Book", "book"]
