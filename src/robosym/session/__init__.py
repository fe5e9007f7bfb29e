"""What the page does, without a page: every action is one call, with plain data in and out."""

from robosym.session.desk import Desk
from robosym.session.document import Document
from robosym.session.session import Session

__all__ = ["Desk", "Document", "Session"]
