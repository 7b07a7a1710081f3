"""What a capture saw of the calls that a package's winners are to answer: capture.json beside the
task's file, where there is one."""

import json
import pathlib

from cupel.shipping.refusal import Refused

MANIFEST = "capture.json"


def module_of(task):
    """What the manifest has of the task's module; None: it was not captured."""
    path = pathlib.Path(task["path"] or "")
    try:
        document = json.loads((path.parent / MANIFEST).read_text(encoding="utf-8"))
        return next(row for row in document["modules"]
                    if row["task"] and row["task"]["name"] == path.stem)
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return None


def check_mode(task, training):
    """A sentence on the mode, or "". `training`: the measured module's, None where it does not
    matter. Refuses a run whose mode is not the one that the module is called in."""
    if training is None:
        return ""
    module = module_of(task)
    if module is not None and module["task"]["training"] != training:
        seen, made = ("train", "inference") if training is False else ("eval", "as constructed")
        raise Refused(f"the module was called in {seen} mode, and the run measured it {made}, so "
                      "that its winner would never be called", task["name"],
                      "run it again with --mode "
                      + ("as_constructed" if seen == "train" else "inference"))
    if training and module is None:
        return (f"{task['name']} was measured in training mode: after eval() the original answers; "
                "--mode inference measures what is served")
    return ""


def answered(runs):
    """[{"module", "calls", "answered", "others": [{"shapes", "calls"}]}] of the captured modules,
    in the order of the runs. `others`: what the original goes on answering."""
    rows = {}
    for run in runs:
        module = module_of(run["task"])
        if module is not None:
            name = module["module"]
            row, covered = rows.setdefault(name, (module, set()))
            covered.add(_key((leaf["dtype"], leaf["shape"]) for leaf in run["facts"]["inputs"]))
    return [_told(module, covered) for module, covered in rows.values()]


def _told(module, covered):
    keyed = [(_key(zip(shape["dtypes"], shape["arguments"].values())), shape)
             for shape in module["shapes"]]
    others = [{"shapes": ", ".join("x".join(map(str, sizes)) or "()"
                                   for sizes in shape["arguments"].values()),
               "calls": shape["calls"]} for key, shape in keyed if key not in covered]
    return {"module": module["module"], "calls": module["calls"],
            "answered": module["calls"] - sum(other["calls"] for other in others),
            "others": others}


def _key(leaves):
    return tuple((dtype, tuple(shape)) for dtype, shape in leaves)


def sentences(rows):
    """Of answered(): a line each."""
    return [f"{row['module']}: winners answer {row['answered']} of the {row['calls']} calls seen"
            + "".join(f"; the original {other['calls']} of {other['shapes']}"
                      for other in row["others"]) for row in rows]
