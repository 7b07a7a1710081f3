"""The probe against kernels whose duration is known."""

import statistics
import threading
import time
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
GATED_US_MAX = 6  # of the device's own time beyond the kernels': starting the first one
EARLY_US_MAX = 6  # a stream that waits for no other starts before the gate's last thread has ended
GAP_US_MAX = 4    # between short kernels, with the coarseness of the clock that they spin on
GATE_NS = 20_000_000
SHORT_KERNELS = 40
SHARE_MAX = 0.01  # some machines' host is late by 0.3 to 0.6 % of a long kernel


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

    def gated(self, name, program, true_us, overhead_us_max=GATED_US_MAX, early_us_max=1):
        """The device's own time of `program`, whose launches wait behind the gate."""
        program()
        spans = []
        for _ in range(CALLS):
            self.clock.gate(GATE_NS)
            self.clock.time(program, [])
            spans.append(self.clock.queued_ns() / US)
        device = statistics.median(spans)
        print(f"{name:28} true {true_us:7.1f} us, device's own {device:7.1f}")
        self.assertGreaterEqual(device, true_us - early_us_max, name)
        self.assertLessEqual(device, true_us * (1 + SHARE_MAX) + overhead_us_max, name)

    def test_the_devices_own_time(self):
        for us in DURATIONS_US:
            self.gated("queued", lambda ns=us * US: self.spin(ns), us)

    def test_the_devices_own_time_holds_no_launches(self):
        def many():
            for _ in range(SHORT_KERNELS):
                self.spin(2 * US)
                time.sleep(0.0002)  # a host that is slow: none of it may show
        self.gated("many short kernels", many, 2 * SHORT_KERNELS,
                   SHORT_KERNELS * GAP_US_MAX)

    def test_a_side_stream_waits_at_the_gate(self):
        """One that waits for nobody, as torch's do not."""
        for us in DURATIONS_US:
            self.gated("queued on a side stream", lambda ns=us * US: self.spin(ns, self.side), us,
                       early_us_max=EARLY_US_MAX)

    def test_a_graph_waits_at_the_gate(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.spin(100 * US)
        self.gated("queued graph", graph.replay, 100)

    def test_a_call_that_waits_for_the_device_cannot_be_queued(self):
        def waits():
            self.spin(20 * US)
            torch.cuda.synchronize()
        self.clock.gate(2_000_000)
        self.clock.time(waits, [])
        self.assertEqual(self.clock.queued_ns(), -1)
        _, claim_ns = self.clock.time(waits, [])
        self.assertLess(claim_ns, 1_000_000)
        self.gated("queued after one that was not", lambda: self.spin(100 * US), 100)


if __name__ == "__main__":
    unittest.main()
