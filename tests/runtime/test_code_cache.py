"""Machine code is compiled once: cached in the process, in pickles, and in a folder that need not be trusted."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cases.hand_models import model_of, random_arrays, reference
from cases.models import long_chain
from evaluation import agree
from robosym.model import Model
from robosym.runtime import code_cache, engine


def model(names: str = "x y") -> Model:
    x, y = names.split()
    return model_of({"q": names, "parameters": "a b"}, {"f": ("F",)}, {"F": f"a*sin({x}) + b*{y}*{y} + exp({x})"})


@pytest.fixture(autouse=True)
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """Record what is compiled, with empty caches."""
    texts: list[str] = []
    compiled = engine._compiled

    def noted(text: str, machine: engine.Host, loops: bool) -> bytes:
        texts.append(text)
        return compiled(text, machine, loops)

    monkeypatch.setattr(engine, "_compiled", noted)
    monkeypatch.setattr(code_cache, "_admitted", {})
    monkeypatch.setenv("ROBOSYM_CACHE", str(tmp_path / "code"))
    engine._loaded.clear()
    yield texts
    engine._loaded.clear()


def check(f: Any) -> None:
    arrays = random_arrays(f.model, np.random.default_rng(1), (5,))
    agree(f(**arrays), reference(f.model, arrays)["f"], 1e-13)
    one = random_arrays(f.model, np.random.default_rng(2))
    agree(f(**one), reference(f.model, one)["f"], 1e-13)
    by_name = {"q": one["q"], "parameters": dict(zip(f.model.inputs["parameters"], one["parameters"], strict=True))}
    agree(f(**by_name), reference(f.model, one)["f"], 1e-13)


def forget() -> None:
    engine._loaded.clear()
    code_cache._admitted.clear()


def test_compiles_once_per_process(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBOSYM_CACHE", "off")
    first, again = model().compile(), model().compile()
    assert len(made) == 1
    check(first)
    check(again)
    model().compile(cached=False)
    assert len(made) == 2


def test_other_names_give_other_code(made: list[str]) -> None:
    first, other = model("x y"), model("u v")
    f, g = first.compile(), other.compile()
    assert len(made) == 2
    assert f(q={"x": 1.0, "y": 2.0}, parameters={"a": 1.0, "b": 1.0}) == g(
        q={"u": 1.0, "v": 2.0}, parameters={"a": 1.0, "b": 1.0}
    )


def test_text_contains_no_address(made: list[str]) -> None:
    model().compile()
    assert "inttoptr (i64" not in made[0]
    code = "\n".join(
        [
            "from cases.hand_models import model_of",
            "from robosym.runtime import engine",
            "from robosym.runtime.kernel import Kernel",
            "from test_code_cache import model",
            "engine._compiled = lambda text, machine, loops: print(hash(text)) or exit()",
            "model().compile()",
        ]
    )
    where = os.pathsep.join([*sys.path, str(Path(__file__).parent), str(Path(__file__).parent.parent)])
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": where, "PYTHONHASHSEED": "0", "ROBOSYM_CACHE": "off"},
            capture_output=True, text=True, check=True,
        ).stdout
        for _ in range(2)
    }  # fmt: skip
    assert len(found) == 1 and found != {""}


def test_pickle_contains_the_code(made: list[str], tmp_path: Path) -> None:
    f = model().compile().with_values(parameters=[0.3, 0.4])
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps(f))
    code = "\n".join(
        [
            "import pickle, sys",
            "from robosym.runtime import engine",
            "def never(text, machine, loops): raise AssertionError('compiled again')",
            "engine._compiled = never",
            f"f = pickle.load(open({str(path)!r}, 'rb'))",
            "print(repr(float(f(q=[0.5, 0.6])[0])))",
            "print(repr(float(f(q={'x': 0.5, 'y': 0.6})[0])))",
        ]
    )
    there = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "ROBOSYM_CACHE": "off"}
    ran = subprocess.run([sys.executable, "-c", code], env=there, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == [repr(float(f(q=[0.5, 0.6])[0]))] * 2


@pytest.mark.parametrize("harm", ["key", "code"])
def test_unusable_code_is_recompiled(made: list[str], monkeypatch: pytest.MonkeyPatch, harm: str) -> None:
    """Code of another processor, or damaged code."""
    monkeypatch.setenv("ROBOSYM_CACHE", "off")
    f = model().compile()
    rebuild, (its_model, fixed, codes) = f.__reduce__()
    [(key, code)] = codes.items()
    del f
    forget()
    check(rebuild(its_model, fixed, {"0" * 64: code} if harm == "key" else {key: code.replace(b"ELF", b"FLE")}))
    assert len(made) == 2


def test_pickle_contains_single_precision(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROBOSYM_CACHE", "off")
    f = model().compile()
    arrays = {
        name: value.astype(np.float32) for name, value in random_arrays(f.model, np.random.default_rng(3)).items()
    }
    expected = f(**arrays)
    data = pickle.dumps(f)
    del f
    forget()
    count = len(made)
    np.testing.assert_array_equal(pickle.loads(data)(**arrays), expected)
    assert len(made) == count == 2


def test_folder_is_used_by_the_next_process(made: list[str], tmp_path: Path) -> None:
    check(model().compile())
    forget()
    check(model().compile())
    assert len(made) == 1
    [entry] = (tmp_path / "code").iterdir()
    assert len(entry.name.removesuffix(".robosym-code")) == 64


@pytest.mark.parametrize("damage", [b"", b"short", "flip", "cut"])
def test_damaged_entry_is_recompiled(made: list[str], tmp_path: Path, damage: Any) -> None:
    check(model().compile())
    [entry] = (tmp_path / "code").iterdir()
    data = bytearray(entry.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
    entry.write_bytes(damage if isinstance(damage, bytes) else data[:-7] if damage == "cut" else data)
    forget()
    check(model().compile())
    forget()
    check(model().compile())
    assert len(made) == 2  # stored again


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="platform without user ids")
def test_folder_writable_by_others_is_not_used(made: list[str], tmp_path: Path) -> None:
    place = tmp_path / "code"
    place.mkdir()
    place.chmod(0o777)
    check(model().compile())
    assert not list(place.iterdir())


@pytest.mark.parametrize("setting", ["off", "", "0", "file/below", "\0"])
def test_without_a_folder(made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    (tmp_path / "file").write_text("not a folder")
    if "\0" in setting:
        monkeypatch.setattr(code_cache, "folder", lambda: Path(setting))
    else:
        monkeypatch.setenv("ROBOSYM_CACHE", str(tmp_path / setting) if "/" in setting else setting)
    check(model().compile())
    forget()
    check(model().compile())
    assert len(made) == 2


def test_without_a_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ROBOSYM_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    if sys.platform == "linux":
        assert code_cache.folder() is None
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert code_cache.folder() == tmp_path / "robosym"
    check(model().compile())


def test_oldest_entries_are_deleted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(code_cache, "_MOST", 3)
    for k in range(6):
        code_cache.write(f"{k}" * 64, b"code")
        os.utime(tmp_path / "code" / (f"{k}" * 64 + ".robosym-code"), (k, k))
    code_cache.admit({str(k): code_cache.sealed(b"") for k in range(6)})
    assert len(list((tmp_path / "code").iterdir())) == 3 and code_cache.read("5" * 64) == b"code"
    assert list(code_cache._admitted) == ["3", "4", "5"]


def test_user_files_are_not_deleted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder has files older than every entry, and one named like a digest."""
    monkeypatch.setattr(code_cache, "_MOST", 2)
    place = tmp_path / "code"
    (place / "sub.robosym-code").mkdir(parents=True)
    mine = [place / name for name in ("thesis.tex", ".hidden.tmp", "a" * 64, "sub.robosym-code/data.csv")]
    for path in mine:
        path.write_text("mine")
        os.utime(path, (0, 0))
    for k in range(5):
        code_cache.write(f"{k}" * 64, b"code")
    assert all(path.read_text() == "mine" for path in mine)
    assert len(list(place.glob("*.robosym-code"))) == 2 + 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="platform without named pipes")
def test_pipe_as_entry_does_not_block(made: list[str], tmp_path: Path) -> None:
    check(model().compile())
    [entry] = (tmp_path / "code").iterdir()
    entry.unlink()
    os.mkfifo(entry)
    forget()
    check(model().compile())
    assert len(made) == 2


def test_concurrent_compilation(made: list[str]) -> None:
    with ThreadPoolExecutor(8) as pool:
        for f in pool.map(lambda _: model().compile(), range(16)):
            check(f)


def test_long_model(made: list[str]) -> None:
    f = long_chain(30).compile()
    arrays = random_arrays(f.model, np.random.default_rng(4))
    expected = f(**arrays)
    forget()
    again = long_chain(30).compile()
    np.testing.assert_array_equal(again(**arrays), expected)
    assert len(made) == 1
