PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready

.PHONY: setup demo test test-kernels check sanitize report models cards clean

setup: $(STAMP)

NATIVE := src/skolem/network/engine/native.c src/skolem/network/engine/native_layers.h

$(STAMP): pyproject.toml constraints.txt $(NATIVE)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

demo: setup
	$(BIN)/skolem plan examples/blocks/domain.pddl examples/blocks/tower.pddl

test: setup
	$(BIN)/python -m pytest --numprocesses 2

# The GPU kernels against the plain network, in Triton's interpreter: no GPU needed, but triton is large.
test-kernels: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[kernels]'
	TRITON_INTERPRET=1 $(BIN)/python -m pytest kernels_tests

check: setup
	$(BIN)/ruff check src tests benchmarks tools
	$(BIN)/ruff format --check src tests benchmarks tools
	$(BIN)/mypy

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

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
