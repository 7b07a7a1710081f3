"""Cupel's Python API: each function runs the `cupel` binary and returns what it found.

    import cupel
    verdict = cupel.judge("task.py", "candidate.py", policy="exact")
    run = cupel.optimize("task.py", budget="5min")
    faster = run.winner.load()

A result is the document that `--json` prints (docs/json.md), a dict, with names for what is asked
most. Options are the command line's, spelled with underscores: `value="x"` becomes `--value x`,
`flag=True` becomes `--flag`, a list repeats the option, None and False leave it out. Two are this
module's own: `progress`, who is told how it goes on (see cupel.api.progress), and `inputs`, which
may be tensors.
"""

from cupel.api.calling import CupelError, run
from cupel.api.results import Lint, Package, Rewrite, Run, Shapes, Verdict
from cupel.api.tasks import TaskSpec

__all__ = ["CupelError", "Lint", "Package", "Rewrite", "Run", "Shapes", "Verdict", "judge", "lint",
           "optimize", "recheck", "rewrite", "ship"]


def judge(task, candidate, inputs=None, **options):
    """Is the candidate faster than the task's program, and the same? Returns a Verdict; a rejected
    candidate is an answer, not an error.

    `task`: a path, "package.module:Class", a shipped task's name, or a module (cupel.api.tasks says
    which). `candidate`: the path of a file that defines ModelNew."""
    with TaskSpec(task, inputs) as spec:
        return Verdict(run("judge", [*spec.arguments, candidate], spec.options(options)))


def optimize(task, inputs=None, **options):
    """Searches for a faster program. Returns a Run; Shapes with each_shape=True, or where `inputs`
    describes several calls with semicolons between."""
    with TaskSpec(task, inputs) as spec:
        found = run("optimize", spec.arguments, spec.options(options))
    return Shapes(found) if found.get("kind") == "shapes" else Run(found)


def lint(task, inputs=None, **options):
    """Can the task be judged? Returns a Lint."""
    with TaskSpec(task, inputs) as spec:
        return Lint(run("lint", spec.arguments, spec.options(options)))


def ship(runs, out, **options):
    """Makes a package of the winners of runs, Runs or what names them, in the folder `out`. Returns
    a Package."""
    each = runs if isinstance(runs, (list, tuple)) else [runs]
    words = [one.directory if isinstance(one, Run) else one for one in each]
    return Package(run("ship", words, {"out": out, **options}))


def recheck(package, **options):
    """Judges a shipped package again, here. Returns the document: `entries`, each with a
    verdict."""
    folder = package["directory"] if isinstance(package, Package) else package
    return run("recheck", [folder], options)


def rewrite(task, inputs=None, **options):
    """A cheaper program by algebra alone. Returns a Rewrite."""
    with TaskSpec(task, inputs) as spec:
        return Rewrite(run("rewrite", spec.arguments, spec.options(options)))
