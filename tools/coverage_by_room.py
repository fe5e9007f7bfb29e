"""Covered lines of each room of the source, from a report of coverage.py in JSON, against the bars that we hold."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

ROOM, ALL = 90.0, 95.0  #: percent, of each room and of everything


def main(report: str) -> int:
    covered: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for file, found in json.loads(Path(report).read_text(encoding="utf-8"))["files"].items():
        room = Path(file).parts[Path(file).parts.index("robosym") + 1].removesuffix(".py")
        for name in (room, "all"):
            covered[name][0] += found["summary"]["covered_lines"]
            covered[name][1] += found["summary"]["num_statements"]
    low = False
    for name, (lines, total) in sorted(covered.items(), key=lambda entry: (entry[0] == "all", entry[0])):
        share = 100 * lines / max(1, total)
        bar = ALL if name == "all" else ROOM
        low = low or share < bar
        print(f"{name:16} {lines:6} of {total:6} {share:6.1f} %{f'   below {bar:.0f} %' if share < bar else ''}")
    return int(low)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
