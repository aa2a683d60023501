# Everything runs from .venv, which `scripts/setup.py` makes from the lock file. Paths are relative, so that a checkout may
# live in a folder with a space in its name.

PYTHON ?= python3
RUN := .venv/bin/python
ARGS ?=
SOAK_SECONDS ?= 20
PICTURE ?= lodmem search "what stays in view and what fades?" --limit 10 --no-touch

.DEFAULT_GOAL := help
.PHONY: help demo test suite soak lint types contracts format lock docs picture plane-picture plane-states plane-real eval peers web web-check clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: ## install into .venv, then show lodmem on this repository's own history
	@$(PYTHON) scripts/setup.py
	@$(RUN) scripts/demo.py $(ARGS)

test: lint types contracts suite ## everything that must pass: lint, types, import contracts, requirements, tests

suite: environment
	$(RUN) -m pytest $(ARGS)

soak: environment ## the suites of faults, fuzzing and the HTTP API at length, with random input that is new each time, then coverage-led fuzzing
	SOAK=1 $(RUN) -m pytest tests/faults tests/fuzz tests/surfaces/http/test_document.py --timeout 900 $(ARGS)
	$(RUN) -m pip install --quiet --no-deps --target .venv/soak "atheris>=3,<4"
	PYTHONPATH=.venv/soak $(RUN) tests/fuzz/atheris_texts.py --seconds $(SOAK_SECONDS)

lint: environment ## ruff, and that generated pages are current
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) scripts/docs.py --check

types: environment ## mypy, strict
	$(RUN) -m mypy

contracts: environment ## imports point downwards only
	.venv/bin/lint-imports --no-cache

format: environment ## ruff format and the fixes it is sure of
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

lock: ## resolve requirements/*.txt anew, with the hashes of every wheel
	$(PYTHON) scripts/lock.py

docs: environment ## write the generated pages again
	$(RUN) scripts/docs.py

picture: environment ## take the README's picture again, from the demo's store
	$(RUN) scripts/picture.py docs/images/landscape.svg -- $(PICTURE)

plane-picture: environment ## take the picture of the memory plane again, from the demo's store (needs chromium)
	$(RUN) scripts/plane_picture.py

plane-states: environment ## pictures of every state of the memory plane's page, to be looked at: make plane-states ARGS=folder
	$(RUN) -m scripts.plane_states $(ARGS)

eval: environment ## LoCoMo recall: make eval DATA=path/to/locomo.json
	@test -n "$(DATA)" || { echo "make eval DATA=path/to/locomo.json"; exit 2; }
	.venv/bin/lodmem eval locomo "$(DATA)" $(ARGS)

peers: environment ## what a user would pick instead, measured beside lodmem: make peers DATA=path/to/locomo.json
	@test -n "$(DATA)" || { echo "make peers DATA=path/to/locomo.json"; exit 2; }
	$(RUN) -m benchmarks.peers --locomo "$(DATA)" --json benchmarks/peers/results.json --page docs/reference/peers.md $(ARGS)

plane-real: export LODMEM_PLANE_DATA := $(LOCOMO):$(LONGMEMEVAL)
plane-real: environment ## the memory plane's browser tests on 5,000 real memories: make plane-real LOCOMO=path/to/locomo.json LONGMEMEVAL=path/to/longmemeval.json
	@test -f "$(LOCOMO)" && test -f "$(LONGMEMEVAL)" || { echo "make plane-real LOCOMO=path/to/locomo.json LONGMEMEVAL=path/to/longmemeval.json"; exit 2; }
	$(RUN) -m tests.surfaces.plane.real
	$(RUN) -m pytest tests/surfaces/plane $(ARGS)

web: ## build the memory plane's page from web/ into the package (needs Node)
	@$(PYTHON) scripts/web.py

web-check: ## that the committed page is what web/ gives; svelte-check and its tests
	@$(PYTHON) scripts/web.py --check

clean: ## remove .venv, .demo, caches
	rm -rf .venv .demo dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

.PHONY: environment
environment:
	@$(PYTHON) scripts/setup.py --dev
