"""What the API's functions return: the binary's documents, with names for what is asked most."""

import base64
import collections
import importlib
import importlib.util
import pathlib
import pickle
import sys

from cupel.api import calling

Ratio = collections.namedtuple("Ratio", "value low high")
Ratio.__doc__ = "Speedup: time of the other program over this one's, with its 95 % interval."
_CORRECT = ("faster", "same", "slower", "ambiguous")
_DEGENERATE = "degenerate"            # the outcome of any program
_DEGENERATE_TASK = "degenerate_task"  # the code of a reason that every verdict on such a task bears


class Document(dict):
    """A document that `cupel --json` printed; docs/json.md names the keys."""


class Verdict(Document):
    """Of `cupel judge`."""

    @property
    def outcome(self):
        """"faster", "wrong", ...; `degenerate` says whether that shows anything."""
        return self["verdict"]["outcome"]

    @property
    def headline(self):
        """"faster 1.416x [1.401, 1.437]", "degenerate task, faster 1.416x [1.401, 1.437]"."""
        return self["headline"]

    @property
    def degenerate(self):
        """The task's lint found that being right on it shows nothing: a wrong program would pass as
        well. The outcome is then no success, whatever it says."""
        return _is_degenerate(self["verdict"])

    @property
    def correct(self):
        """It computes the same, faster or not. Never on a degenerate task."""
        return self.outcome in _CORRECT and not self.degenerate

    @property
    def faster(self):
        """It computes the same, and faster: where `cupel judge` ends with 0. Never on a degenerate
        task."""
        return self.outcome == "faster" and not self.degenerate

    @property
    def ratio(self):
        """Over the task's own program; None where nothing was timed."""
        return _ratio_over_eager(self["verdict"])

    @property
    def reasons(self):
        """Sentences; the first one decides."""
        return [reason["text"] for reason in self["verdict"]["reasons"]]

    @property
    def feedback(self):
        """The smallest evidence that helps to mend the candidate."""
        return self["verdict"]["feedback"]

    def __repr__(self):
        return f"<Verdict {self.headline}>" if "headline" in self else f"<Verdict {dict(self)!r}>"


class Lint(Document):
    """Of `cupel lint`."""

    @property
    def sound(self):
        return not self["degenerate"]

    @property
    def reasons(self):
        """Why it is degenerate."""
        return list(self["admission"]["degenerate"])


class Rewrite(Document):
    """Of `cupel rewrite`."""

    @property
    def programs(self):
        return self["programs"]


class Run(Document):
    """Of `cupel optimize`. The run lies in `directory`, where every command finds it again."""

    def __init__(self, document):
        super().__init__(document)
        self.directory = pathlib.Path(self["directory"]).absolute()

    @property
    def sound(self):
        """False on a degenerate task: there a winner may be wrong, and is not shipped."""
        return not self["degenerate"]

    @property
    def winner(self):
        """The Winner, or None: nothing beat the task's own program. See `sound`."""
        return Winner(self) if self["winner_id"] else None

    def table(self):
        """The final round as rows of numbers: a pandas DataFrame where pandas is installed, else a
        list of dicts."""
        return _as_frame([_row(row["role"], row["label"], row["verdict"])
                          for row in self["table"]])

    def candidates(self):
        """All that was judged, best first, in the form of table()."""
        return _as_frame([_row(each["kind"], each["label"], each["verdict"])
                          for each in self["candidates"]])

    def ship(self, out, **options):
        """The winner as a package, in the folder `out`."""
        return Package(calling.run("ship", [self.directory], {"out": out, **options}))

    def report(self, html=None):
        """The report as text; with `html`, a path, that file is written instead."""
        words = ["--html", html] if html is not None else []
        return calling.text_of("report", self.directory, *words)

    def __repr__(self):
        best = self.winner.ratio if self["winner_id"] else None
        told = f"{best.value:.2f}x [{best.low:.2f}, {best.high:.2f}]" if best else "no winner"
        return f"<Run {self['run_id']}: {'' if self.sound else 'degenerate task, '}{told}>"


