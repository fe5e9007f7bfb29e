"""What the page does, without a page: every action is one call, with plain data in and out."""

from robosym.app.session.desk import Desk
from robosym.app.session.document import Document
from robosym.app.session.session import Session

__all__ = ["Desk", "Document", "Session"]
