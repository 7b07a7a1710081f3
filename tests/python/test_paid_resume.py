"""A paid search that is killed while its first question is under way, and resumed.

A service on loopback speaks chat completions over real HTTP. Needs the built binary: CUPEL_BINARY,
or build/cupel in the repository.
"""

import http.server
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

from built import BINARY, ROOT


TASK = '''
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)


def get_inputs():
    return [torch.randn(64, 256)]


def get_init_inputs():
    return []
'''
PRICE = "unheard-of=2,0.2,20"  # dollars per million tokens; no list has it
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
BILL_NANO_USD = 1000 * 2000 + 100 * 20000
SECONDS_MAX = 120  # until an event is there: lint and a profile of the task come first


class Service(http.server.ThreadingHTTPServer):
    """Keeps silent until it is told to answer, and counts what it is asked."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.asked = 0
        self.answers = threading.Event()


class Answer(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked += 1
        if not self.server.answers.is_set():
            self.server.answers.wait()
            return  # nobody listens any more
        text = "1. FUSE: one pass over each row.\n"
        choice = {"index": 0, "finish_reason": "stop",
                  "message": {"role": "assistant", "content": text}}
        body = json.dumps({"id": "1", "object": "chat.completion", "model": "unheard-of",
                           "choices": [choice], "usage": USAGE}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@unittest.skipUnless(BINARY.exists(), f"{BINARY} is not built")
class PaidResume(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = pathlib.Path(directory.name)
        self.run = self.home / "run"
        self.service = Service()
        thread = threading.Thread(target=self.service.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.service.shutdown)
        self.addCleanup(self.service.answers.set)

    def cupel(self, *arguments):
        environment = dict(os.environ, CUPEL_HOME=str(ROOT), CUPEL_API_KEY="of-the-gateway")
        environment.pop("OPENAI_API_KEY", None)
        process = subprocess.Popen([BINARY, *arguments], cwd=self.home, env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def events(self, kind):
        if not (self.run / "journal.sqlite").exists():
            return []
        journal = sqlite3.connect(f"file:{self.run}/journal.sqlite?mode=ro", uri=True)
        try:
            rows = journal.execute("SELECT body FROM events WHERE kind = ? ORDER BY seq", (kind,))
            return [json.loads(body) for (body,) in rows]
        except sqlite3.OperationalError:
            return []  # it is being made
        finally:
            journal.close()

    def wait_for(self, kind, count, process):
        end = time.monotonic() + SECONDS_MAX
        while len(self.events(kind)) < count:
            if process.poll() is not None or time.monotonic() > end:
                process.kill()
                self.fail(f"no event '{kind}' came: {process.stderr.read()}")
            time.sleep(0.1)

    def test_a_resumed_question_is_asked_and_charged_at_the_price_of_the_run(self):
        task = self.home / "task.py"
        task.write_text(TASK, encoding="utf-8")
        url = f"http://127.0.0.1:{self.service.server_port}/v1"
        first = self.cupel("optimize", str(task), "--run-dir", str(self.run), "--effort", "quick",
                           "--llm", "openai:unheard-of", "--llm-url", url, "--price", PRICE,
                           "--budget", "1usd")
        self.wait_for("asked", 1, first)
        first.kill()
        first.wait()
        self.service.answers.set()
        second = self.cupel("resume", str(self.run))
        self.wait_for("replied", 2, second)
        second.send_signal(signal.SIGINT)
        second.wait()
        asked, replied = self.events("asked"), self.events("replied")
        self.assertGreater(asked[0]["nano_usd_max"], BILL_NANO_USD)
        self.assertEqual([one["nano_usd_max"] for one in asked[:2]],
                         2 * [asked[0]["nano_usd_max"]])
        bills = [one["reply"]["nano_usd"] for one in replied[:2]]
        self.assertEqual(bills, [asked[0]["nano_usd_max"], BILL_NANO_USD])
        report = subprocess.run([BINARY, "report", self.run, "--json"], capture_output=True,
                                text=True, env=dict(os.environ, CUPEL_HOME=str(ROOT)), check=False)
        self.assertGreaterEqual(self.service.asked, 2)
        self.assertAlmostEqual(json.loads(report.stdout)["cost_usd"], sum(
            one["reply"]["nano_usd"] for one in replied) / 1e9, places=6)


if __name__ == "__main__":
    unittest.main()
