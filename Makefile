# Every target says what it does: run `make` to list them.
PY ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help venv demo test lint format bench recipes clean

help:  ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

venv:  ## Make .venv with everything the tests need
	$(PY) -m venv .venv && $(BIN)/pip install -q -e ".[test]"

demo:  ## Run the main job on the bundled sample collection
	$(BIN)/convoscope demo

test:  ## Run the tests
	$(BIN)/pytest -n 2 -ra

lint:  ## Check style and types
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

format:  ## Rewrite the code in the project's style
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

bench:  ## Time metrics and studies against their peers, same input, same run
	for b in lexical meteor posscore reliability concordance; do $(BIN)/python benchmarks/$$b.py || exit; done

recipes:  ## Say how each embedded asset is made again
	@grep -h '"command"' src/convoscope/assets/*/manifest.json

clean:  ## Delete what builds and tests left
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
