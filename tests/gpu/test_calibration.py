"""The probe against kernels whose duration is known."""

import statistics
import threading
import unittest

import torch

from cupel.host_clock import ProbeClock
from gpu_machine import PROBE, Spinner, needs_binary, needs_gpu

US = 1000
DURATIONS_US = (20, 100, 1000, 5000)
CALLS = 9
# The claim holds a launch and the wait for the GPU beside the kernel; never less than the kernel.
OVERHEAD_US_MAX = 60
THREAD_US_MAX = 500  # starting one is the program's own time
SHARE_MAX = 0.005


@needs_gpu
@needs_binary
class Calibration(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spin = Spinner()
        cls.clock = ProbeClock(str(PROBE), 0)
        cls.side = torch.cuda.Stream()

    def check(self, name, program, overhead_us_max=OVERHEAD_US_MAX):
        """`program(ns)` must take `ns` by the device's clock, and little more by the wall's."""
        for duration_us in DURATIONS_US:
            ns = duration_us * US
            program(ns)
            spans = []
            for _ in range(CALLS):
                _, claim_ns = self.clock.time(program, [ns])
                spans.append((claim_ns / US, self.clock.device_ns() / US))
            claim = statistics.median(span[0] for span in spans)
            device = statistics.median(span[1] for span in spans)
            print(f"{name:16} true {duration_us:5} us, claim {claim:8.1f}, device {device:8.1f}")
            self.assertGreaterEqual(claim, duration_us - 1, name)
            self.assertLessEqual(claim, duration_us * (1 + SHARE_MAX) + overhead_us_max, name)
            self.assertGreaterEqual(device, duration_us - 1, name)
            self.assertLessEqual(device, duration_us * (1 + SHARE_MAX) + overhead_us_max, name)

    def test_the_default_stream(self):
        self.check("default stream", self.spin)

    def test_a_side_stream_that_nobody_waits_for(self):
        self.check("side stream", lambda ns: self.spin(ns, self.side))

    def test_two_streams_at_once(self):
        def both(ns):
            self.spin(ns, self.side)
            self.spin(ns // 2)
        self.check("two streams", both)

    def test_a_thread_that_launches(self):
        def threaded(ns):
            worker = threading.Thread(target=self.spin, args=(ns, self.side))
            worker.start()
            worker.join()
        self.check("thread", threaded, THREAD_US_MAX)

    def test_a_graph(self):
        graphs = {}

        def replay(ns):
            if ns not in graphs:
                graphs[ns] = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graphs[ns]):
                    self.spin(ns)
            graphs[ns].replay()
        self.check("graph", replay)

    def test_the_flush_leaves_nothing_in_the_cache(self):
        """Reading 8 MB is slower from memory than from the level-2 cache."""
        data = torch.ones(2 << 20, device="cuda")
        out = torch.zeros((), device="cuda")

        def read():
            torch.sum(data, dim=0, out=out)
        cold, warm = [], []
        for _ in range(CALLS):
            self.clock.time(read, [])
            cold.append(self.clock.device_ns())
            self.clock.span(read, [])
            warm.append(self.clock.device_ns())
        print(f"8 MB read: cold {min(cold) / US:.1f} us, warm {min(warm) / US:.1f} us")
        self.assertGreater(statistics.median(cold), statistics.median(warm))


if __name__ == "__main__":
    unittest.main()
