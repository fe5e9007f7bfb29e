"""What the page does, without a page: every action is one call, with plain data in and out."""

from robosym.app.session.document import Document
from robosym.app.session.session import Session
from robosym.app.session.sessions import Sessions

__all__ = ["Document", "Session", "Sessions"]
