# `make demo` runs an example and `make test` runs all checks; both install their dependencies into .venv.
# `make bench BENCH='single_call'` runs one benchmark, stores its figures and writes them into the documentation.
# `make soak SOAK='--minutes 60'` tests random robots and continues where the last run ended.
# `make constraints CONSTRAINTS=--upgrade` updates the pinned versions of all dependencies.
# The recipes need a POSIX shell; on Windows use Git Bash or MSYS2, or the commands of docs/stability.md.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
VENV_PYTHON := $(BIN)/python$(if $(filter Windows_NT,$(OS)),.exe)
INSTALL := $(BIN)/python tools/install.py
COMPARED := operations sympy_cse single_call batch_inverse_dynamics batch_direct_dynamics peers inverse_geometry \
    inverse_geometry_peers base_parameters_peers identify

.PHONY: demo test packages pytest lint coverage bench compare figures soak fuzz mutants matrix dist release constraints docs clean

demo: $(VENV)/.installed
	$(BIN)/python examples/demo.py

# install compilers and Python packages in parallel, then run type checks and tests in parallel
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
	$(BIN)/python tools/language.py

coverage: $(VENV)/.tested
	mkdir -p build
	$(BIN)/python -m pytest --cov=robosym --cov-report=json:build/coverage.json
	$(BIN)/python tools/coverage_by_package.py build/coverage.json

bench: $(VENV)/.tested
	$(BIN)/python benchmarks/run.py $(BENCH)

# install the other programs of docs/comparison.md, measure all of them beside robosym, and update that page
compare: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet --requirement benchmarks/peers.txt
	$(BIN)/python benchmarks/run.py $(COMPARED)

# write the results of `make bench` into README.md, docs/ and paper/
figures: $(VENV)/.installed
	$(BIN)/python tools/figures.py

soak: $(VENV)/.tested
	$(BIN)/python -m pytest -m long
	cd tests && ../$(BIN)/python -m soak.soak $(SOAK)

fuzz: $(VENV)/.tested
	cd tests && ../$(BIN)/python -m fuzz.fuzz $(FUZZ)
	cd tests && ../$(BIN)/python -m fuzz.hostile
	cd tests && ../$(BIN)/python -m fuzz.hostile --megabytes 10

# mutation tests: `make mutants MUTANTS='--sample 500 --seed other'`
mutants: $(VENV)/.tested
	cd tests && ../$(BIN)/python -m mutants.mutants $(MUTANTS)

# all supported Pythons with the lowest and the highest dependencies; MATRIX=--quick: two of them, without tests
matrix: $(VENV)/.matrix
	$(BIN)/python tools/matrix.py $(MATRIX)

# build wheel and sdist twice, compare and check them, and write the bill of materials
dist: $(VENV)/.matrix
	$(BIN)/python tools/package.py --check --bill

# set the version everywhere and date the changelog:
# `make release VERSION=1.0.0 REPOSITORY=https://github.com/owner/robosym`
release: $(VENV)/.installed
	$(BIN)/python tools/release.py $(VERSION) $(REPOSITORY)

constraints: $(VENV)/.matrix
	$(BIN)/uv pip compile --quiet pyproject.toml --all-extras --universal --python-version 3.10 --only-binary :all: \
	    --no-header --no-annotate --output-file constraints.txt $(CONSTRAINTS) >/dev/null
	$(BIN)/python tools/release.py --constraints

docs: $(VENV)/.documented
	$(BIN)/python -m mkdocs build --strict --quiet
	$(BIN)/python tools/check_site.py build/site

$(VENV_PYTHON):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "robosym needs Python 3.10 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV_PYTHON)
	$(INSTALL) --editable .
	touch $@

$(VENV)/.tested: pyproject.toml constraints.txt | $(VENV_PYTHON)
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
