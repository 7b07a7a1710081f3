"""bench/kernelbench_free.py: the order of tasks, the room that they share, what a report says."""

import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))

import free_report  # noqa: E402
import kernelbench_free as bench  # noqa: E402

GIB = 1 << 30


def known(before=None, after=None, gib=0.01, forms=()):
    """A row of a table of rewritings."""
    def cost(operations):
        return {"bytes": 1e6, "operations": operations, "launches": 1} if operations else None

    size = int(gib * GIB)
    return {"before": cost(before), "after": cost(after), "forms": list(forms),
            "cost": cost(before or 1e9),
            "sizes": {"inputs": size, "weights": 0, "output": size, "alive": 2 * size,
                      "convolves": False}}


def program(label, ratio, outcome="faster"):
    return {"label": label, "ratio": ratio, "low": ratio * 0.9, "high": ratio * 1.1,
            "outcome": outcome}


def row(task, programs, failed=(), degenerate=False):
    return {"task": task, "device": "NVIDIA H100", "policy": "eager", "mode": "as_constructed",
            "eager_ms": 1.0, "degenerate": degenerate, "problem": "", "rules": "a rule",
            "seconds": 1, "programs": list(programs), "failed": list(failed)}


def printed(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        function(*arguments)
    return text.getvalue()


class OrderTest(unittest.TestCase):
    def test_what_rules_save_most_on_comes_first_and_large_tasks_behind(self):
        table = {"1_plain": known(), "2_saves": known(8e9, 1e6), "3_large": known(9e9, 1e6, gib=9),
                 "4_form": known(forms=["rewrite_form"]), "5_failed": known(9e9, 1e6)}
        files = [pathlib.Path(f"{name}.py") for name in table]
        order = [file.stem for file in bench.in_order(files, table, {"5_failed": {}})]
        self.assertEqual(order, ["2_saves", "4_form", "3_large", "1_plain", "5_failed"])

    def test_no_more_are_taken_than_there_is_room_for(self):
        table = {"large": known(gib=1), "small": known(gib=0.01)}
        large, small = pathlib.Path("large.py"), pathlib.Path("small.py")
        waiting = bench.Waiting([large, large, small], table, 42)
        self.assertEqual(waiting.take(), large)
        self.assertEqual(waiting.take(), small)  # for another large one there is no room
        waiting.done(large)
        self.assertEqual(waiting.take(), large)
        self.assertIsNone(waiting.take())


class LeanTest(unittest.TestCase):
    def test_graphs_stay_where_launches_are_what_is_left(self):
        only, without = bench.lean_lists("eager", known(8e9, 1e6))
        self.assertIn("compile", only.split(","))
        self.assertNotIn("rewrite+graph", without.split(","))
        self.assertIn("rewrite_*phases", without.split(","))
        self.assertIn("rewrite+graph", bench.lean_lists("eager", known())[1].split(","))
        self.assertIn("*fp16+compile", bench.lean_lists("half", None)[0].split(","))


class ReportTest(unittest.TestCase):
    ROWS = [row("1_a", [program("compile", 2.0), program("rewrite", 8.0)]),
            row("2_b", [program("compile", 0.5, "slower"), program("graph", 1.5, "ambiguous")],
                ["rewrite: wrong(value)", "fp16+graph: wrong(range)", "rewrite+compile: timeout"]),
            row("3_c", [], degenerate=True)]

    def test_means_count_what_the_judge_is_sure_of(self):
        text = printed(free_report.print_means, self.ROWS)
        self.assertIn("3 tasks, 2 with ratios", text)
        self.assertRegex(text, r"better of eager and torch.compile, over eager +1\.414")
        self.assertRegex(text, r"with rewrites, over eager +2\.828")
        self.assertRegex(text, r"what rewrites add to the best free variant +2\.000")
        self.assertIn("of 7 programs 2 wrong: 1 rewritten ones in the task's own precision, "
                      "0 other such, 1 in half precision; 1 failed otherwise", text)

    def test_a_task_takes_at_least_what_its_bytes_and_operations_take(self):
        entry = known(before=52e9)  # at 52e12 a second
        self.assertAlmostEqual(free_report.least_ms(self.ROWS[0], entry), 1.0)
        entry["sizes"]["output"] = int(6e9)  # at 3e12
        self.assertAlmostEqual(free_report.least_ms(self.ROWS[0], entry), 2.0, places=1)

    def test_tables_name_what_is_left_out(self):
        text = printed(free_report.print_tables, self.ROWS, {})
        self.assertIn("| 1_a | 1.000 | 2.00 | 2.00 | 8.00 [7.20, 8.80] | `rewrite` |", text)
        self.assertIn("Degenerate: 3.", text)
        self.assertIn("- 2_b, `rewrite`: wrong(value)", text)


if __name__ == "__main__":
    unittest.main()
