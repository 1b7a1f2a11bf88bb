# make demo   from nothing to five answered questions
# make test   style, types, import rules, all tests
# make graph-test   what needs torch: the graph token and local models, on tiny random ones
# make bench-growth SIZES="1000 10000 100000"   cost by number of units; GROWTH= for more options
#
# PYTHON=… names the interpreter; the first of these that is 3.11 or later otherwise.

PYTHON ?= $(shell for each in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$each; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq
GRAPH := .venv-graph
TORCH ?= torch==2.13.0
GRAPH_TESTS := $(addprefix tests/unit/test_,graph_arrays.py graph_token.py graph_examples.py graph_training.py \
	graph_branch.py graph_branch_run.py graph_answerer.py graph_checkpoint_ask.py hf_chat.py hf_chat_files.py study_hf.py)
JOBS ?= 2
SIZES ?= 1000 10000 100000

.PHONY: demo test graph-test bench-growth wheel-test docs bench-matched pieces train-ranker tune-fusion sweeps traces-oracle llm-smoke bench-answers construction-sweeps clean

demo: $(VENV)/base.stamp
	@$(BIN)/qgmem demo

test: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n $(JOBS) $(PYTEST)

# What `make test` skips by name where torch is missing, in an environment of its own. TORCH= names another build.
graph-test: $(GRAPH)/graph.stamp
	OMP_NUM_THREADS=1 $(GRAPH)/bin/python -m pytest $(GRAPH_TESTS)

bench-growth: $(VENV)/dev.stamp
	OMP_NUM_THREADS=1 $(BIN)/python -m qgmem.evals.growth $(SIZES) --out out/growth $(GROWTH)

# The built wheel alone, in an environment that holds nothing else, run from a folder that is not this one.
wheel-test: $(VENV)/base.stamp
	@set -eu; folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	$(PIP) wheel --no-deps --wheel-dir "$$folder" .; \
	$(BIN)/python -m venv "$$folder/venv"; \
	"$$folder/venv/bin/python" -m pip --disable-pip-version-check --no-input -qq install "$$folder"/qgmem-*.whl; \
	$(BIN)/python tests/surfaces/wheel_contents.py "$$folder"/qgmem-*.whl; \
	cd "$$folder"; ./venv/bin/qgmem demo --json > demo.json; \
	./venv/bin/python -c 'import json; d = json.load(open("demo.json")); \
	assert d["ingest"]["stored"] >= 60 and len(d["searches"]) == 5 and all(s["hits"] for s in d["searches"])'; \
	echo "wheel: installed alone, demo passed"

# What the documents quote from the program, made again.
docs: $(VENV)/dev.stamp
	$(BIN)/python -m qgmem.surfaces.reference > docs/cli.md
	$(BIN)/python tests/unit/test_readme.py

# The memory beside plain controls on LoCoMo and held-out BEAM chats, from DATA=folder with locomo/ and beam/.
bench-matched: $(VENV)/dev.stamp
	$(BIN)/python -m qgmem.evals.matched --data $(DATA) --out $(or $(OUT),out/matched)

DIALOGUES = training-data/dialogues

# The default fusion's weights again, from BEAM=folder with 100K/1 … 100K/14 and the written dialogues.
tune-fusion: $(VENV)/dev.stamp
	$(BIN)/python -m qgmem.training.make_fusion --beam $(BEAM) --dialogues $(DIALOGUES) --out $(or $(OUT),out/ranker)

# The directions along which word pieces are kept: writes OUT/minilm_pieces.npz.
pieces: $(VENV)/dev.stamp
	$(BIN)/python -m qgmem.training.make_pieces --dialogues $(DIALOGUES) --out $(or $(OUT),out/pieces)

# The learned ranker again, over those weights and synthetic lives too; writes OUT/ranker.npz and its report.
train-ranker: $(VENV)/dev.stamp
	$(BIN)/python -m qgmem.training.make_ranker --beam $(BEAM) --dialogues $(DIALOGUES) --out $(or $(OUT),out/ranker)

# Fusions, channels, n, k and rerankers on LoCoMo and BEAM-100K; DATA=folder of benchmark data. Memories stay in out/sweeps.
sweeps: $(VENV)/dev.stamp
	OMP_NUM_THREADS=1 $(BIN)/python -m qgmem.evals.sweeps --data $(DATA) $(SWEEPS)

# 200 lives in random order and random batches, 24,000 questions about any day as known at any time; fails on one wrong.
traces-oracle: $(VENV)/dev.stamp
	OMP_NUM_THREADS=1 $(BIN)/python tests/property/test_traces_oracle.py $(LIVES) $(QUESTIONS)

# A real model reads the first sessions of a LoCoMo conversation while its server is killed once: MODEL=file.gguf, and
# DATA=folder of benchmark data unless QGMEM_BENCH_DATA names it. LLAMA=python names an interpreter that has
# llama-cpp-python[server]; otherwise one is built, about 7 CPU-minutes. SMOKE= for more options.
LLAMA ?= out/venv-llama/bin/python
llm-smoke: $(VENV)/dev.stamp $(LLAMA)
	OMP_NUM_THREADS=1 $(BIN)/python -m qgmem.evals.llm_smoke --model $(MODEL) --python $(LLAMA) \
	$(if $(DATA),--data $(DATA)) --out $(or $(OUT),out/llm-smoke) $(SMOKE)

# LoCoMo's official F1 by a real model: MODEL=file.gguf, DATA=folder of benchmark data, LLAMA= as above. Goes on where it
# was stopped. ANSWERS= for more options, as ANSWERS="--sample 60 --systems bm25,default --k 5,10,25".
bench-answers: $(VENV)/dev.stamp $(LLAMA)
	OMP_NUM_THREADS=1 $(BIN)/python -m qgmem.evals.answers --model $(MODEL) --python $(LLAMA) \
	--data $(DATA) --out $(or $(OUT),out/answers) $(ANSWERS)

# Window width and overlap, and τ, on simulated lives; no language model takes part.
construction-sweeps: $(VENV)/dev.stamp
	OMP_NUM_THREADS=1 $(BIN)/python -m qgmem.evals.construction_sweeps --out $(or $(OUT),out/construction-sweeps)

out/venv-llama/bin/python:
	$(PYTHON) -m venv out/venv-llama
	out/venv-llama/bin/python -m pip install -qq 'llama-cpp-python[server]' || { rm -rf out/venv-llama; exit 1; }

clean:
	rm -rf $(VENV) $(GRAPH) build dist out src/*.egg-info

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or later found; name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	rm -rf $(VENV); echo "Trying without the venv package of the system" >&2; \
	$(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(BIN)/python install -q pip; } || { \
	rm -rf $(VENV); echo "No virtual environment could be made: apt install python3-venv" >&2; exit 1; }

$(VENV)/base.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV)"
	@$(PIP) install -e .
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing into $(VENV), with the tools for development"
	@$(PIP) install -e '.[dev]'
	@touch $@ $(VENV)/base.stamp

$(GRAPH)/graph.stamp: pyproject.toml | $(BIN)/python
	@echo "Installing into $(GRAPH), with torch"
	@$(BIN)/python -m venv $(GRAPH)
	@$(GRAPH)/bin/python -m pip --disable-pip-version-check --no-input -qq install '$(TORCH)' -e '.[graph]' 'pytest>=8.2'
	@$(GRAPH)/bin/python -c "import torch, torch_geometric, transformers, safetensors"
	@touch $@
