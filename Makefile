# `make demo` shows the main job, `make test` runs every check; both set up what they need in .venv.
# `make bench BENCH='single_call'` runs one benchmark, keeps its figures and writes them into the text.
# `make soak SOAK='--minutes 60'` goes on with random robots where the last soak ended.
# `make constraints CONSTRAINTS=--upgrade` renews the versions that the tests run with.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python tools/install.py

.PHONY: demo test packages pytest lint coverage bench figures soak fuzz mutants matrix dist constraints docs clean

demo: $(VENV)/.installed
	$(BIN)/python examples/demo.py

# compilers are installed while Python's packages are, types are checked while tests wait for browsers and compilers
test:
	$(MAKE) --no-print-directory -j 2 $(VENV)/.tested packages
	$(MAKE) --no-print-directory -j 2 lint pytest

packages:
	tools/debian_packages

pytest: $(VENV)/.tested
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
	$(BIN)/python benchmarks/run.py $(BENCH)

# what `make bench` measured, into README.md and docs/
figures: $(VENV)/.installed
	$(BIN)/python tools/figures.py

soak: $(VENV)/.tested
	$(BIN)/python -m pytest -m long
	cd tests && ../$(BIN)/python -m soak.soak $(SOAK)

fuzz: $(VENV)/.tested
	cd tests && ../$(BIN)/python -m fuzz.fuzz $(FUZZ)
	cd tests && ../$(BIN)/python -m fuzz.hostile
	cd tests && ../$(BIN)/python -m fuzz.hostile --megabytes 10

# `make mutants MUTANTS='--sample 500 --seed other'`: faults put into the algorithms, one at a time
mutants: $(VENV)/.tested
	cd tests && ../$(BIN)/python -m mutants.mutants $(MUTANTS)

# every supported Python with the lowest and the highest dependencies; MATRIX=--quick: two of them, tried without tests
matrix: $(VENV)/.matrix
	$(BIN)/python tools/matrix.py $(MATRIX)

# wheel and sdist, built twice and compared, and their bill of materials
dist: $(VENV)/.matrix
	$(BIN)/python tools/package.py --bill

constraints: $(VENV)/.matrix
	$(BIN)/uv pip compile --quiet pyproject.toml --all-extras --universal --python-version 3.10 --only-binary :all: \
	    --no-header --no-annotate --output-file constraints.txt $(CONSTRAINTS) >/dev/null
	sed -i '1i # What make installs, for every Python that is supported; `make constraints` writes it anew.' constraints.txt

docs: $(VENV)/.documented
	$(BIN)/python tools/reference.py
	$(BIN)/python -m mkdocs build --strict --quiet
	$(BIN)/python tools/check_site.py build/site

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "robosym needs Python 3.10 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable .
	touch $@

$(VENV)/.tested: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --editable '.[test]'
	touch $(VENV)/.installed $@

$(VENV)/.matrix: $(VENV)/.tested
	$(INSTALL) --editable '.[matrix]'
	touch $@

$(VENV)/.documented: $(VENV)/.installed
	$(INSTALL) --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) build dist .coverage .mypy_cache .ruff_cache .pytest_cache
