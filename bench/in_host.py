#!/usr/bin/env python3
"""How warm are the calls that the judge times? A program's own clock, in its host and outside.

    bench/in_host.py TASK.py CANDIDATE.py [--device cuda] [--calls 70]

The candidate gets some lines more: they note how long each call takes and how long nobody has
called before it. After --calls calls they measure the program in a loop, there and then, and raise
what they found, which the verdict quotes. The same file runs in a plain process.

    back to back   us a call, of many in a row
    one by one     us a call, waiting for each
    as judged      us a call, the median of those that the judge has made
    between        us from the end of one of those to the next

A loop that takes as long in the host as outside says that the process is as fast. Calls as judged
that take longer than one by one are cold: something else has used the processor between them. On a
GPU a call as judged ends when it returns, as it does back to back. Standard library and torch;
$CUPEL_BINARY names the binary.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from user_loop import made, verdict_of

ROOT = Path(__file__).resolve().parent.parent
MARK = "seen in its process: "
LINES = '''

import json as _json
import time as _time

_Judged = ModelNew


def _wait():
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _us_one_by_one(call, inputs, count=300):
    times = []
    for _ in range(count):
        _wait()
        start = _time.perf_counter_ns()
        call(*inputs)
        _wait()
        times.append(_time.perf_counter_ns() - start)
    return _middle(times)


def _us_in_a_row(call, inputs, count=300):
    _wait()
    start = _time.perf_counter_ns()
    for _ in range(count):
        call(*inputs)
    _wait()
    return round((_time.perf_counter_ns() - start) / count / 1e3, 1)


def _middle(times_ns):
    return round(sorted(times_ns)[len(times_ns) // 2] / 1e3, 1)


class ModelNew(_Judged):
    _noted, _ended = [], 0

    def forward(self, *inputs):
        start = _time.perf_counter_ns()
        result = super().forward(*inputs)
        end = _time.perf_counter_ns()
        self._noted.append((end - start, start - ModelNew._ended))
        ModelNew._ended = end
        if len(self._noted) < CALLS:
            return result
        later = self._noted[CALLS // 3:]
        own = [each.clone() if torch.is_tensor(each) else each for each in inputs]
        call = super().forward
        _us_in_a_row(call, own)
        raise RuntimeError("MARK" + _json.dumps(
            {"back to back": _us_in_a_row(call, own), "one by one": _us_one_by_one(call, own),
             "as judged": _middle([each[0] for each in later]),
             "between": _middle([each[1] for each in later])}))
'''


def main():
    options = parse_arguments()
    if options.child:
        run_plainly(*options.child, options)
        return
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "candidate.py"
        lines = LINES.replace("CALLS", str(options.calls)).replace("MARK", MARK)
        source.write_text(options.files[1].read_text() + lines)
        columns = ("back to back", "one by one", "as judged", "between")
        print(f"{'us':16}" + "".join(f"{each:>14}" for each in columns))
        for name, found in (("plain process", plain_process(source, options)),
                            ("host", host(source, options))):
            kept = columns if name == "host" else columns[:2]
            print(f"{name:16}" + "".join(f"{found[each]:14.1f}" for each in kept), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="TASK.py CANDIDATE.py")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--calls", type=int, default=70, help="calls of the judge's to note")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.child and len(options.files) != 2:
        parser.error("name a task and a candidate")
    return options


def plain_process(source, options):
    command = [str(ROOT / "scripts/python.sh"), __file__, "--child", str(options.files[0]),
               str(source), "--device", options.device]
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    return found_in(done.stdout)


def host(source, options):
    return found_in(verdict_of(options.files[0], source, options).get("feedback", ""))


def found_in(text):
    found = re.search(re.escape(MARK) + r"(\{.*?\})", text)
    if not found:
        sys.exit(f"it made fewer calls, or failed otherwise:\n{text}")
    return json.loads(found[1])


def run_plainly(task, source, options):
    import torch
    module, instance = made(task, source, options.device)
    inputs = [each.to(options.device) if torch.is_tensor(each) else each
              for each in module.get_inputs()]
    try:
        while True:
            instance(*inputs)
    except RuntimeError as error:
        print(error)


if __name__ == "__main__":
    main()
