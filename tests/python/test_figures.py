"""Figures for papers: each with its CSV, and the CSV's numbers those of the document."""

import csv
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from cupel.figures.figure import DOTS, Axis, Figure, Series  # noqa: E402
from cupel.figures.of_run import figures_of_run  # noqa: E402
from cupel.figures.of_suite import figures_of_suite  # noqa: E402
from cupel.figures.svg import svg_of, ticks_of  # noqa: E402


def ratio(value):
    return {"ratio": value, "low": value * 0.9, "high": value * 1.1}


def suite_document():
    def score(name):
        mean = {"value": 1.5, "low": 1.2, "high": 1.9, "tasks": 2}
        return {"strategy": name, "curve_over_usd": [[0, 1.0], [1, 1.5]],
                "curve_over_queries": [[0, 1.0], [10, 1.5]], "over_eager": mean,
                "over_compile": None, "over_best_free": mean,
                "levels": [{"level": "level1", "tasks": 2, "over_eager": mean}],
                "outcomes": {"faster": 3, "wrong": 2}}
    rows = [{"strategy": name, "task": task, "over_eager": ratio(value)}
            for name, start in (("one", 1.2), ("<two>", 2.0))
            for task, value in (("a & b", start), ("c", start * 2))]
    return {"kind": "suite_page",
            "suite": {"strategies": [score("one"), score("<two>")], "tasks": rows}}


def run_document():
    def entry(name, outcome, value, error):
        return {"candidate_id": name, "label": name, "verdict": {
            "outcome": outcome, "ratios": [ratio(value)], "error_rms": error}}
    entries = [entry("a", "faster", 1.5, 1e-7), entry("b", "wrong", 9.0, 1e-2),
               entry("c", "slower", 0.5, 2e-7), entry("d", "faster", 3.0, 1e-6)]
    progress = [{"candidate_id": name, "usd": 0.5 * i, "queries": i}
                for i, name in enumerate("abcd", 1)]
    return {"kind": "run_page", "progress": progress,
            "run": {"candidates": entries, "table": [{"role": "winner", "label": "d",
                                                      "candidate_id": "d"}]},
            "times": {"d": {"calls": 9, "quantiles_us": [1.0, 2.0, 4.0]}},
            "roofline": {"copied_bytes_per_s": 1e10, "float32_flops_per_s": 1e11, "bytes": 1e6,
                         "flops": 8e6, "floor_ms": 0.1,
                         "programs": [{"role": "winner", "label": "d", "ms": 0.5}],
                         "operators": [{"name": "mm", "us": 900.0, "bytes": 2e6, "flops": 8e6},
                                       {"name": "copy", "us": 50.0, "bytes": 2e6, "flops": 0}]}}


class OfRun(unittest.TestCase):
    def setUp(self):
        self.figures = {figure.name: figure for figure in figures_of_run(run_document())}

    def test_the_best_rises_with_what_was_proven(self):
        best, dots = self.figures["best_over_usd"].series
        self.assertEqual([(x, y) for x, y, *_ in best.points],
                         [(0, 1.0), (0.5, 1.5), (2.0, 3.0), (2.0, 3.0)])
        self.assertEqual([y for _, y, *_ in dots.points], [1.5, 0.5, 3.0])

    def test_wrong_programs_have_no_ratio(self):
        names = [series.name for series in self.figures["error_and_ratio"].series]
        self.assertEqual(names, ["faster", "slower"])
        self.assertEqual(self.figures["call_times"].series[0].points[-1][:2], (4.0, 1.0))

    def test_the_roof_is_what_the_machine_can_do(self):
        winner, operators, roof = self.figures["roofline"].series
        self.assertEqual(winner.points[0][:2], (8.0, 16.0))
        self.assertEqual([x for x, *_ in operators.points], [4.0])
        for x, y, *_ in roof.points:
            self.assertAlmostEqual(y, min(100.0, 10.0 * x))

    def test_without_a_profile_there_is_none(self):
        figures = figures_of_run({**run_document(), "roofline": None})
        self.assertTrue(next(each for each in figures if each.name == "roofline").is_empty())


