# `make demo` shows the main job, `make test` runs every check; both set up what they need in .venv.
# `make soak SOAK='--minutes 60'` goes on with random robots where the last soak ended.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint coverage bench soak fuzz docs clean

demo: $(VENV)/.installed
	$(BIN)/python examples/demo.py

test: lint
	tools/debian_packages
	$(BIN)/python -m pytest

lint: $(VENV)/.tested
	$(BIN)/ruff check src tests benchmarks examples tools
	$(BIN)/ruff format --check --quiet src tests benchmarks examples tools
	$(BIN)/mypy

coverage: $(VENV)/.tested
	mkdir -p build
	$(BIN)/python -m pytest --cov=robosym --cov-report=json:build/coverage.json
	$(BIN)/python tools/coverage_by_room.py build/coverage.json

bench: $(VENV)/.tested
	$(BIN)/python benchmarks/run.py

soak: $(VENV)/.tested
	$(BIN)/python -m pytest -m long
	cd tests && ../$(BIN)/python -m soak.soak $(SOAK)

fuzz: $(VENV)/.tested
	cd tests && ../$(BIN)/python -m fuzz.fuzz $(FUZZ)
	cd tests && ../$(BIN)/python -m fuzz.hostile

docs: $(VENV)/.documented
	$(BIN)/python tools/reference.py
	$(BIN)/python -m mkdocs build --strict --quiet
	$(BIN)/python tools/check_site.py build/site

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "robosym needs Python 3.10 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

$(VENV)/.documented: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) build dist .coverage .mypy_cache .ruff_cache .pytest_cache
