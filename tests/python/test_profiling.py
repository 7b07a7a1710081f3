"""Profiles of real calls, and `cupel profile`."""

import json
import os
import subprocess
import unittest
from os import path

import torch
from cupel import kernel_facts, profiling

ROOT = path.dirname(path.dirname(path.dirname(path.abspath(__file__))))


class Profiles(unittest.TestCase):
    def profile(self, call):
        with torch.no_grad():
            found = profiling.profile(call, "cpu", False)
        return found, {row["name"]: row for row in found["operators"]}

    def test_an_operator_is_told_with_what_it_calls_inside(self):
        layer, x = torch.nn.Linear(256, 512), torch.rand(64, 256)
        found, rows = self.profile(lambda: layer(x))
        self.assertEqual(rows["aten::addmm"]["calls"], 1)
        self.assertEqual(rows["aten::addmm"]["flops"], 2 * 64 * 256 * 512)
        moved = 4 * (64 * 256 + 256 * 512 + 512 + 64 * 512)
        self.assertEqual(rows["aten::addmm"]["bytes"], moved)
        self.assertGreater(rows["aten::addmm"]["ns"], 0)
        self.assertGreater(found["call_ns"], 0)
        self.assertIn(profiling.OUTSIDE, rows)

    def test_an_operation_an_element_of_what_is_no_product(self):
        x = torch.rand(64, 100)
        _, rows = self.profile(lambda: (x.exp(), x + x[0], x.sum(1)))
        self.assertEqual([rows[f"aten::{name}"]["flops"] for name in ("exp", "add", "sum")],
                         [6400] * 3)

    def test_views_and_allocations_move_nothing(self):
        x = torch.rand(64, 64)
        _, rows = self.profile(lambda: (x.t(), torch.empty_like(x), x.expand(2, 64, 64)))
        self.assertEqual(sum(row["bytes"] for row in rows.values()), 0)

    def test_an_expanded_tensor_is_read_from_one_place(self):
        x = torch.rand(64, 1).expand(64, 1000)
        _, rows = self.profile(lambda: x.sum())
        self.assertEqual(rows["aten::sum"]["bytes"], 64 * 4 + 4)

    def test_a_call_that_no_mode_is_borne_in_still_has_times(self):
        def call():
            if torch.utils._python_dispatch._get_current_dispatch_mode() is not None:
                raise RuntimeError("not here")
            return torch.rand(100).exp()
        _, rows = self.profile(call)
        self.assertGreater(rows["aten::exp"]["ns"], 0)

    def test_compiled_code_stays_compiled_while_it_is_timed(self):
        x = torch.rand(64, 64)
        compiled = torch.compile(lambda a: (a + 1).relu() * 2)
        compiled(x)
        _, rows = self.profile(lambda: compiled(x))
        self.assertIn(profiling.COMPILED, rows)
        self.assertNotIn("aten::relu", rows)

    def test_long_lists_are_cut_to_the_longest(self):
        operators = ("exp", "log", "sin", "cos", "tan", "sqrt", "abs", "neg", "ceil", "floor",
                     "erf", "tanh", "sigmoid", "sign", "square")
        x = torch.rand(100)
        found, _ = self.profile(lambda: [getattr(torch, name)(x) for name in operators])
        self.assertEqual(len(found["operators"]), profiling.ROWS_MAX)


class Occupancy(unittest.TestCase):
    HOPPER = {"threads": 2048, "registers": 65536, "shared_bytes": 233472}

    def test_what_is_scarce_bounds_it(self):
        def of(registers, shared, threads):
            return kernel_facts.occupancy(registers, shared, threads, self.HOPPER)
        self.assertEqual(of(32, 0, 256), 1)
        self.assertEqual(of(64, 0, 256), 0.5)  # registers: 32 warps of 2,048
        self.assertEqual(of(255, 0, 256), 0.125)
        self.assertEqual(of(32, 200 << 10, 256), 0.125)  # one block's shared memory
        self.assertEqual(of(32, 0, 32), 0.5)  # 32 blocks of one warp

    def test_a_trace_becomes_rows(self):
        trace = {"traceEvents": [
            {"cat": "kernel", "name": "k", "dur": 3.0, "args": {
                "registers per thread": 40, "shared memory": 0, "block": [128, 2, 1],
                "grid": [7, 1, 1]}},
            {"cat": "kernel", "name": "k", "dur": 5.0, "args": {}},
            {"cat": "cpu_op", "name": "aten::add", "dur": 9.0}]}
        rows = profiling.kernel_rows(trace, 2)
        self.assertEqual(rows, [{"name": "k", "launches": 1.0, "ns": 4000.0, "registers": 40,
                                 "shared_bytes": 0, "block_threads": 256, "blocks": 7}])


class Command(unittest.TestCase):
    def cupel(self, *arguments, command="profile"):
        return subprocess.run([os.environ["CUPEL_BINARY"], command, *arguments], text=True,
                              capture_output=True, cwd=ROOT)

    def test_eager_and_a_candidate(self):
        run = self.cupel("row_logsumexp", "tasks/winners/row_logsumexp.py", "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        eager, winner = json.loads(run.stdout)["profiles"]
        self.assertEqual((eager["label"], eager["claimed"]), ("eager", False))
        self.assertEqual(eager["operators"][0]["name"], "aten::logsumexp")
        self.assertGreater(eager["copied_bytes_per_s"], 0)
        self.assertTrue(winner["claimed"])
        self.assertEqual(winner["operators"][0]["name"], profiling.OUTSIDE)
        self.assertEqual(winner["copied_bytes_per_s"], 0)
        self.assertLessEqual(len(eager["numbers"]), 24)

    def test_a_prompt_shows_where_eagers_time_goes(self):
        run = self.cupel("row_logsumexp", "--json", command="prompt")
        self.assertEqual(run.returncode, 0, run.stderr)
        user = json.loads(run.stdout)["user"]
        self.assertIn("Where the time goes", user)
        self.assertIn("aten::logsumexp", user)
        without = self.cupel("row_logsumexp", "--no-tell", "profile", "--json", command="prompt")
        self.assertNotIn("aten::logsumexp", json.loads(without.stdout)["user"])

    def test_a_candidate_that_does_not_run(self):
        run = self.cupel("row_logsumexp", "tests/scenarios/rejects/raises_in_import.py")
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertIn("no profile", run.stdout)


if __name__ == "__main__":
    unittest.main()
