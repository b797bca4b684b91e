# Everything a person types. `make help` lists it.
PYTHON ?= python3
DISTRO ?= jazzy
TASK ?= room
WITH ?= gui
PICTURE ?= demo.png
TESTS ?= test
ARGS ?=
N ?= 10
MINUTES ?= 30
DEMOS ?= 100
CORES := $(shell nproc 2>/dev/null || echo 2)
# Tests of processes mostly wait for them, so there are three times as many workers as processors.
JOBS ?= $(shell echo $$((3 * $(CORES))))
RUN := tools/ros-env
PYTEST = $(RUN) python -m pytest --dist loadfile
comma := ,

.DEFAULT_GOAL := help
.PHONY: help setup demo teach test test-fast test-system coverage flaky lint bench soak paper docs lock sbom clean

help:  ## list these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/' | sed 's/^/make /'

setup:  ## install ROS 2 and build the package, all inside this folder
	@command -v $(PYTHON) >/dev/null || { echo "setup: $(PYTHON) is missing; install Python 3.11 to 3.13" >&2; exit 1; }
	@$(PYTHON) tools/setup_environment.py --distro $(DISTRO)

demo: setup  ## teach a task with a simulated teacher, let a simulated robot do it (TASK=grid_world STOP=value_at_risk)
	@$(RUN) demo $(TASK) $(PICTURE) $(STOP) $(ARGS)

teach: setup  ## the same system for a person: prints the address of the page (TASK=grid_world ARGS="strategy:=gbs")
	@$(RUN) teach task:=$(TASK) demonstrator:=$(WITH) log_level:=warn $(ARGS)

test: setup  ## set up if needed, then run all tests (TESTS=test/core for some, ARGS='-k gate -x')
	@$(PYTEST) -n $(JOBS) $(ARGS) $(TESTS)

test-fast: setup  ## only what needs neither ROS, which is made unimportable, nor a browser
	@$(PYTEST) -n $(CORES) --part fast $(ARGS) $(TESTS)

test-system: setup  ## only the rest: nodes, processes, pages in a browser, set-up, linters
	@$(PYTEST) -n $(JOBS) --part system $(ARGS) $(TESTS)

coverage: setup  ## run all tests and say which lines they reach, those of processes included
	@$(RUN) python tools/coverage_run.py -n $(JOBS) --dist loadfile $(ARGS) $(TESTS)

flaky: setup  ## run the tests of processes N=10 times beside other load; say what failed how often
	@$(RUN) python tools/flaky.py --times $(N) -- -n $(JOBS) --dist loadfile $(ARGS) \
		$(if $(filter-out test,$(TESTS)),$(TESTS),$(addprefix test/,nodes ros launching learning teaching cli reliability))

lint: setup  ## only the checks of style, types and import directions
	@$(RUN) python -m pytest test/test_style.py test/test_architecture.py

bench: setup  ## measure speed and memory against others (ONLY=planning,ask for some, QUICK=1)
	@$(RUN) python bench/run.py $(if $(ONLY),--only $(ONLY)) $(if $(filter-out 0,$(QUICK)),--quick)

soak: setup  ## kill, flood, forge, fuzz for MINUTES=30; docs/reliability.md (ONLY=kills,stops for some)
	@DEMOS=$(DEMOS) $(RUN) python -m soak.run --minutes $(MINUTES) $(if $(ONLY),--only $(ONLY)) \
		$(if $(SEED),--seed $(SEED)) $(if $(TARGETS),--targets $(TARGETS)) $(if $(filter-out 0,$(PUBLISH)),--publish)

paper: setup  ## the paper's experiments and docs/paper.md (ONLY=driver for some, trust, effort, comparison, QUICK=1, BACKEND=)
	@$(RUN) python -m gbs_irl_ros.experiments $(subst $(comma), ,$(ONLY)) $(if $(BACKEND),--backend '$(BACKEND)') \
		$(if $(filter-out 0,$(QUICK)),--quick,--draw docs/paper --page docs/paper.md --trust-page docs/trust.md \
			--effort-page docs/effort.md --comparison-page docs/comparison.md)

docs: setup  ## all pages and the API reference as one site: .docs/html
	@$(RUN) python tools/docs_site.py

lock:  ## write the sums of all packages that setup fetches, after a change of requirements/
	@$(PYTHON) tools/lock.py

sbom:  ## write sbom.cdx.json, the list of everything that is needed; `make lock` does it, too
	@$(PYTHON) tools/sbom.py

clean:  ## remove everything that setup, bench, soak and paper made
	@rm -rf .venv .venv.old .uv .colcon .bench .soak .paper .docs .setup.log .setup.lock
