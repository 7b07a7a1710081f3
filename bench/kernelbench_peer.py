"""One candidate through KernelBench's own eval_kernel_against_ref, for bench/throughput.py:

    python3 bench/kernelbench_peer.py CHECKOUT TASK.py CANDIDATE.py BUILD_FOLDER TRIALS

Packages that its modules import but that an evaluation does not use (clients of model providers,
progress bars) are replaced by empty ones where they are not installed. Prints its result."""

import importlib.abc
import importlib.machinery
import sys
import types
from pathlib import Path

UNUSED = ("dotenv", "tqdm", "openai", "litellm", "requests", "pydantic", "tomli")


class Blank:
    """Stands for whatever a blank package is asked for; as a base class it keeps its keywords."""

    def __init__(self, *_, **keywords):
        self.__dict__.update(keywords)

    def __call__(self, *_, **__):
        return None


def attribute(name):
    """Of a blank package: anything but what Python itself asks of modules."""
    if name.startswith("__"):
        raise AttributeError(name)
    return Blank


class BlankPackages(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last resort of import, for the packages in UNUSED."""

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] not in UNUSED:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = attribute
        return module

    def exec_module(self, module):
        pass


def main():
    checkout, task, candidate, build, trials = sys.argv[1:]
    sys.meta_path.append(BlankPackages())
    sys.path.insert(0, str(Path(checkout) / "src"))
    from kernelbench.eval import eval_kernel_against_ref
    result = eval_kernel_against_ref(
        Path(task).read_text(encoding="utf-8"), Path(candidate).read_text(encoding="utf-8"),
        num_correct_trials=5, num_perf_trials=int(trials), measure_performance=True,
        build_dir=build)
    if result is None:
        print("no result")
        return
    print(f"compiled {result.compiled}, correct {result.correctness}, "
          f"{getattr(result, 'runtime', -1)} ms of {getattr(result, 'ref_runtime', -1)} ms "
          f"{str(getattr(result, 'metadata', ''))[:200]}")


if __name__ == "__main__":
    main()
