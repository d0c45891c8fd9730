# Every target works from a fresh clone: it makes a private virtual environment, installs, runs.
SHELL := /bin/sh
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=
# What `make test` takes: some minutes of work. CI takes what is marked `long` too.
MARKS ?= not slow and not long
STAMP := $(VENV)/.installed
DEV := $(VENV)/.installed-dev

.PHONY: demo test test-all lint bench docs screenshots clean coverage

demo: $(STAMP)
	@$(BIN)/tallycam demo $(ARGS)

test: $(DEV)
	@$(BIN)/python -m pytest -n 2 --dist loadgroup -m "$(MARKS)" $(ARGS)

# The long matrices too: half an hour.
test-all: $(DEV)
	@$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

lint: $(DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

bench: $(DEV)
	@$(BIN)/tallycam bench $(ARGS)

docs: $(DEV)
	@$(BIN)/python docs/build.py

# Every view of the page, photographed (docs/page.md); needs Chromium.
screenshots: $(DEV)
	@$(BIN)/python docs/screenshots.py $(ARGS)

coverage: $(DEV)
	@$(BIN)/python -m pytest tests/engine --cov=engine --cov-branch --cov-report=term --cov-fail-under=100 $(ARGS)

$(VENV)/bin/python:
	@python3 -m venv $(VENV)

$(STAMP): pyproject.toml setup.py constraints.txt | $(VENV)/bin/python
	@sh .ci/packages runtime
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(DEV): pyproject.toml setup.py constraints.txt | $(VENV)/bin/python
	@sh .ci/packages runtime browser render broker database
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[dev,synth]"
	@touch $(STAMP) $@

clean:
	rm -rf $(VENV) build dist