class Shapes(Document):
    """Of `cupel optimize` on several shapes: a Run each."""

    @property
    def runs(self):
        return [Run(each["run"]) for each in self["shapes"]]

    def table(self):
        """Who wins on which shape, in the form of Run.table()."""
        rows = []
        for each in self["shapes"]:
            run = Run(each["run"])
            row = next((row for row in run["table"] if row["role"] == "winner"), None)
            told = _row("winner", row["label"], row["verdict"]) if row else {
                "role": "eager", "program": "the original"}
            rows.append({"inputs": each["inputs"], **told})
        return _as_frame(rows)

    def ship(self, out, **options):
        """The winners as one package, which asks each on its own shape."""
        words = [run.directory for run in self.runs if run["winner_id"]]
        if not words:
            raise calling.CupelError("nothing beat the original on any shape (search longer)", None,
                                     "search longer")
        return Package(calling.run("ship", words, {"out": out, **options}))


class Package(Document):
    """Of `cupel ship`: a folder that can be installed."""

    @property
    def name(self):
        return self["name"]

    def load(self):
        """The package as a module: `load().apply(model)` puts the winners into a model."""
        if self["directory"] not in sys.path:
            sys.path.insert(0, self["directory"])
        return importlib.import_module(self.name)


class Winner:
    """The fastest program that passed its audit."""

    def __init__(self, run):
        self._run = run
        self.id, self.path = run["winner_id"], run.directory / pathlib.Path(run["winner_path"]).name
        self._row = next(row for row in run["table"] if row["candidate_id"] == self.id)
        self.label = self._row["label"]

    @property
    def source(self):
        """The file's text: a module that defines ModelNew."""
        return self.path.read_text(encoding="utf-8")

    @property
    def ratio(self):
        """Over the task's own program, in the final round or the audit."""
        return _ratio_over_eager(self._row["verdict"])

    @property
    def over_best_free(self):
        """Over the fastest variant that costs nothing; None where that is the winner itself."""
        free = next((row["candidate_id"] for row in self._run["table"]
                     if row["role"] == "best free variant"), None)
        over = [each for each in self._row["verdict"]["ratios"] if each["over_id"] == free]
        return _ratio(over[0]) if over else None

    def load(self, weights=None, device=None):
        """The program as a module, ready to call under torch.no_grad(). `weights`: a module of the
        task's class, or its state dict; without them it keeps what its constructor drew.

        It runs here, outside any jail."""
        import torch
        module = _imported(self.path, f"cupel_winner_{self.id[:12]}")
        init = pickle.loads(base64.b64decode(self._run["facts"]["init_pickle"]))
        device = device or self._run["options"]["device"]
        with torch.no_grad(), torch.device(device):
            loaded = module.ModelNew(**init) if isinstance(init, dict) else module.ModelNew(*init)
            loaded = loaded.to(device)
            if weights is not None:
                state = weights if hasattr(weights, "keys") else weights.state_dict()
                loaded.load_state_dict(state)
            if callable(getattr(loaded, "prepare", None)):
                loaded.prepare()
        return loaded.requires_grad_(False)

    def __repr__(self):
        return f"<Winner {self.label}: {self.ratio.value:.2f}x>"


def _imported(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _ratio(each):
    return Ratio(each["ratio"], each["low"], each["high"])


def _ratio_over_eager(verdict):
    return _ratio(verdict["ratios"][0]) if verdict["ratios"] else None


def _is_degenerate(verdict):
    return (verdict["outcome"] == _DEGENERATE
            or any(reason["code"] == _DEGENERATE_TASK for reason in verdict["reasons"]))


def _row(role, label, verdict):
    """Of what is right on a degenerate task no better word is said than that."""
    ratios = verdict["ratios"]
    first = ratios[0] if ratios else {}
    unproven = verdict["outcome"] in _CORRECT and _is_degenerate(verdict)
    return {"role": role, "program": label,
            "outcome": _DEGENERATE if unproven else verdict["outcome"],
            "latency_ms": first.get("candidate_ms"), "over_eager": first.get("ratio"),
            "low": first.get("low"), "high": first.get("high"), "error": verdict["error_max"]}


def _as_frame(rows):
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
