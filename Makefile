# Every target sets up what it needs: a virtual environment with the package, and for development its tools.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Commands that tests start load compiled modules, whatever the machine says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all check bench golden mutants oldest wheel docs figures clean

demo: $(VENV)/.package
	$(BIN)/bayesrank report antibody_tests --model beta_binomial --score informedness -o antibody_tests.html

test: $(VENV)/.dev
	$(BIN)/python -m pytest -m "not slow" -n 2 --dist worksteal

test-all: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	for file in tests/benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done
	$(BIN)/python tests/benchmarks/table.py

# Small analyses, compared with stored results to 1e-12. CI leaves them out: last digits depend on the machine.
golden: $(VENV)/.dev
	$(BIN)/python scripts/golden.py

mutants: $(VENV)/.dev
	$(BIN)/python scripts/mutants.py

# The tests with the oldest version of each dependency; pages show what the newest versions print.
oldest: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --group oldest
	$(BIN)/uv venv --quiet --clear .venv-oldest
	$(BIN)/uv pip install --quiet --python .venv-oldest --resolution lowest-direct --editable . --group dev
	.venv-oldest/bin/python -m pytest -m "not slow" -n 2 --dist worksteal --ignore tests/test_docs.py

# Both distributions, and a ranking by the wheel in an empty environment.
wheel:
	$(PYTHON) scripts/check_wheel.py

docs: $(VENV)/.docs
	$(BIN)/python scripts/make_scores_page.py
	$(BIN)/python scripts/make_what_works_page.py
	$(BIN)/python -m sphinx -q -W --keep-going -j 2 -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

figures: $(VENV)/.dev
	for file in scripts/make_*.py; do $(BIN)/python $$file || exit 1; done

clean:
	rm -rf $(VENV) .venv-oldest docs/_build docs/reference/api docs/learn/notebooks docs/figures/gallery docs/figures/papers docs/figures/tutorial docs/figures/measured .pytest_cache .mypy_cache .ruff_cache antibody_tests.html

$(VENV)/.package: pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'bayesrank needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

$(VENV)/.docs: $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group docs
	touch $@
