# `make help` says what there is. ARGS="…" passes arguments on: make test ARGS="-k stack", make demo ARGS="--help".
.DEFAULT_GOAL := help
.PHONY: help install demo test test-long check lint types layers docs-check docs bench soak lock lock-neo4j clean

# From any working directory, and with spaces in the path.
IN := cd "$(shell dirname "$(strip $(MAKEFILE_LIST))")" &&
RUN := $(IN) .venv/bin
ARGS ?=
VERSION ?= 2026.08.1

help: ## This list
	@$(IN) sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

install: ## Makes .venv with all that is needed (every target below does)
	@$(IN) PYTHON="$(PYTHON)" sh stack/bootstrap.sh

demo: install ## Local servers, sample source, full refresh, first questions
	@$(RUN)/cpq-graph demo $(ARGS)

test: install ## All tests, on real servers
	@$(RUN)/pytest -q -n 2 $(ARGS)

test-long: install ## The same with what takes long: kills in every step
	@$(IN) CPQ_GRAPH_TEST_LONG=1 .venv/bin/pytest -q -n 2 $(ARGS)

check: lint types layers docs-check ## Lint, format, types, layers, generated docs (all of them: make -k check)

lint: install
	@$(RUN)/ruff check .
	@$(RUN)/ruff format --check .

types: install
	@$(RUN)/mypy

layers: install
	@$(RUN)/lint-imports

docs-check: install
	@$(RUN)/cog --check README.md

docs: install ## Writes the generated tables of README.md again
	@$(RUN)/cog -r README.md

bench: install ## All measurements: parsing, understanding and running questions with query plans, deltas (minutes; see docs/performance.md)
	@$(RUN)/python -m bench $(ARGS)

soak: install ## Kills at random moments, other faults, spoiled documents: hours (see docs/soak.md; ARGS="kills --help")
	@$(RUN)/python -m soak $(ARGS)

lock: install ## Resolves pyproject.toml into requirements.lock again
	@$(RUN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header -q -o requirements.lock $(ARGS)

lock-neo4j: install ## Resolves Neo4j's jars again (needs Maven): make lock-neo4j VERSION=2026.08.1
	@$(RUN)/python -m stack.lock $(VERSION)

clean: ## Ends the local servers; removes their data, .venv and caches
	@$(IN) if [ -x .venv/bin/python ]; then .venv/bin/python -c \
		'from cpq_graph.settings import Settings; from stack.local import remove; remove(Settings())'; fi
	@$(IN) rm -rf .venv .cpq-graph .pytest_cache .hypothesis .ruff_cache .mypy_cache .import_linter_cache .grimp_cache
	@$(IN) find . -name __pycache__ -prune -exec rm -rf {} +
