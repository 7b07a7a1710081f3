"""`cupel report --html` in a headless Chromium: every number against `--json`, nothing on the
console, nothing from the network, whatever candidates wrote.

The journals are those of scripted runs (tests/engine/driver). Skipped where there is no Chromium.
"""

import html.parser
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from built import BINARY, ROOT

DRIVER = BINARY.parent / "engine_crash_driver"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or \
    shutil.which("google-chrome")
HOSTILE = "</script><img src=x onerror=document.title='owned'>"
BYTES_MAX, MILLISECONDS_MAX = 3_000_000, 2000
SCALES = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
          "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
TASKS, STRATEGIES = 50, ("cupel", "pike-b", "pike-o")


class Page(html.parser.HTMLParser):
    """What a browser made of a page: numbers with the paths they come from, and all text."""

    def __init__(self, text):
        super().__init__()
        self.numbers, self.words, self.attributes, self.tags = [], [], {}, []
        self._open = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag == "html":
            self.attributes = attributes
        if "data-from" in attributes:
            self._open = attributes["data-from"], attributes["data-format"]

    def handle_data(self, data):
        self.words.append(data)
        if self._open:
            self.numbers.append((*self._open, data))
            self._open = None

    def text(self):
        return " ".join(self.words)


def value_at(document, path):
    for key in path.split("."):
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


def agrees(text, kind, value):
    """Is `text` what one would write for the value?"""
    if kind in ("bytes", "operations"):
        number, _, word = text.partition(" ")
        return abs(float(number) * SCALES.get(word, 1) - value) <= 0.006 * value
    number = float(re.sub(r"[^0-9.eE+-]", "", text.replace("us", "").replace("ms", "")
                          .replace("min", "").replace("s", "").replace("h", "")) or "nan")
    if kind == "ratio":
        return abs(number - value) <= 0.0501 if value >= 9.99 else abs(number - value) <= 0.00501
    if kind in ("ms", "us"):
        unit = 1e-3 if text.endswith("us") else 1
        return abs(number * unit * (1e3 if kind == "us" else 1) - value) <= 0.006 * value
    if kind == "seconds":
        unit = 60 if text.endswith("min") else 3600 if text.endswith("h") else 1
        return abs(number * unit - value) <= max(0.06, 0.55 * unit if unit > 1 else 0.51)
    if kind == "share":
        return abs(number / 100 - value) <= 0.00501
    if kind == "error":
        return abs(number - value) <= 0.06 * value
    return abs(number - value) <= (0.00501 if kind == "usd" else 0)


@unittest.skipUnless(CHROMIUM, "no Chromium is installed")
@unittest.skipUnless(BINARY.exists() and DRIVER.exists(), f"{BINARY}, {DRIVER} are not built")
class Pages(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(kept.cleanup)
        self.directory = pathlib.Path(kept.name)

    def make_run(self, name, seed=5, programs=40):
        directory = self.directory / name
        directory.mkdir(parents=True)
        with open(os.devnull, "wb") as sink:
            subprocess.run([DRIVER, "paid", directory, str(seed), str(programs),
                            str(sink.fileno())], pass_fds=[sink.fileno()], check=True, timeout=120)
        return directory

    def cupel(self, *arguments):
        environment = dict(os.environ, CUPEL_HOME=str(ROOT))
        return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True,
                              env=environment, cwd=self.directory, timeout=120, check=True).stdout

    def browse(self, file):
        """The Page, once its script has run. Fails where the console has anything."""
        done = subprocess.run(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
             "--enable-logging=stderr", "--v=0", "--virtual-time-budget=4000",
             f"--user-data-dir={self.directory}/profile", file.as_uri()],
            capture_output=True, text=True, timeout=120, check=True)
        said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        self.assertEqual(said, [])
        return Page(done.stdout)

    def page_of(self, run):
        file = self.directory / "page.html"
        self.cupel("report", run, "--html", file)
        text = file.read_text(encoding="utf-8")
        self.assertLess(len(text.encode()), BYTES_MAX)
        self.assertIsNone(re.search(r"(src|href)=[\"']?(https?:)?//", text))
        page = self.browse(file)
        self.assertLess(int(page.attributes["data-drawn"]), MILLISECONDS_MAX)
        return page

    def check_numbers(self, page, document, at_least):
        self.assertGreater(len(page.numbers), at_least)
        for path, kind, text in page.numbers:
            self.assertTrue(agrees(text, kind, value_at(document, path)),
                            f"{path}: {text} for {value_at(document, path)}")

    def drawn_from(self, run):
        """The document of the page's figures."""
        self.cupel("figures", run, "--out", self.directory / "figures")
        self.assertTrue((self.directory / "figures/roofline.svg").exists())
        return json.loads((self.directory / "figures/data.json").read_text(encoding="utf-8"))

    def test_a_run(self):
        run = self.make_run("run")
        page = self.page_of(run)
        document = {"run": json.loads(self.cupel("report", run, "--json")),
                    "roofline": self.drawn_from(run)["roofline"]}
        self.check_numbers(page, document, 100)
        self.assertIn("roofline.programs.0.of_roof", [path for path, *_ in page.numbers])
        words = page.text()
        for part in ("Final round", "How near the machine's limits", "Lineage", "Candidates",
                     "Machine and method", "Source"):
            self.assertIn(part, words)
        for entry in document["run"]["candidates"]:
            self.assertIn(entry["proposal_id"], words)

    def test_a_suite(self):
        for i in range(12):
            self.make_run(f"suite/{('cupel', 'pike-b')[i % 2]}/task{i // 2}/1", seed=i, programs=20)
        suite = self.directory / "suite"
        document = {"suite": json.loads(self.cupel("report", suite, "--json"))}
        page = self.page_of(suite)
        self.check_numbers(page, document, 60)
        self.assertEqual([one["strategy"] for one in document["suite"]["strategies"]],
                         ["cupel", "pike-b"])
        for part in ("What money buys", "Speedup of each task", "fast_p", "task5"):
            self.assertIn(part, page.text())

    def test_a_suite_of_many_tasks(self):
        """Of twelve searches, each under several names: what matters here is how much is drawn."""
        made = [self.make_run(f"made/{i}", seed=i, programs=40) for i in range(12)]
        for i in range(TASKS):
            for j, strategy in enumerate(STRATEGIES):
                run = self.directory / f"large/{strategy}/task{i}/1"
                shutil.copytree(made[(i + 5 * j) % len(made)], run)
        document = {"suite": json.loads(self.cupel("report", self.directory / "large", "--json"))}
        page = self.page_of(self.directory / "large")
        self.check_numbers(page, document, 2 * TASKS)
        self.assertEqual([score["tasks"] for score in document["suite"]["strategies"]],
                         [TASKS] * len(STRATEGIES))

    def test_what_candidates_write_is_text(self):
        run = self.make_run("hostile", programs=12)
        journal = sqlite3.connect(run / "journal.sqlite")
        with journal:
            for (name,) in journal.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                journal.execute(f"DROP TRIGGER {name}")  # a journal is append-only
            for old in ("class ModelNew", '"label":"p00'):
                new = old.replace("class", f"{HOSTILE}class").replace('":"', f'":"{HOSTILE}')
                journal.execute("UPDATE events SET body = replace(body, ?, ?)", (old, new))
        journal.close()
        page = self.page_of(run)
        self.assertIn(HOSTILE, page.text())
        self.assertNotIn("img", [tag for tag, _ in page.tags])
        self.assertNotIn("owned", [words for words in page.words if words.strip() == "owned"])


if __name__ == "__main__":
    unittest.main()
