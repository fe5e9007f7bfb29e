"""The actions of the browser application without the browser: each is one call with plain data in and out."""

from robosym.app.session.document import Document
from robosym.app.session.session import Session, Sessions

__all__ = ["Document", "Session", "Sessions"]
