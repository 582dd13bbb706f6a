# Needs Python 3.11 to 3.14 with its venv module, and pip's package index for the first set-up.
# Everything is installed into .venv, from the hashed locks in requirements/.

PYTHON ?= python3
# One for the tests on Spark, one for those on a broker, which mostly wait, and one for the others.
WORKERS ?= 3
PYTEST_ARGS ?=
# Seconds after which make test is ended.
LIMIT ?= 900
# What make test-changed compares with.
BASE ?= main

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet
# The locks are whole. Resolving dependencies again would let a release of today in: pip 23 takes
# the extra of a pinned package from the newest one.
LOCKED := $(PIP) install --no-deps --require-hashes
SNAPSHOT := samples/token-indexer.snapshot.json
# Every page anew, warnings are errors, and a link to nowhere is a warning.
SPHINX := $(BIN)/python -m sphinx --quiet --fresh-env --nitpicky --fail-on-warning --keep-going -c docs/site
# A worker that a test has ended is not replaced: the other ones run what it had left.
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist loadgroup --max-worker-restart=0
# A command with its limit in seconds; at the limit its processes print their stacks and are killed.
RUN := $(BIN)/python tests/support/run_limit.py

# Each room has a gate: percent of its lines and branches that tests must run, 95 where a plan rests
# on them. A room whose tests on Spark or a broker are left out here has none.
ROOMS := $(patsubst equilag/%/__init__.py,%/**,$(wildcard equilag/*/__init__.py))
LEFT_OUT := from benchmarks.kafka_broker import missing; from equilag.pipeline.session import java_problem; print(java_problem() or missing() or "")

# A Python that was asked for by name is not replaced by another one.
CANDIDATES := $(PYTHON) $(if $(filter file,$(origin PYTHON)),python3.13 python3.12 python3.11 python3.14)
SUITABLE := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))

# Compiled tests load in half the time; whoever forbids it waits for it in every worker.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run test test-changed test-long coverage gates test-live demo fleet-demo bench bench-full bench-fleet bench-simulation broker-plugin docs docs-links pictures schemas reference examples lint format wheel-test lock clean FORCE

help: ## what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

run: $(VENV)/.equilag ## plan the sample group, then compare all assignors on it
	@$(BIN)/equilag plan $(SNAPSHOT) --effort 0.5
	@echo
	@$(BIN)/equilag compare $(SNAPSHOT)

test: $(VENV)/.dev $(VENV)/.equilag ## the tests, but for the long ones (3 minutes)
	@echo "Left out, as too slow for every change: tests marked 'long' (make test-long) and 'live' (make test-live)."
	@$(RUN) $(LIMIT) $(PYTEST) $(PYTEST_ARGS)

test-changed: $(VENV)/.dev $(VENV)/.equilag ## the tests of the rooms that differ from BASE (main)
	@tests=`$(BIN)/python tests/support/changed_rooms.py $(BASE)` && echo "Tests: $$tests" && \
	$(RUN) 900 $(PYTEST) $(PYTEST_ARGS) $$tests

# Properties are tested here, too, with more examples.
test-long: $(VENV)/.dev $(VENV)/.equilag ## the tests marked long, and properties with 200 examples
	@$(RUN) 3600 $(PYTEST) -m "(long or hypothesis) and not live" --hypothesis-profile=long \
	  -o faulthandler_timeout=1200 $(PYTEST_ARGS)

coverage: ## the tests of make test, traced, and the gates of the rooms
	@$(MAKE) --no-print-directory test LIMIT=1800 PYTEST_ARGS="--cov --cov-report= $(PYTEST_ARGS)"
	@$(MAKE) --no-print-directory gates

