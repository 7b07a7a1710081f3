# The commands of the house. Each does its own set-up; all the work is in scripts/.
.DEFAULT_GOAL := build
.PHONY: setup build demo test test-ci test-all attack gpu-test bundle wheel asan tsan format check-style clean help

help:  ## print this list
	@sed -n 's|^\([a-z-]*\):.*  \#\# |\1 |p' Makefile

setup:  ## packages, compiler, a Python with torch
	@scripts/setup.sh

build:  ## the binary at build/cupel
	@scripts/setup.sh build
	@scripts/build.sh dev cupel cupel_probe

demo:  ## optimize a shipped task and print the table (TASK=name for another one)
	@scripts/setup.sh
	@scripts/build.sh dev cupel cupel_probe
	@scripts/demo.sh $(TASK)

test:  ## the tests, with one scenario a verdict and reason
	@scripts/setup.sh
	@scripts/build.sh dev
	@scripts/test.sh dev -LE '^scenario'

test-ci:  ## the tests but C++ ones, and every scenario but audits, and those on clocks, which want a quiet machine
	@scripts/setup.sh
	@scripts/build.sh dev cupel cupel_probe cupel_scenarios rewrite_graphs
	@scripts/test.sh dev -LE '^(unit|sample|scenario-timed|scenario-audited)$$'

test-all:  ## every test and every scenario
	@scripts/setup.sh
	@scripts/build.sh dev
	@scripts/test.sh dev -LE '^sample'

attack:  ## every attack and every honest candidate that this machine can run, as a table
	@scripts/setup.sh
	@scripts/build.sh dev cupel cupel_probe cupel_scenarios
	@scripts/attack.sh

gpu-test:  ## tests that need a GPU, on a machine that has one
	@scripts/gpu_test.sh

bundle:  ## a folder and a .tar.gz that run on a machine with only Python and torch
	@scripts/setup.sh build
	@scripts/build.sh release cupel cupel_bench cupel_probe
	@scripts/bundle.sh

wheel:  ## dist/cupel-VERSION.whl, for pip on machines with a glibc as new as this one's
	@scripts/setup.sh build
	@python3 scripts/cupel_wheel.py

asan:  ## C++ unit tests under address and undefined-behaviour sanitizers
	@scripts/setup.sh
	@scripts/sanitize.sh asan

tsan:  ## C++ unit tests of modules with threads under the thread sanitizer
	@scripts/setup.sh
	@scripts/sanitize.sh tsan

format:  ## clang-format the C++ sources in place
	@scripts/format.sh

check-style:  ## layers, sizes, headers, names, documents
	@scripts/python.sh -m unittest discover -s tests/style -p '*_test.py'

clean:  ## remove what was built; .venv stays
	rm -rf build build-release build-asan build-tsan build-bundle dist .cache
