"""Writes a package: its code, the sources as they were judged, and what is known of them."""

import hashlib
import importlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

import cupel
from cupel.shipping import documents, traffic
from cupel.shipping.examining import Examiner
from cupel.shipping.refusal import Refused

HERE = pathlib.Path(__file__).parent
CUPEL = pathlib.Path(cupel.__file__).parent
# What a winner may need of Cupel.
CARRIED = ("inline.py", "inline_signature.py", "inline_cuda.py", "inline_nvrtc.py")
TEST_SECONDS_MAX = 600
SAID_CHARS_MAX = 2000
FORMAT = 1
LICENCE = {"code": "Apache-2.0", "originals": "that of the sources that the task was made of",
           "winners": "that of the originals, where they hold parts of these; written_by says who "
                      "wrote the rest"}


def ship(order):
    """Makes the package; returns what `cupel ship --json` prints."""
    project = pathlib.Path(order["out"])
    package = project / order["name"]
    manifest = _write_code(order, package)
    runs = [_write_sources(run, package, manifest) for run in order["runs"]]
    _write_json(package / "manifest.json", manifest)
    for run in order["runs"]:
        if run["task"]["import_root"]:
            sys.path.append(run["task"]["import_root"])
    sys.path.insert(0, str(project))
    examiner = Examiner(importlib.import_module(order["name"]), package, manifest)
    manifest["entries"] = [examiner.entry(run, index) for index, run in enumerate(runs)]
    _write_json(package / "manifest.json", manifest)
    _write_json(package / "provenance.json", _provenance(order, manifest))
    documents.write_repository(package, order["name"],
                               {entry["device"] for entry in manifest["entries"]})
    seen = traffic.answered(order["runs"])
    documents.write(project, order, manifest, traffic.sentences(seen))
    proved = _run_tests(project, order)
    return {"version": FORMAT, "kind": "shipped", "name": order["name"], "directory": order["out"],
            "entries": [_summary(entry, manifest) for entry in manifest["entries"]],
            "traffic": seen, "notes": [*traffic.sentences(seen), *examiner.notes],
            "proved": proved}


def _write_code(order, package):
    """The package's own code. Returns the beginning of its manifest."""
    shutil.copytree(HERE / "package", package, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in ("originals", "winners", "kernels", "carried"):
        (package / folder).mkdir()
    _carry(package, order["name"])
    return {"format": FORMAT, "name": order["name"], "cupel": order["cupel"], "originals": {},
            "winners": {}, "entries": []}


def _carry(package, name):
    """The part of Cupel that winners need, with its imports renamed."""
    sources = _module_at(HERE / "package" / "renaming.py")
    for file in CARRIED:
        text = (CUPEL / file).read_text(encoding="utf-8")
        renamed = sources.renamed_imports(text, f"{name}.carried")
        (package / "carried" / file).write_text(renamed, encoding="utf-8")
    (package / "carried" / "__init__.py").write_text(
        '"""What winners need of Cupel: a copy, so that Cupel need not be installed."""\n',
        encoding="utf-8")


def _module_at(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _write_sources(run, package, manifest):
    """Puts the task's and the winner's text into the package; equal ones once."""
    original = _add(manifest["originals"], package, "originals", run["task"]["name"],
                    run["task"]["source"])
    winner = _add(manifest["winners"], package, "winners", run["task"]["name"],
                  run["winner"]["source"])
    _copy_calls(run["task"], package / "originals")
    settings = documents.settings_text(run["task"]["settings"])
    if settings:
        path = package / manifest["originals"][original]["file"]
        path.with_suffix(".toml").write_text(settings, encoding="utf-8")
    manifest["originals"][original]["import_root"] = run["task"]["import_root"]
    manifest["winners"][winner]["candidate_id"] = run["winner"]["id"]
    return {**run, "original": original, "winner_key": winner}


def _copy_calls(task, folder):
    """Files of calls that the task's inputs are drawn from. Its weights stay: the user's model has
    its own."""
    at = pathlib.Path(task["path"]).parent
    for name in re.findall(r'"([\w.-]+\.calls\.pt)"', task["source"]):
        if (at / name).is_file():
            shutil.copyfile(at / name, folder / name)


def _add(table, package, folder, name, source):
    digest = hashlib.sha256(source.encode()).hexdigest()
    there = next((key for key, each in table.items() if each["sha256"] == digest), None)
    if there is not None:
        return there
    word = "".join(c if c.isalnum() else "_" for c in name)
    key = f"{word}_{digest[:8]}"
    table[key] = {"file": f"{folder}/{key}.py", "sha256": digest}
    (package / folder / f"{key}.py").write_bytes(source.encode())
    return key


def _provenance(order, manifest):
    runs = []
    for run, entry in zip(order["runs"], manifest["entries"]):
        kept = {key: value for key, value in run.items() if key not in ("task", "winner", "facts")}
        runs.append({"entry": entry["id"], "task": {key: run["task"][key] for key in
                                                    ("id", "name", "path", "module")},
                     "winner": {key: run["winner"][key] for key in ("id", "label")}, **kept})
    return {"format": FORMAT, "cupel": order["cupel"], "licence": LICENCE, "runs": runs}


def _write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def _run_tests(project, order):
    """Runs the package's own tests, in a process that has no Cupel. Returns the last line."""
    environment = {key: value for key, value in order["environment"].items()}
    command = [sys.executable, "-c", _TESTS, str(project), *dict.fromkeys(
        run["task"]["import_root"] for run in order["runs"] if run["task"]["import_root"])]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=project,
                              env=environment, timeout=TEST_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        raise Refused(f"the package's own tests took more than {TEST_SECONDS_MAX} s",
                      order["out"], "ship fewer runs at once") from None
    if done.returncode != 0:
        raise Refused("the package does not pass its own tests: "
                      + done.stderr.strip()[-SAID_CHARS_MAX:], order["out"],
                      "the winner is right on the task, and cannot be used as a module")
    return done.stderr.strip().splitlines()[-3:][0]


_TESTS = """
import sys, unittest
project, *roots = sys.argv[1:]
sys.path[:0] = [project]
sys.path += roots
sys.argv = ["tests", "discover", "-s", project + "/tests", "-t", project]
unittest.main(module=None)
"""


def _summary(entry, manifest):
    return {"id": entry["id"], "task": entry["task"], "label": entry["label"],
            "device": entry["device"], "inputs": entry["shown"], "operator": entry["operator"],
            "ratio": entry["ratio"], "low": entry["low"], "high": entry["high"],
            "winner": manifest["winners"][entry["winner"]]["file"]}
