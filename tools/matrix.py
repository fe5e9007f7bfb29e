"""Test robosym on every supported Python with the lowest and the highest supported versions of its dependencies.

For each combination the wheel (for the first also the sdist) is installed into an empty environment and checked by
`tools/try_installed.py` with an empty PATH. Then the tests in `TESTS` (with `--whole`: all tests) run against the
installed package, without network access if the system allows it.
If a Python is not installed, it is taken from a later Debian release where possible (`tools/python_from_debian`).
The results are printed and stored in `build/matrix.json`.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from package import python_of

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "matrix"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
RESOLUTIONS = {"lowest": "lowest-direct", "highest": "highest"}
#: the tests that depend most on the versions of Python and of the dependencies
TESTS = ("runtime", "algebra", "model", "formats", "mechanism", "studies", "test_durability.py", "test_threads.py")
#: test dependencies that need newer versions than the lowest; tests that use them are skipped
NOT_LOWEST = ("Mathics3",)
#: dependencies whose version is printed
PRINTED = r"numpy|llvmlite|sympy"
UV = Path(sys.executable).parent / "uv"


class Failed(Exception):
    """A command failed; the message contains the last lines of its output."""


def run(*command: str | Path, **options: object) -> str:
    done = subprocess.run(  # type: ignore[call-overload]
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    if done.returncode:
        raise Failed(f"{Path(str(command[0])).name}: " + "\n".join((done.stdout + done.stderr).splitlines()[-25:]))
    return str(done.stdout)


def interpreter(version: str) -> str | None:
    """Return a working Python of this version: from the PATH, from pyenv, or from a later Debian release."""
    places = [f"python{version}", *sorted(glob.glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python")))]
    fetched = PLACE / f"python{version}"
    for place in [*places, str(fetched / "usr" / "bin" / "python")]:
        path = shutil.which(place)
        if path and _is(path, version):
            return path
    subprocess.run([ROOT / "tools" / "python_from_debian", version, fetched], check=False)
    path = str(fetched / "usr" / "bin" / "python")
    return path if shutil.which(path) and _is(path, version) else None


def _is(path: str, version: str) -> bool:
    asked = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", asked], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def environment(python: str, resolution: str, package: Path, name: str) -> tuple[Path, Path]:
    """Create an environment with the package and its dependencies; return it and the list of their versions."""
    folder, pins = PLACE / name, PLACE / f"{name}.txt"
    wheels = ("--only-binary", ":all:")  # building a dependency from source takes long and proves nothing
    chosen = ("--resolution", RESOLUTIONS[resolution], *wheels, "--no-header", "--no-annotate")
    run(UV, "pip", "compile", "--quiet", ROOT / "pyproject.toml", *chosen, "--python", python, "--output-file", pins)
    shutil.rmtree(folder, ignore_errors=True)
    run(UV, "venv", "--quiet", "--python", python, folder)
    run(UV, "pip", "install", "--quiet", "--python", folder, *wheels, "--requirement", pins)
    run(UV, "pip", "install", "--quiet", "--python", folder, "--no-deps", package)
    return folder, pins


def test(folder: Path, pins: Path, resolution: str, whole: bool) -> str:
    """Run the tests against the installed package and return the last line of pytest."""
    wanted = [w for w in _test_tools() if resolution == "highest" or not w.startswith(NOT_LOWEST)]
    run(UV, "pip", "install", "--quiet", "--python", folder, "--constraint", pins, *wanted)
    paths = ["tests"] if whole else [f"tests/{name}" for name in TESTS]
    command = [python_of(folder), "-m", "pytest", "-p", "no:cacheprovider", "--tb", "short", *paths]
    # the tests must import the installed package, not the source
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return run(*_without_network(), *command, cwd=ROOT, env=plain | {"ROBOSYM_CACHE": "off"}).strip().splitlines()[-1]


def _without_network() -> list[str]:
    """Return a command prefix that removes network access, or an empty one if the system has none."""
    command = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "alone"]
    usable = (
        shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0
    )
    return command if usable else []


def _test_tools() -> list[str]:
    """Return the extra `test` of pyproject.toml (Python 3.10 has no tomllib)."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^test = \[\n(.*?)^\]", text, re.DOTALL | re.MULTILINE)
    assert block is not None
    return re.findall(r'^\s*"(.*)",', block[1], re.MULTILINE)


def tried(version: str, resolution: str, package: Path, given: argparse.Namespace) -> dict[str, object]:
    """Test one combination; the result contains `passed` and, after a failure, `why`."""
    started = time.monotonic()
    row: dict[str, object] = {"python": version, "dependencies": resolution, "package": package.name, "passed": False}
    python = interpreter(version)
    if python is None:
        return row | {"why": "this Python is not available"}
    try:
        kind = "sdist" if package.suffix == ".gz" else "wheel"
        folder, pins = environment(python, resolution, package, f"{version}-{resolution}-{kind}")
        row["versions"] = [line for line in pins.read_text(encoding="utf-8").splitlines() if re.match(PRINTED, line)]
        system = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP") if name in os.environ}  # Windows needs them
        bare = {**system, "PATH": "", "HOME": str(PLACE), "ROBOSYM_CACHE": "off"}
        row["tried"] = run(python_of(folder), ROOT / "tools" / "try_installed.py", cwd=PLACE, env=bare).strip()
        if not given.quick and kind == "wheel":
            row["tests"] = test(folder, pins, resolution, given.whole)
        row["passed"] = True
    except Failed as error:
        row["why"] = str(error)
    return row | {"seconds": round(time.monotonic() - started)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", choices=PYTHONS, help="test only this version; may be repeated")
    parser.add_argument("--quick", action="store_true", help="only the oldest and the newest Python, without tests")
    parser.add_argument("--whole", action="store_true", help="run all tests")
    given = parser.parse_args()
    PLACE.mkdir(parents=True, exist_ok=True)
    pythons = given.python or PYTHONS
    pairs = [(version, resolution) for version in pythons for resolution in RESOLUTIONS]
    if given.quick and not given.python:
        pairs = [(PYTHONS[0], "lowest"), (PYTHONS[-1], "highest")]
    run(sys.executable, ROOT / "tools" / "package.py", PLACE / "dist")
    packages = {path.suffix: path for path in (PLACE / "dist").iterdir()}
    rows = []
    for turn, (version, resolution) in enumerate(pairs):
        for package in [packages[".whl"], *([packages[".gz"]] if turn == 0 else [])]:
            rows.append(row := tried(version, resolution, package, given))
            found = [str(row[key]) for key in ("tried", "tests", "why") if key in row]
            print(f"Python {version}, {resolution}, {package.name}: {'ok' if row['passed'] else 'FAILS'}", flush=True)
            print("    " + "\n    ".join([*map(str, row.get("versions", ())), *found]), flush=True)  # type: ignore[call-overload]
            (ROOT / "build" / "matrix.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    failed = [row for row in rows if not row["passed"]]
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
