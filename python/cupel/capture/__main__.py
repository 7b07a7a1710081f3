"""`cupel capture [OPTIONS] SCRIPT [ARGUMENTS]`: runs the script as Python would, and writes tasks
of the modules in which its time goes."""

import argparse
import importlib.util
import os
import sys
import traceback
import types

INPUT_ERROR, SCRIPT_FAILED = 4, 1


def main(argv):
    options = _parse(argv)
    from cupel.capture import Capture  # torch; after the command line is known to be right

    if not options.package and not os.path.isfile(options.script):
        return _refuse(f"{options.script}: no such file (name the script that calls the model)")
    capture = Capture(None, options.out, modules=options.module, grain=options.grain,
                      share_min=options.share_min, tasks_max=options.tasks_max, whole=options.whole,
                      origin=os.path.basename(options.script))
    try:
        with capture:
            _run(options)
    except ValueError as problem:
        if not str(problem).startswith("cupel.capture:"):
            return _say_failed(options.script)
        return _refuse(str(problem).removeprefix("cupel.capture: "))
    except Exception:
        return _say_failed(options.script)
    if options.json:
        print((capture.out / "capture.json").read_text(encoding="utf-8").strip())
    else:
        print(capture.table())
        if capture.next() and not options.as_step:
            print(capture.next())
    return 0


def _parse(argv):
    parser = argparse.ArgumentParser(
        prog="cupel capture", description="Runs a script and writes task files of the modules in "
        "which its time goes.")
    parser.add_argument("--out", default="tasks", metavar="DIR", help="where tasks are written")
    parser.add_argument("--module", action="append", default=[], metavar="PATH",
                        help="write this one, whatever its time; may be repeated")
    parser.add_argument("--grain", type=int, default=24, metavar="N",
                        help="take modules apart that call more than so many leaf modules")
    parser.add_argument("--share-min", type=float, default=0.02, metavar="SHARE",
                        help="leave out modules below this share of the time (0.02)")
    parser.add_argument("--tasks-max", type=int, default=8, metavar="N")
    parser.add_argument("--whole", action="store_true",
                        help="also write the costliest outermost module, whatever its size")
    parser.add_argument("--json", action="store_true", help="print the manifest")
    # Of a command that goes on with what was captured, and says itself what comes next.
    parser.add_argument("--as-step", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-m", dest="package", action="store_true",
                        help="SCRIPT is a module's name, as for python -m")
    parser.add_argument("script", metavar="SCRIPT")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS")
    return parser.parse_args(argv)


def _run(options):
    """Runs the script as __main__; what it raises goes on, so that nothing is written."""
    path, package = os.path.abspath(options.script), None
    sys.path[0] = os.path.dirname(path)
    if options.package:
        sys.path[0] = os.getcwd()
        path, package = _place_of(options.script)
    sys.argv = [path, *options.arguments]
    module = types.ModuleType("__main__")
    module.__file__, module.__package__ = path, package
    sys.modules["__main__"] = module
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    try:
        exec(code, module.__dict__)  # the user's own script, as they would run it
    except SystemExit as ended:
        if ended.code not in (None, 0):
            raise RuntimeError(f"it ended with status {ended.code}") from None


def _place_of(name):
    """(file, package) of what `python -m name` would run."""
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:  # of a package above it
        spec = None
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{name}.__main__")
    if spec is None or not spec.origin:
        raise ValueError(f"cupel.capture: there is no module {name} to run; start in the directory "
                         "that holds it")
    return spec.origin, spec.parent


def _say_failed(script):
    """The exception as Python would print it, without the frames that are ours."""
    kind, problem, trace = sys.exc_info()
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith("cupel.") \
            or trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    traceback.print_exception(kind, problem, trace)
    print(f"cupel: {script}: failed, so that no task was written", file=sys.stderr)
    return SCRIPT_FAILED


def _refuse(text):
    print(f"cupel: {text}", file=sys.stderr)
    return INPUT_ERROR


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
