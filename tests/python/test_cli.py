"""The command line as a process: what it prints where, and how it ends.

Needs the built binary: CUPEL_BINARY, or build/cupel in the repository. No test here starts a
measurement.
"""

import contextlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import torch
from built import BINARY, ROOT

DRIVER = BINARY.parent / "engine_crash_driver"
INPUT_ERROR = 4


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class CommandLine(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def cupel(self, *arguments):
        environment = dict(os.environ, CUPEL_HOME=str(ROOT), CUPEL_RUNS=self.directory.name)
        return subprocess.run([BINARY, *arguments], capture_output=True, text=True,
                              cwd=self.directory.name, env=environment, timeout=60, check=False)

    def write(self, name, text):
        path = pathlib.Path(self.directory.name, name)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def assert_input_error(self, done, *parts):
        self.assertEqual(done.returncode, INPUT_ERROR, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("cupel: "), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def test_help_names_every_command_and_exit_code(self):
        done = self.cupel("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("optimize", "estimate", "judge", "lint", "resume", "replay", "compare", "runs",
                     "report", "why", "doctor", "tasks"):
            self.assertIn(f"\n  {word} ", done.stdout)
        for code in (0, 1, 2, 3, 4, 5, 6, 130):
            self.assertIn(f"\n  {code}  ", done.stdout)

    def test_each_command_has_help(self):
        for command in ("optimize", "estimate", "judge", "lint", "resume", "replay", "report",
                        "why", "doctor"):
            done = self.cupel(command, "--help")
            self.assertEqual(done.returncode, 0, command)
            self.assertIn("--json", done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100, command)

    def test_usage_errors(self):
        self.assert_input_error(self.cupel("optimise", "x.py"), "no command 'optimise'")
        self.assert_input_error(self.cupel("judge", "x.py"), "cupel judge --help")
        self.assert_input_error(self.cupel("lint", "x.py", "--policy", "double"), "double")
        self.assert_input_error(self.cupel("lint", "x.py", "--mode", "eval"), "eval", "inference")
        self.assert_input_error(self.cupel("lint", "x.py", "--threads", "0"), "--threads")
        self.assert_input_error(self.cupel("optimize", "x.py", "--budget", "soon"), "20min")

    def test_bad_tasks_and_candidates(self):
        self.assert_input_error(self.cupel("lint", "missing.py"), "missing.py", "no such file")
        self.assert_input_error(self.cupel("lint", "softmax"), "softmax_rows")
        self.assert_input_error(self.cupel("lint", "pkg.mod:Net"), "--inputs")
        self.assert_input_error(self.cupel("lint", "pkg:Net", "--inputs", "f32[2"), "column 6")
        empty = self.write("empty.py", "\n")
        self.assert_input_error(self.cupel("judge", "softmax_rows", empty), "empty")
        self.write("net.py", "class Model: ...\n")
        self.write("net.toml", "\npolcy = 1\n")
        self.assert_input_error(self.cupel("lint", "net.py"), "net.toml:2", "polcy")

    def test_odd_files_are_refused_at_once(self):
        def at(name):
            return os.path.join(self.directory.name, name)
        os.mkfifo(at("pipe.py"))  # that nobody writes to
        os.mkdir(at("folder.py"))
        os.symlink("pipe.py", at("link.py"))
        self.write("empty.py", "")
        self.write("blank.py", " \n\t\n")
        self.write("large.py", "#" * 50_000_000)
        os.symlink("nowhere.py", at("dangling.py"))
        net = self.write("net.py", "class Model: ...\ndef get_inputs(): ...\n")
        for name, task_says, candidate_says in (
                ("pipe.py", "not a regular file", "not a regular file"),
                ("link.py", "not a regular file", "not a regular file"),
                ("folder.py", "is a directory", "not a regular file"),
                ("empty.py", "empty", "empty"), ("blank.py", "empty", "empty"),
                ("large.py", "larger than", "larger than"),
                ("dangling.py", "no such file", "No such file")):
            self.assert_input_error(self.cupel("judge", "softmax_rows", name), name, candidate_says)
            self.assert_input_error(self.cupel("judge", name, net), task_says)
            self.assert_input_error(self.cupel("optimize", net, "--candidate", name), name,
                                    candidate_says)
        self.assert_input_error(self.cupel("lint", net, "--weights", "pipe.py"), "pipe.py",
                                "not a regular file")
        os.mkfifo(at("net.toml"))
        self.assert_input_error(self.cupel("lint", net), "net.toml", "not a regular file")

    def test_weights_and_shapes_that_are_not_there(self):
        net = self.write("net.py", "class Model: ...\ndef get_inputs(): ...\n")
        self.assert_input_error(self.cupel("judge", net, net, "--weights", "none.pt"), "none.pt",
                                "state dict")
        self.assert_input_error(self.cupel("optimize", net, "--each-shape"), "held_out")
        self.assert_input_error(
            self.cupel("optimize", "pkg.net:Net", "--inputs", "f32[3];f33[3]"), "f33")

    def test_a_mode_makes_another_task(self):
        source = ROOT / "tests" / "scenarios" / "tasks" / "norm_in_training.py"
        task, told = self.write("norm.py", source.read_text()), {}
        for mode in ("as_constructed", "inference"):
            told[mode] = json.loads(self.cupel("rewrite", task, "--mode", mode, "--json").stdout)
            self.assertEqual(told[mode]["mode"], mode)
            self.assertEqual(told[mode]["is_training"], mode == "as_constructed")
        self.assertNotEqual(*(each["task"]["id"] for each in told.values()))
        self.write("norm.toml", 'mode = "inference"\n')
        settled = json.loads(self.cupel("rewrite", task, "--json").stdout)
        self.assertEqual(settled["task"]["id"], told["inference"]["task"]["id"])

    def test_a_rewritten_program_takes_no_name_of_the_tasks(self):
        task = self.write("named.py", """
import torch
F = 5
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(F, F)
        self.derived_fc_weight = 3
    def forward(self, x):
        return torch.nn.functional.gelu(self.fc(x) * 2)
def get_inputs():
    return [torch.randn(2, F)]
""")
        program, = json.loads(self.cupel("rewrite", task, "--json").stdout)["programs"]
        self.assertIn("torch.nn.functional.linear(x, self.derived_fc_weight_2", program["source"])
        self.assertNotIn("as F\n", program["source"])

    def test_a_rewritten_program_leaves_the_tasks_functions_alone(self):
        task = self.write("own.py", """
import torch
def taps_read(x):
    return x * 2
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(8, 64, 3)
    def forward(self, taps_read_):
        return taps_read(self.conv(taps_read_).sum((2, 3)))
def get_inputs():
    return [torch.randn(2, 8, 32, 32)]
""")
        programs = json.loads(self.cupel("rewrite", task, "--json").stdout)["programs"]
        source = next(each["source"] for each in programs if "taps_read__(" in each["source"])
        module = {}
        exec(pathlib.Path(task).read_text() + "\n\n" + source, module)
        program = module["ModelNew"]()
        program.prepare()
        for batch in (2, 3):  # as it was derived for, and as the task wrote it
            x = torch.randn(batch, 8, 32, 32)
            with torch.no_grad():
                want = module["Model"].forward(program, x)
                torch.testing.assert_close(program(x), want, rtol=1e-3, atol=1e-2)

    def test_what_cannot_be_done_here_is_refused_before_a_run_begins(self):
        optimize = ("optimize", "softmax_rows")
        self.assert_input_error(self.cupel(*optimize, "--policy", "tf32"), "CPU", "--policy eager")
        self.assert_input_error(self.cupel(*optimize, "--threads", "1024"), "1024 threads", "cores")
        self.assertEqual(os.listdir(self.directory.name), [])

    def test_budgets(self):
        def asked(*budgets):
            arguments = [part for budget in budgets for part in ("--budget", budget)]
            return self.cupel("optimize", "missing.py", *arguments)
        for budgets in (("5usd",), ("$0.5",), ("300queries,20min",), ("300queries", "90s"), ("3",)):
            self.assert_input_error(asked(*budgets), "missing.py")  # only the task is wrong
        for wrong in ("0usd", "-1usd", "1.5queries", "5eur", "1e9usd", "5usd,", "nanusd"):
            self.assert_input_error(asked(wrong), "--budget", "no budget")
        self.assert_input_error(asked("5usd", "1usd"), "second budget")

    def test_an_llm_and_a_strategy_go_together(self):
        optimize = ("optimize", "softmax_rows")
        self.assert_input_error(self.cupel(*optimize, "--strategy", "pike-b"), "--llm")
        self.assert_input_error(self.cupel(*optimize, "--llm", "scripted:.", "--strategy",
                                           "portfolio"), "asks no LLM")
        self.assert_input_error(self.cupel(*optimize, "--strategy", "pike-c"), "pike-b")
        self.assert_input_error(self.cupel("estimate", "softmax_rows"), "--llm")

    def test_an_estimate_asks_nobody_and_needs_no_torch(self):
        estimate = ("estimate", "mish_gate", "--llm", "scripted:.", "--strategy", "pike-b",
                    "--budget", "30queries", "--json")
        first = json.loads(self.cupel(*estimate).stdout)
        self.assertEqual(first["queries"], 30)
        self.assertGreaterEqual(first["questions"], 31)
        self.assertEqual(first["nano_usd"], 0)
        self.assertGreater(first["prompt_bytes"], 5_000)
        self.assertEqual(first, json.loads(self.cupel(*estimate).stdout))

    def test_a_reader_is_estimated_too_and_reads_what_an_llm_writes(self):
        estimate = ("estimate", "mish_gate", "--llm", "openai:gpt-5", "--strategy", "pike-b",
                    "--budget", "30queries", "--json")
        without = json.loads(self.cupel(*estimate).stdout)
        with_one = json.loads(self.cupel(*estimate, "--reader", "openai:gpt-5.4-nano").stdout)
        self.assertEqual(with_one["queries"], 30)  # a reading takes none
        self.assertGreater(with_one["questions"], without["questions"] + 20)
        self.assertGreater(with_one["nano_usd"], without["nano_usd"])
        self.assert_input_error(self.cupel("optimize", "softmax_rows", "--reader", "scripted:."),
                                "--reader", "--llm")

    def test_every_strategy_can_be_estimated(self):
        for strategy in ("cupel", "pike-b", "pike-o", "kernelbench", "kernelbench:refine",
                         "sakana"):
            done = self.cupel("estimate", "mish_gate", "--llm", "scripted:.", "--strategy",
                              strategy, "--budget", "30queries", "--json")
            self.assertEqual(done.returncode, 0, strategy + done.stderr)
            self.assertEqual(json.loads(done.stdout)["queries"], 30, strategy)

    def test_a_plain_number_is_no_budget_for_a_model_that_costs_money(self):
        estimate = ("estimate", "mish_gate", "--llm", "openai:gpt-5")
        self.assert_input_error(self.cupel(*estimate, "--budget", "5"), "5min", "5usd")
        for clear in ("5usd", "5min"):
            self.assertEqual(self.cupel(*estimate, "--budget", clear).returncode, 0)
        free = ("estimate", "mish_gate", "--llm", "openai:gpt-5", "--price", "gpt-5=free")
        self.assertEqual(self.cupel(*free, "--budget", "5").returncode, 0)
        suite = ("suite", str(ROOT / "tasks/mish_gate.py"), "--llm", "openai:gpt-5")
        self.assert_input_error(self.cupel(*suite, "--budget", "5"), "5min", "5usd")

    def test_another_address_is_for_services(self):
        estimate = ("estimate", "mish_gate", "--strategy", "pike-b", "--budget", "9queries")
        there = ("--llm-url", "http://127.0.0.1:9/v1")
        self.assertEqual(self.cupel(*estimate, "--llm", "openai:gpt-5", *there).returncode, 0)
        self.assert_input_error(self.cupel(*estimate, "--llm", "scripted:.", *there), "--llm-url")
        self.assert_input_error(self.cupel(*estimate, "--llm", "openai:gpt-5", "--llm-url",
                                           "localhost:4000"), "base URL")

    def recorded(self, name, seed):
        """The directory of a scripted search with a reader."""
        directory = os.path.join(self.directory.name, name)
        os.mkdir(directory)
        with open(os.devnull, "wb") as sink:
            subprocess.run([DRIVER, "read", directory, str(seed), "20", str(sink.fileno())],
                           pass_fds=[sink.fileno()], check=True, timeout=60)
        return directory

    @unittest.skipUnless(DRIVER.exists(), f"{DRIVER} is not built")
    def test_other_strategies_are_compared_on_what_was_recorded(self):
        runs = self.recorded("one", 3), self.recorded("two", 4)
        done = self.cupel("compare", *runs, "--strategy", "pike-b,cupel", "--json")
        task, = json.loads(done.stdout)["tasks"]  # both runs are of one
        self.assertEqual(task["runs"], list(runs))
        own, *others = task["strategies"]
        self.assertEqual([own["strategy"], *(one["strategy"] for one in others)],
                         ["as recorded", "pike-b", "cupel"])
        for one in others:
            self.assertLessEqual(one["best_over_eager"], own["best_over_eager"])
            self.assertLessEqual(0, one["nano_usd_until_best"])
            self.assertLessEqual(one["nano_usd_until_best"], one["nano_usd"])
            self.assertLessEqual(one["nano_usd"], own["nano_usd"])
        text = self.cupel("compare", runs[0]).stdout
        for strategy in ("as recorded", "cupel", "pike-o", "sakana", "portfolio"):
            self.assertRegex(text, f"(?m)^{strategy} ")
        self.assertIn("No model was asked", text)
        self.assert_input_error(self.cupel("compare", runs[0], "--strategy", "best"), "pike-b")

    def withhold(self, run, what):
        """Makes `run` one whose agents were not told `what`."""
        with contextlib.closing(sqlite3.connect(os.path.join(run, "journal.sqlite"))) as journal:
            body, = journal.execute("SELECT body FROM events WHERE kind = 'run_started'").fetchone()
            start = json.loads(body)
            start["options"]["withheld"] = [what]
            journal.execute("DROP TRIGGER events_freeze")
            journal.execute("UPDATE events SET body = ? WHERE kind = 'run_started'",
                            (json.dumps(start),))
            journal.commit()

    @unittest.skipUnless(DRIVER.exists(), f"{DRIVER} is not built")
    def test_runs_whose_agents_were_told_different_things_are_kept_apart(self):
        told, untold = self.recorded("one", 3), self.recorded("two", 4)
        self.withhold(untold, "profile")
        done = self.cupel("compare", told, untold, "--strategy", "cupel", "--json")
        first, second = json.loads(done.stdout)["tasks"]
        self.assertEqual([first["runs"], second["runs"]], [[told], [untold]])
        self.assertEqual([first["withheld"], second["withheld"]], [[], ["profile"]])
        for task in first, second:
            for one in task["strategies"]:
                curve = one["best_after"]
                self.assertEqual(curve, sorted(curve))
                self.assertGreaterEqual(len(curve), one["drawn"])
                self.assertLessEqual(curve[-1], one["best_over_eager"])
        self.assertIn("agents not told: profile", self.cupel("compare", told, untold).stdout)

    @unittest.skipUnless(DRIVER.exists(), f"{DRIVER} is not built")
    def test_a_report_tells_what_a_reader_read_and_cost(self):
        directory = self.recorded("one", 3)
        report = json.loads(self.cupel("report", directory, "--json").stdout)
        self.assertGreater(report["reader"]["programs"], 0)
        self.assertGreater(report["reader"]["nano_usd"], 0)
        self.assertEqual(report["reader"]["useless"], 0)
        self.assertIn("The reader's remarks", self.cupel("report", directory).stdout)

    def test_version(self):
        self.assertEqual(self.cupel("--version").stdout, self.cupel("version").stdout)

    def test_errors_are_json_when_asked(self):
        for arguments in (("lint", "missing.py"), ("optimise",), ("report", "nope")):
            done = self.cupel(*arguments, "--json")
            self.assertEqual(done.returncode, INPUT_ERROR)
            self.assertEqual(done.stderr, "")
            error = json.loads(done.stdout)
            self.assertEqual((error["kind"], error["tag"]), ("error", "input"))

    def test_tasks(self):
        listed = json.loads(self.cupel("tasks", "--json").stdout)["tasks"]
        shipped = sorted(path.stem for path in (ROOT / "tasks").glob("*.py"))
        self.assertEqual([task["name"] for task in listed], shipped)
        self.assertTrue(all(task["summary"] for task in listed))

    def test_completion_is_a_script_that_completes(self):
        script = self.write("cupel.bash", self.cupel("completion", "bash").stdout)
        ask = (f"source {script}; COMP_WORDS=(cupel judge --sa); COMP_CWORD=2; _cupel; "
               'echo "$COMPREPLY"')
        done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "--sandbox")

    def test_completion_knows_what_is_read_by_python(self):
        script = self.cupel("completion", "bash").stdout
        for command, module in (("capture", "cupel.capture"),
                                ("optimize-model", "cupel.whole_model")):
            offered, = re.findall(rf'^ +{command}\) words="([^"]*)"', script, re.M)
            told = subprocess.run([sys.executable, "-m", module, "--help"], capture_output=True,
                                  text=True, check=True,
                                  env={**os.environ, "PYTHONPATH": str(ROOT / "python")}).stdout
            read = set(re.findall(r"(?<![\w-])--[a-z-]+", told))
            self.assertLessEqual(set(offered.split()) - {"--python"}, read | {"--help"})
            self.assertLessEqual(read, set(offered.split()))


if __name__ == "__main__":
    unittest.main()
