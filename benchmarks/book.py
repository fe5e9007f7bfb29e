"""Build the books of five robots as PDF: time, pages, and the largest difference of their checked numbers.

A page is counted as an object of the PDF; the times are processor times of this process, because the machine is shared.
"""

from __future__ import annotations

import re
import tempfile
import time
import warnings
from pathlib import Path

from table import Row, note, print_table

import robosym as rs

ROBOTS = ("rx90", "ur5e", "sr400", "gough", "planar2r")
SECONDS, FEWEST, MOST, DIFFERENCE = 20, 20, 40, 1e-6


def pages_of(path: Path) -> int:
    """Return the number of pages of a PDF: the count in its tree of pages."""
    return max(map(int, re.findall(rb"/Count\s+(\d+)", path.read_bytes())))


def main() -> None:
    warnings.simplefilter("ignore")
    rows = []
    for name in ROBOTS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.pdf"
            start = time.process_time()
            book = rs.book(rs.load(name))
            book.write(path)
            seconds, pages = time.process_time() - start, pages_of(path)
        worst = max(one.difference / max(abs(one.other), 1.0) for one in book.comparisons)
        if name == "rx90":
            rows += [Row("book of the RX90: time (s)", seconds, SECONDS), Row("book of the RX90: pages", pages, MOST)]
            assert pages >= FEWEST
        note(f"book of {name}: time (s)", seconds)
        note(f"book of {name}: pages", pages)
        rows.append(Row(f"{name}: largest relative difference of checked numbers", worst, DIFFERENCE))
    print_table("Books of robots", rows)


if __name__ == "__main__":
    main()
