"""What a capture found, as a table for people and as a document for programs."""

import json

MANIFEST = "capture.json"
VERSION = 1
SHAPES_SHOWN = 2


def rows_of(groups, share_of):
    """One dict a group: those of which a task was written first, then the costlier ones first."""
    rows = [_row(group, share_of(group)) for group in groups]
    return sorted(rows, key=lambda row: -row["share"])


def _row(group, share):
    row = {"module": group.pattern(), "paths": group.paths,
           "class": f"{type(group.first.module).__module__}:"
                    f"{type(group.first.module).__qualname__}",
           "count": len(group.members), "calls": group.calls, "share": share,
           "seconds": group.seconds, "opened": group.opened,
           "whole": group.whole, "shapes": _shapes(group), "notes": group.notes,
           "refusal": group.refusal, "task": None}
    if group.task is not None:
        row["task"] = _task(group)
    return row


def _shapes(group):
    return [{"arguments": dict(zip(alike[0].form.names, map(list, alike[0].shapes))),
             "dtypes": [str(t.dtype).removeprefix("torch.") for t in alike[0].form.tensors],
             "calls": sum(variety.calls for variety in alike),
             "seconds": sum(variety.total_seconds() for variety in alike)}
            for alike in group.varieties()]


def _task(group):
    written = group.task
    returned = next(iter(group.first.varieties.values())).output
    return {"name": written.name, "files": written.files, "made_by": written.constructor.way,
            "call": written.parts.form.text, "arguments": written.parts.form.names,
            "returns": returned.type if returned else "", "output": written.parts.output_text,
            "init": written.constructor.init,
            "training": written.parts.training,
            "calls_kept": [len(calls) for calls in written.parts.samples],
            "shapes_left_out": written.shapes_left_out}


def manifest_text(rows, origin, torch_version):
    document = {"version": VERSION, "kind": "capture", "origin": origin, "torch": torch_version,
                "modules": rows}
    return json.dumps(document, indent=1) + "\n"


def table_text(rows, directory):
    """The table, and below it notes and refusals, a line each."""
    head = ["module", "class", "equal", "calls", "share", "per call", "shapes", "task"]
    cells = [head, *map(_cells, rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    right = {2, 3, 4, 5}
    lines = ["  ".join(cell.rjust(width) if i in right else cell.ljust(width)
                       for i, (cell, width) in enumerate(zip(row, widths))).rstrip()
             for row in cells]
    notes = [f"{row['module']}: {note}" for row in rows
             for note in dict.fromkeys(row["notes"] + [row["refusal"]] * bool(row["refusal"]))]
    count = sum(row["task"] is not None for row in rows)
    return "\n".join([*lines, "", *notes, *[""] * bool(notes),
                      f"{count} task{'s' * (count != 1)} in {directory}"])


def next_text(rows, directory):
    """What to do with the first task; "" where there is none."""
    names = [row["task"]["name"] for row in rows if row["task"]]
    return f"Next: cupel optimize {directory}/{names[0]}.py" if names else ""


def _cells(row):
    per_call = row["seconds"] / max(row["calls"], 1) * 1e3
    task = row["task"]["name"] + ".py" if row["task"] else \
        "refused" if row["refusal"] else "its parts" if row["opened"] else "-"
    return [row["module"], row["class"].split(":")[1], str(row["count"]), str(row["calls"]),
            f"{row['share']:.1%}", f"{per_call:.3f} ms", _shapes_text(row["shapes"]), task]


def _shapes_text(shapes):
    shown = [", ".join("x".join(map(str, shape)) or "()" for shape in one["arguments"].values())
             for one in shapes[:SHAPES_SHOWN]]
    more = len(shapes) - SHAPES_SHOWN
    return "; ".join(shown) + (f"; {more} more" if more > 0 else "")
