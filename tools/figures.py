"""Write measured figures into the documentation, or check that they are up to date.

A figure is followed by a comment with the benchmark and the key of the figure in `benchmarks/figures.json`, and its
format if that is not two significant digits; `low` and `high` are the ends of its spread:

    18<!--= batch_inverse_dynamics: symbols --> (12<!--= batch_inverse_dynamics: symbols low --> to ...)
    0.63<!--= inverse_geometry: rx90 many ~ .3g --> us

    python tools/figures.py            # write the figures into README.md, docs/ and paper/, and draw the charts
    python tools/figures.py --check    # only list figures that differ or have no source
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from bar_charts import charts

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks" / "figures.json"
NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
MARKED = re.compile(rf"({NUMBER}|\?)<!--= *(\w+): *(.+?) *(?:~ *([^~]+?) *)?-->")


def pages() -> list[Path]:
    """Return the checked pages: all but the decisions, which record figures of their time."""
    left_out = {"decisions.md"}
    return [
        ROOT / "README.md",
        ROOT / "paper" / "paper.md",
        *(p for p in sorted((ROOT / "docs").rglob("*.md")) if p.name not in left_out),
    ]


def figures() -> dict[tuple[str, str], float]:
    """Return all figures by benchmark and key."""
    found = {}
    for script, entry in json.loads(KEPT.read_text(encoding="utf-8")).items():
        for figure in entry["figures"]:
            found[script, figure["key"]] = figure["value"]
            if figure.get("spread"):
                found[script, f"{figure['key']} low"], found[script, f"{figure['key']} high"] = figure["spread"]
    return found


BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def measured(text: str) -> str:
    """Return the text with its table of date, commit and machine of the quoted benchmarks, if it has one."""
    if BEGIN not in text:
        return text
    entries = json.loads(KEPT.read_text(encoding="utf-8"))
    scripts = list(dict.fromkeys(match[2] for match in MARKED.finditer(text)))
    rows = ["| benchmark | measured | commit |", "| --- | --- | --- |"]
    rows += [f"| `{script}.py` | {entries[script]['date']} | {entries[script]['commit']} |" for script in scripts]
    parts = dict.fromkeys(part for script in scripts for part in entries[script]["machine"].split(", "))
    rows += ["", f"Machine and versions: {', '.join(parts)}."]
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n" + "\n".join(rows) + f"\n{END}{rest.partition(END)[2]}"


def rounded(value: float, style: str | None) -> str:
    text = format(value, style or ".2g")
    return f"{float(text):,.0f}" if "e+" in text else text


def filled(text: str, known: dict[tuple[str, str], float], wrong: list[str]) -> str:
    """Return the text with the current figures; append figures that differed or are unknown to `wrong`."""

    def fill(match: re.Match[str]) -> str:
        there, script, key, style = match.groups()
        if (script, key) not in known:
            wrong.append(f"{script}: {key}: benchmarks/{script}.py has no figure of this name")
            return match[0]
        value = rounded(known[script, key], style)
        if value != there:
            wrong.append(f"{script}: {key}: the text has {there}, the measured value is {value}")
        return value + match[0][len(there) :]

    return MARKED.sub(fill, text)


#: a number with a unit of time or memory, or a ratio
MEASURED = re.compile(
    rf"(?<![\w.-]){NUMBER}(?: to {NUMBER})? ?"
    r"(?:ns|us|µs|ms|s|MB|GB|%|times|x faster|-fold|operations|(?:micro|nano|milli)?seconds|hours|minutes)(?!\w)"
    r"|\b(?:micro|nano|milli)seconds?\b"
)


def plain(text: str) -> str:
    """Return the text without code, links and figures that name their source."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(?: {4}|\t).*$", "", text, flags=re.MULTILINE)
    text = re.sub(rf"(?:{NUMBER}|\?)<!--=.*?-->(?: ?(?:ns|us|µs|ms|s|MB|GB|%|times)\b)?", "", text)
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)


def typed_by_hand(text: str) -> Iterator[str]:
    """Yield the context of each number that looks measured and names no source."""
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
        problems: list[str] = []
        new = measured(filled(text, known, problems))
        wrong += [f"{page.relative_to(ROOT)}: {line}" for line in problems]
        if "--check" not in sys.argv and new != text:
            page.write_text(new, encoding="utf-8")
    for name, picture in charts(known).items():
        path = ROOT / "docs" / "pictures" / name
        if "--check" not in sys.argv:
            path.write_text(picture, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != picture:
            wrong.append(f"{path.relative_to(ROOT)}: differs from the measured values")
    print("\n".join(wrong) or "all figures in the text are up to date")
    if "--check" in sys.argv:
        raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