gates: $(VENV)/.dev ## the gates of the rooms, after traced tests
	@set -f; status=0; left_out=`$(BIN)/python -c '$(LEFT_OUT)'`; \
	for room in *.py $(ROOMS); do \
	  gate=90; \
	  case $$room in \
	    certificate/*|domain/*|planner/*|solver/*) gate=95;; \
	    adapters/*|cli/*|live/*|pipeline/*) [ -z "$$left_out" ] || gate=0;; \
	  esac; \
	  printf '%-14s of %2s %%: ' "$$room" $$gate; \
	  $(BIN)/coverage report --include="equilag/$$room" --precision=2 --format=total --fail-under=$$gate || \
	    { status=1; $(BIN)/coverage report --include="equilag/$$room" --skip-covered --show-missing; }; \
	done; echo "$$left_out"; exit $$status

test-live: $(VENV)/.dev $(VENV)/.equilag ## live groups on real brokers; renews figures in docs/benchmark/live.md (6 hours, Java 17, Maven)
	@$(BIN)/pytest -m live -o faulthandler_timeout=7200 $(PYTEST_ARGS); status=$$?; \
	$(BIN)/python -m benchmarks.live.load_report --take .cache/live; \
	$(BIN)/python -m benchmarks.live.faults_report --take .cache/live; \
	exit $$status

demo: $(VENV)/.spark $(VENV)/.equilag ## a live group with a slow consumer, and a steward with its page (Java 17)
	@$(BIN)/python -m benchmarks.live.demo

fleet-demo: $(VENV)/.spark $(VENV)/.equilag ## 500 made-up groups planned on Spark (Java 17)
	@rm -rf fleet-demo
	@$(BIN)/python -m benchmarks.fleet.history --groups 500 --partitions 50000 --samples 10 \
	  --every 60 --seed 1 --faults --out fleet-demo/history > /dev/null
	@$(BIN)/equilag fleet --history fleet-demo/history --horizon 3m --effort 0.05 \
	  --out fleet-demo/run

bench-fleet: $(VENV)/.spark $(VENV)/.equilag ## fleets at scale against the targets (half an hour)
	@$(BIN)/python -m benchmarks.fleet.bench

bench: $(VENV)/.dev $(VENV)/.equilag ## assignors side by side, with the targets (minutes)
	@$(BIN)/python -m benchmarks.assignors.run --out .cache/bench-assignors.json

bench-full: $(VENV)/.dev $(VENV)/.equilag ## the same on every group; renews the figures in docs/
	@$(BIN)/python -m benchmarks.assignors.run --full --out benchmarks/assignors/results.json; \
	status=$$?; \
	$(BIN)/python -m benchmarks.assignors.report benchmarks/assignors/results.json --out docs/benchmark; \
	exit $$status

bench-simulation: $(VENV)/.dev $(VENV)/.equilag ## rules in a simulation, forecasts on a real broker (20 minutes)
	@$(BIN)/python -m benchmarks.simulation.run --out benchmarks/simulation/results.json; \
	status=$$?; \
	$(BIN)/python -m benchmarks.simulation.report benchmarks/simulation/results.json \
	  --out docs/benchmark/simulation.md; \
	exit $$status

broker-plugin: ## the jar for brokers that lets a plan lead KIP-848 groups, untested (Java 17, Maven)
	@mvn -B -q -C -f broker-plugin/pom.xml -Dmaven.test.skip package && \
	echo "$(CURDIR)/.cache/broker-plugin/equilag-broker-plugin.jar"

docs: $(VENV)/.docs ## the site of the documents, .cache/site/index.html; warnings are errors
	@$(SPHINX) -b html . .cache/site && echo "file://$(CURDIR)/.cache/site/index.html"

docs-links: $(VENV)/.docs ## ask the servers of all external links whether they still answer (network)
	@$(SPHINX) -b linkcheck . .cache/links

pictures: $(VENV)/.dev $(VENV)/.equilag ## the pictures of the documents; screenshots need chromium
	@$(BIN)/python -m benchmarks.pictures.draw
	@$(BIN)/python -m benchmarks.pictures.screenshots

schemas: $(VENV)/.dev $(VENV)/.equilag ## renew what docs/schemas has of facts
	@$(BIN)/python -m benchmarks.schemas.write_schemas

reference: $(VENV)/.dev $(VENV)/.equilag ## renew the tables of settings in docs/reference.md
	@$(BIN)/python -m benchmarks.schemas.write_reference

examples: $(VENV)/.dev $(VENV)/.equilag ## renew what the pages show of commands; look at the difference
	@$(BIN)/python -m tests.support.renew_pages

lint: $(VENV)/.dev ## style, format and types
	@status=0; \
	$(BIN)/ruff check . || status=1; \
	$(BIN)/ruff format --check . || status=1; \
	$(BIN)/mypy || status=1; \
	exit $$status

format: $(VENV)/.dev ## put the code into the form that lint asks for
	@$(BIN)/ruff check --fix . && $(BIN)/ruff format .

wheel-test: $(VENV)/.dev ## build the wheel and use it outside the checkout
	@.ci/wheel-test

lock: ## renew requirements/ from pyproject.toml
	@PYTHON="$(PYTHON)" requirements/lock

clean: ## remove all that was made here
	rm -rf $(VENV) .cache .hypothesis fleet-demo .mypy_cache .pytest_cache .ruff_cache build dist
	find equilag tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# .made is there only while everything in the environment is complete: it is put aside while pip
# works, and without it the environment is made anew. It holds the path of the checkout, since an
# environment that was copied or moved along with it would still run the code at the old place.
ifneq ($(shell cat $(VENV)/.made 2>/dev/null; test -x $(BIN)/python || echo broken),$(CURDIR))
$(VENV)/.made: FORCE
endif

$(VENV)/.made: requirements/run.txt requirements/build.txt
	@for python in $(CANDIDATES); do \
	  if $$python -c '$(SUITABLE)' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "No Python 3.11 to 3.14 with the modules venv and ensurepip among: $(CANDIDATES)." >&2; \
	  echo "Name one: make PYTHON=/path/to/python3 $(MAKECMDGOALS)" >&2; \
	  exit 1; \
	fi; \
	echo "Setting up $(VENV) with `$$found --version`; this takes about a minute ..." >&2; \
	rm -rf $(VENV); \
	$$found -m venv $(VENV)
	@$(LOCKED) -r requirements/run.txt -r requirements/build.txt
	@pwd -P > $@

$(VENV)/.spark: $(VENV)/.made requirements/spark.txt
	@echo "Installing PySpark and the Kafka clients (450 MB, a few minutes the first time) ..." >&2
	@mv $(VENV)/.made $(VENV)/.putaside
	@$(LOCKED) -r requirements/spark.txt
	@mv $(VENV)/.putaside $(VENV)/.made
	@touch $@

$(VENV)/.dev: $(VENV)/.spark requirements/dev.txt
	@echo "Installing the tools for development ..." >&2
	@mv $(VENV)/.made $(VENV)/.putaside
	@$(LOCKED) -r requirements/dev.txt
	@mv $(VENV)/.putaside $(VENV)/.made
	@touch $@

$(VENV)/.docs: $(VENV)/.made requirements/docs.txt
	@echo "Installing the generator of the site ..." >&2
	@mv $(VENV)/.made $(VENV)/.putaside
	@$(LOCKED) -r requirements/docs.txt
	@mv $(VENV)/.putaside $(VENV)/.made
	@touch $@

$(VENV)/.equilag: $(VENV)/.made pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
