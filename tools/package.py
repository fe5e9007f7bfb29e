"""Builds wheel and sdist twice, and says so if one byte differs; with `--bill`, the bill of materials beside them.

The bill (SBOM) is CycloneDX JSON of an empty environment with the wheel and what it needs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: what the files in the packages are dated with
DATED = "1577836800"


def run(*command: str | Path, **options: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **options)  # type: ignore[call-overload]


def built(folder: Path, source: Path = ROOT, kinds: tuple[str, ...] = ("wheel", "sdist")) -> list[Path]:
    """The packages of a source tree, as hatchling of this environment makes them."""
    dated = {"SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH", DATED)}
    targets = [word for kind in kinds for word in ("-t", kind)]
    command = [sys.executable, "-m", "hatchling", "build", *targets, "-d", folder]
    run(*command, cwd=source, env=os.environ | dated, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sorted(folder.iterdir())


def copied(folder: Path) -> Path:
    """The files that belong to the project, in another place and with other dates."""
    names = subprocess.run(
        ["git", "ls-files", "-zco", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    for name in names.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
            (folder / name).chmod((ROOT / name).stat().st_mode)
    return folder


def twice(target: Path) -> list[Path]:
    """The packages in `target`; SystemExit where the same files gave others elsewhere."""
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        source, out = Path(first), Path(second)
        again = built(out, copied(source))
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        made = built(target)
        for one, other in zip(made, again, strict=True):
            if one.name != other.name or one.read_bytes() != other.read_bytes():
                raise SystemExit(f"{one.name} is not the same when it is built again")
    return made


def bill(wheel: Path, target: Path) -> Path:
    """The bill of materials of the wheel in an empty environment."""
    bin_ = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder) / "venv"
        run(bin_ / "uv", "venv", "--quiet", "--python", sys.executable, venv)
        run(bin_ / "uv", "pip", "install", "--quiet", "--python", venv, "--constraint", ROOT / "constraints.txt", wheel)
        command = [
            bin_ / "cyclonedx-py",
            "environment",
            "--output-reproducible",
            "--pyproject",
            ROOT / "pyproject.toml",
        ]
        run(*command, "--mc-type", "library", "--short-PURLs", "--of", "JSON", "-o", target, venv / "bin" / "python")
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bill", action="store_true", help="write the bill of materials as well")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    given = parser.parse_args()
    made = twice(given.folder)
    if given.bill:
        wheel = next(path for path in made if path.suffix == ".whl")
        made.append(bill(wheel, given.folder / f"{wheel.name.split('-py3')[0]}.cdx.json"))
    for path in made:
        print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
