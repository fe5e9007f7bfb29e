"""Figures in the text: each number that was measured names where, and this writes it there, or says where it differs.

A figure stands before a comment that names the benchmark and its key in `benchmarks/figures.json`, and how it is
rounded if not to two digits; `low` and `high` are the ends of its spread:

    18<!--= batch_inverse_dynamics: symbols --> (12<!--= batch_inverse_dynamics: symbols low --> to ...)
    0.63<!--= inverse_geometry: rx90 many | .3g --> us

    python tools/figures.py            # write them into README.md and docs/
    python tools/figures.py --check    # only say which differ, or have no source
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks" / "figures.json"
NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
MARKED = re.compile(rf"({NUMBER}|\?)<!--= *(\w+): *(.+?) *(?:\| *([^|]+?) *)?-->")


def pages() -> list[Path]:
    """What is held: all but the record of decisions, which tells what was measured then, and the reference."""
    left_out = {"decisions.md", "reference.md"}
    return [ROOT / "README.md", *(p for p in sorted((ROOT / "docs").rglob("*.md")) if p.name not in left_out)]


def figures() -> dict[tuple[str, str], float]:
    """Every figure by benchmark and key."""
    found = {}
    for script, entry in json.loads(KEPT.read_text(encoding="utf-8")).items():
        for figure in entry["figures"]:
            found[script, figure["key"]] = figure["value"]
            if figure.get("spread"):
                found[script, f"{figure['key']} low"], found[script, f"{figure['key']} high"] = figure["spread"]
    return found


def rounded(value: float, style: str | None) -> str:
    text = format(value, style or ".2g")
    return f"{float(text):,.0f}" if "e+" in text else text


def filled(text: str, known: dict[tuple[str, str], float], wrong: list[str]) -> str:
    """The text with every figure as it is known; in `wrong`, what differed or is not known."""

    def fill(match: re.Match[str]) -> str:
        there, script, key, style = match.groups()
        if (script, key) not in known:
            wrong.append(f"{script}: {key}: benchmarks/{script}.py has measured nothing of this name")
            return match[0]
        value = rounded(known[script, key], style)
        if value != there:
            wrong.append(f"{script}: {key}: the text has {there}, measured is {value}")
        return value + match[0][len(there) :]

    return MARKED.sub(fill, text)


#: a number with a unit of what is measured
MEASURED = re.compile(
    rf"(?<![\w.-]){NUMBER}(?: to {NUMBER})? ?"
    r"(?:ns|us|µs|ms|s|MB|GB|%|times|x faster|-fold|operations|(?:micro|nano|milli)?seconds|hours|minutes)(?!\w)"
    r"|\b(?:micro|nano|milli)seconds?\b"
)


def plain(text: str) -> str:
    """Without code, links and figures that name their source."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.MULTILINE)
    text = re.sub(rf"(?:{NUMBER}|\?)<!--=.*?-->(?: ?(?:ns|us|µs|ms|s|MB|GB|%|times)\b)?", "", text)
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)


def typed_by_hand(text: str) -> Iterator[str]:
    """Numbers that look measured and name no source; the sentence around each."""
    bare = plain(text)
    for match in MEASURED.finditer(bare):
        before = bare[max(0, match.start() - 60) : match.start()]
        if re.search(r"(?:at most|at least|up to)\s+$", before) or re.match(
            r"\s+at (?:most|least)\b", bare[match.end() :]
        ):
            continue  # a limit
        yield " ".join((before + match[0] + bare[match.end() : match.end() + 25]).split())


def main() -> None:
    known, wrong = figures(), []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        told: list[str] = []
        new = filled(text, known, told)
        wrong += [f"{page.relative_to(ROOT)}: {line}" for line in told]
        if "--check" not in sys.argv and new != text:
            page.write_text(new, encoding="utf-8")
    print("\n".join(wrong) or "every figure in the text is the one that was measured")
    if "--check" in sys.argv:
        raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
