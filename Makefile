PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
STAMP := $(VENV)/.ready

INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
NATIVE := $(wildcard src/skolem/network/engine/native*.[ch])

.PHONY: setup demo test browser test-kernels check sanitize report models cards docs dist wheel clean

setup: $(STAMP)

# What planning needs.
$(CORE): pyproject.toml constraints.txt $(NATIVE)
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --editable .
	touch $(CORE)

# What the tests, the checks and training need too; torch by itself first, so that its pin is taken. Of alfworld and
# bddl only the files with domains and goals are read, so that what they depend on is left out.
$(STAMP): $(CORE)
	$(INSTALL) torch
	$(INSTALL) --editable '.[dev]'
	$(INSTALL) --no-deps alfworld bddl
	touch $(STAMP)

demo: $(CORE)
	$(BIN)/skolem plan examples/blocks/domain.pddl examples/blocks/tower.pddl

test: setup
	$(BIN)/python -m pytest --numprocesses 2

# The page in a real browser: Debian's Chromium and its driver are installed if they are not there.
browser: setup
	test -x /usr/bin/chromedriver || (apt-get update && apt-get install --yes --no-install-recommends chromium chromium-driver)
	$(BIN)/python -m pytest browser_tests

# The GPU kernels against the plain network, in Triton's interpreter: no GPU needed, but triton is large.
test-kernels: setup
	$(INSTALL) --editable '.[kernels]'
	TRITON_INTERPRET=1 $(BIN)/python -m pytest kernels_tests

check: setup
	$(BIN)/ruff check src tests browser_tests benchmarks tools examples
	$(BIN)/ruff format --check src tests browser_tests benchmarks tools examples
	$(BIN)/mypy
	$(BIN)/lint-imports

# The native engine under the address and undefined-behaviour sanitizers; needs gcc or clang.
sanitize: setup
	$(BIN)/python -m tools.sanitize_engine

# The pages of results from the stores in results/stores.
report: setup
	$(BIN)/skolem report

# Labels and trains every shipped model from nothing into build/models: hours of CPU, and minutes of a GPU for each.
DEVICE ?= cuda
models: setup
	$(BIN)/python -m tools.make_models train --device $(DEVICE)

# Writes the cards of the shipped models again.
cards: setup
	$(BIN)/python -m tools.model_cards write

# The site in build/site, from README, docs, results and the code; a link that leads nowhere is an error.
docs: setup
	$(INSTALL) --editable '.[docs]'
	$(BIN)/python -m tools.command_reference
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -c docs . build/site

# Wheel and source archive in dist/.
dist: setup
	$(INSTALL) build
	$(BIN)/python -m build --outdir dist .

# A wheel in dist/, with the native engine for this machine.
wheel: $(CORE)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