class OfSuite(unittest.TestCase):
    def setUp(self):
        self.figures = {figure.name: figure for figure in figures_of_suite(suite_document())}

    def test_tasks_are_ordered_by_their_best(self):
        figure = self.figures["speedups"]
        self.assertEqual(figure.x.names, ["c", "a & b"])
        self.assertIn(("one", "a & b", 1.2, 1.2 * 0.9, 1.2 * 1.1), list(figure.rows()))

    def test_every_row_is_counted_once(self):
        counts = [point[1] for series in self.figures["histogram"].series
                  for point in series.points]
        self.assertEqual(sum(counts), 4)

    def test_fast_p_falls_to_zero_at_the_last_interval(self):
        points = self.figures["fast_p"].series[0].points
        self.assertEqual([(round(x, 3), y) for x, y, *_ in points],
                         [(1.0, 1.0), (1.08, 0.5), (2.16, 0.0)])

    def test_svg_is_xml_and_draws_every_point(self):
        for figure in self.figures.values():
            if figure.is_empty():
                continue
            drawing = xml.dom.minidom.parseString(svg_of(figure))
            dots = sum(len(series.points) for series in figure.series if series.kind == DOTS)
            legend = len(figure.series)
            self.assertEqual(len(drawing.getElementsByTagName("circle")), dots + legend,
                             figure.name)


class Drawing(unittest.TestCase):
    def test_ticks_lie_within(self):
        for low, high, logarithmic in ((0, 7, False), (0.2, 900, True), (1, 1.2, True),
                                       (2.7, 3.1, True)):
            ticks = ticks_of(Axis("x", logarithmic), low, high)
            self.assertTrue(2 <= len(ticks) <= 14, ticks)
            self.assertTrue(all(low <= tick <= high * 1.0001 for tick in ticks), ticks)

    def test_one_point_is_a_figure(self):
        figure = Figure("one", "One", Axis("x"), Axis("y", True),
                        [Series("s", DOTS, [(1, 2.0, None, None)])])
        self.assertFalse(math.isnan(figure.bounds()[0][1]))
        self.assertIn("<circle", svg_of(figure))


class CommandLine(unittest.TestCase):
    def test_writes_each_figure_with_its_csv(self):
        with tempfile.TemporaryDirectory() as name:
            out = pathlib.Path(name)
            (out / "data.json").write_text(json.dumps(suite_document()), encoding="utf-8")
            done = subprocess.run(
                [sys.executable, "-m", "cupel.figures", out / "data.json", "--out", out],
                capture_output=True, text=True, check=True,
                env=dict(os.environ, PYTHONPATH=os.pathsep.join(
                    [str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])))
            self.assertIn("8 figures", done.stdout)
            with open(out / "curve_over_usd.csv", encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            self.assertEqual(rows[0], ["series", "dollars a task", "geometric mean over eager",
                                       "low", "high"])
            self.assertEqual(rows[2], ["one", "1", "1.5", "", ""])
            self.check_pdfs(out)

    def check_pdfs(self, out):
        """One beside each SVG, where matplotlib is installed; whole files with text in them."""
        drawn = {path.stem for path in out.glob("*.pdf")}
        wanted = {path.stem for path in out.glob("*.svg")}
        if not importlib.util.find_spec("matplotlib"):
            self.assertEqual(drawn, set())
            return
        self.assertEqual(drawn, wanted)
        for name in drawn:
            data = (out / f"{name}.pdf").read_bytes()
            self.assertTrue(data.startswith(b"%PDF-"), name)
            self.assertTrue(data.rstrip().endswith(b"%%EOF"), name)
            self.assertIn(b"/Font", data, name)


if __name__ == "__main__":
    unittest.main()
