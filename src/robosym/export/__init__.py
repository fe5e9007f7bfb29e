"""Export of a robot: controllers, simulators (FMI), ROS 2, other processors, pages, and derivations for readers."""

from robosym.export.book.book import Book, book
from robosym.export.build import build
from robosym.export.bundle import bundle
from robosym.export.derivations import Derivation, derivation
from robosym.export.fmi import fmu
from robosym.export.ros2 import ros2
from robosym.export.self_test import verify
from robosym.export.share import share

__all__ = ["Book", "Derivation", "book", "build", "bundle", "derivation", "fmu", "ros2", "share", "verify"]
