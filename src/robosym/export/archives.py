"""ZIP archives and shared libraries of generated files; equal files give identical bytes."""

from __future__ import annotations

import io
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from robosym.errors import InputError

__all__ = ["archive", "c_compiler", "library_suffix", "processor", "shared_library"]

_EPOCH = (1980, 1, 1, 0, 0, 0)  #: date of every entry: the first that the format can express
_FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fPIC", "-fvisibility=hidden", "-shared")
_SECONDS = 600.0


def archive(files: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP archive of files by path."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content)
    return stream.getvalue()


def c_compiler() -> str | None:
    """Return the C compiler of this computer: the one in the environment variable CC, or cc, gcc or clang."""
    names = (os.environ.get("CC") or "", "cc", "gcc", "clang")
    return next((found for name in names if name and (found := shutil.which(name))), None)


def shared_library(sources: Mapping[str, str], main: str) -> bytes:
    """Return the shared library of a C file that includes the others.

    Raises
    ------
    InputError
        If there is no C compiler, or it fails.
    """
    compiler = c_compiler()
    if compiler is None:
        raise InputError("binary: expected a C compiler (cc, gcc or clang), found none")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in sources.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        result = Path(folder) / f"library{library_suffix()}"
        flags = [flag for flag in _FLAGS if sys.platform != "win32" or flag != "-fPIC"]
        command = [compiler, *flags, main, "-o", result.name, "-lm"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)
        if done.returncode != 0:
            raise InputError(f"binary: {compiler} failed: {done.stderr.strip()[:500]}")
        return result.read_bytes()


def library_suffix() -> str:
    """Return the extension of shared libraries of this platform."""
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def processor() -> str:
    """Return the name of the processor: x86_64, aarch64, ..."""
    found = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(found, found)
