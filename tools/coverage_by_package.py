"""Print the line coverage of each package from a JSON report of coverage.py, and compare it with the required minimum.

Exit with status 1 if the total or a package is below its minimum.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

PACKAGE, ALL = 90.0, 95.0  #: minimum line coverage of each package and of the whole source, in percent


def main(report: str) -> int:
    covered: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for file, found in json.loads(Path(report).read_text(encoding="utf-8"))["files"].items():
        package = Path(file).parts[Path(file).parts.index("robosym") + 1].removesuffix(".py")
        for name in (package, "all"):
            covered[name][0] += found["summary"]["covered_lines"]
            covered[name][1] += found["summary"]["num_statements"]
    low = False
    for name, (lines, total) in sorted(covered.items(), key=lambda entry: (entry[0] == "all", entry[0])):
        share = 100 * lines / max(1, total)
        bar = ALL if name == "all" else PACKAGE
        low = low or share < bar
        print(f"{name:16} {lines:6} of {total:6} {share:6.1f} %{f'   below {bar:.0f} %' if share < bar else ''}")
    return int(low)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
