"""The documentation: seconds to build the site, links that lead nowhere or to other hosts, examples that do not run."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import Row, print_table

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tools"))


def main() -> None:
    from check_site import wrong

    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
        subprocess.run(command, cwd=ROOT, check=True)
        seconds = time.perf_counter() - start
        broken, count = wrong(Path(folder))
    tests = [sys.executable, "-m", "pytest", "-q", "-n0", "tests/test_docs.py", "tests/test_tutorials.py"]
    result = subprocess.run(tests, cwd=ROOT, capture_output=True, text=True)
    failing = len(re.findall(r"^FAILED", result.stdout, re.MULTILINE)) + (result.returncode > 1)
    rows = [
        Row("seconds to build the site", seconds, 120),
        Row(f"links, of {count}, that lead nowhere or load from other hosts", len(broken), 0),
        Row("examples of the pages that do not run as printed", failing, 0),
    ]
    print_table("Documentation", rows)


if __name__ == "__main__":
    main()
