.DEFAULT_GOAL := help
.PHONY: help golden golden-check compare bench drift spread fuzz fuzz-loaders fuzz-comparer fuzz-case test

help: ## Show the targets.
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16

golden: ## Regenerate fixtures/ and golden/ from real PyTorch (ONLY: these suites).
	"$$(scripts/venv.sh)" python/generate.py --refuse-idle $(if $(ONLY),--only $(ONLY))

golden-check: ## Regenerate into a temporary folder and fail on any difference.
	"$$(scripts/venv.sh)" python/generate.py --check

compare: ## Judge the native engine on every suite.
	cargo run --release --bin compare

bench: ## Time the native engine beside PyTorch, in turns.
	cargo run --release --bin compare -- bench --python "$$(scripts/venv.sh)"

test: ## Everything that CI runs.
	.ci/run

TORCH ?= 2.14.1

drift: ## Tell what PyTorch changed from another version (TORCH) to the pinned one.
	scripts/drift.sh $(TORCH)

spread: ## Measure how far PyTorch is from itself: golden/spread.json.
	"$$(scripts/venv.sh)" python/spread.py

FUZZ_SECONDS ?= 600

fuzz-loaders: ## Arbitrary files and arguments to everything that reads them (FUZZ_SECONDS).
fuzz-comparer: ## Arbitrary tensors and rules to the judge.
fuzz-case: ## Arbitrary cases to the native engine.
fuzz-loaders fuzz-comparer fuzz-case: fuzz-%:
	scripts/fuzz.sh $* $(FUZZ_SECONDS)

FUZZ_SEED ?= 1
FUZZ_CASES ?= 2000

fuzz: ## Judge random reductions of random views (FUZZ_SEED, FUZZ_CASES).
	"$$(scripts/venv.sh)" python/fuzz.py --seed $(FUZZ_SEED) --cases $(FUZZ_CASES) --root target/fuzz
	cargo run --release --bin compare -- --strict --fixtures target/fuzz/fixtures --golden target/fuzz/golden
