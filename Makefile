# Everything a person types. `make help` lists it.
PYTHON ?= python3
DISTRO ?= jazzy
TASK ?= grid_world
WITH ?= gui
PICTURE ?= demo.png
TESTS ?= test
JOBS ?= auto
RUN := tools/ros-env
comma := ,
ROS_FREE_TESTS := $(wildcard $(addprefix test/,core tasks lessons robot terminal gui experiments cli))

.DEFAULT_GOAL := help
.PHONY: help setup demo teach test test-core lint bench paper clean

help:  ## list these commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ -/' | sed 's/^/make /'

setup:  ## install ROS 2 and build the package, all inside this folder
	@command -v $(PYTHON) >/dev/null || { echo "setup: $(PYTHON) is missing; install Python 3.10 to 3.13" >&2; exit 1; }
	@$(PYTHON) tools/setup_environment.py --distro $(DISTRO)

demo: setup  ## teach a task with a simulated teacher, let a simulated robot do it (TASK=room)
	@$(RUN) demo $(TASK) $(PICTURE)

teach: setup  ## the same system for a person: prints the address of the page (TASK=room)
	@$(RUN) teach task:=$(TASK) demonstrator:=$(WITH) log_level:=warn

test: setup  ## set up if needed, then run all tests (TESTS=test/core for some)
	@$(RUN) python -m pytest -n $(JOBS) --dist worksteal $(TESTS)

test-core: setup  ## only the tests of the ROS-free folders, with ROS made unimportable
	@.venv/bin/python -m pytest -n $(JOBS) --dist worksteal --without-ros $(ROS_FREE_TESTS)

lint: setup  ## only the checks of style, types and import directions
	@$(RUN) python -m pytest test/test_style.py test/test_architecture.py

bench: setup  ## measure speed and memory against others (ONLY=planning,ask for some, QUICK=1)
	@$(RUN) python bench/run.py $(if $(ONLY),--only $(ONLY)) $(if $(filter-out 0,$(QUICK)),--quick)

paper: setup  ## the paper's experiments and docs/paper.md (ONLY=driver for some, QUICK=1, BACKEND=)
	@$(RUN) python -m gbs_irl_ros.experiments $(subst $(comma), ,$(ONLY)) $(if $(BACKEND),--backend '$(BACKEND)') \
		$(if $(filter-out 0,$(QUICK)),--quick,--draw docs/paper --page docs/paper.md)

clean:  ## remove everything that setup, bench and paper made
	@rm -rf .venv .venv.old .colcon .bench .paper .setup.log .setup.lock
