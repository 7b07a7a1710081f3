import ctypes
import mmap
import os
import struct
import subprocess
import tempfile
import threading
import time
import unittest
from os import path
from unittest import mock

from cupel import host_clock

ROOT = path.dirname(path.dirname(path.dirname(path.abspath(__file__))))
CPU, UNSUPPORTED, NOT_BEGUN = -1, 1, 2


def probe_path(directory):
    """The built library, else one built from the same source."""
    built = path.join(path.dirname(os.environ.get("CUPEL_BINARY", "")), "libcupel_probe.so")
    if path.isabs(built) and path.exists(built):
        return built
    library = path.join(directory, "libcupel_probe.so")
    sources = [path.join(ROOT, "src", "probe", name + ".cpp")
               for name in ("probe", "baton", "cipher_cpu", "gpu", "gpu_driver", "gpu_gate")]
    subprocess.run(["g++", "-std=c++20", "-O2", "-fPIC", "-shared", "-fno-exceptions",
                    "-fvisibility=hidden", "-I", path.join(ROOT, "src"),
                    *sources, "-o", library], check=True)
    return library


class Probe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.path = probe_path(directory.name)
        cls.library = ctypes.CDLL(cls.path)
        cls.library.cupel_probe_now_ns.restype = ctypes.c_int64

    def test_it_needs_nothing_but_libc(self):
        said = subprocess.run(["readelf", "-d", self.path], capture_output=True, text=True,
                              check=True).stdout
        needed = [line for line in said.splitlines() if "(NEEDED)" in line]
        self.assertEqual([line for line in needed if "libc.so" not in line
                          and "ld-linux" not in line], [])

    def test_the_clock_is_the_judges(self):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        now = self.library.cupel_probe_now_ns()
        self.assertTrue(before <= now <= time.clock_gettime_ns(time.CLOCK_MONOTONIC))

    def test_spans_open_once_and_only_on_the_cpu(self):
        claim = ctypes.c_int64(-5)
        end = self.library.cupel_probe_end
        self.assertEqual(end(CPU, ctypes.byref(claim)), NOT_BEGUN)
        self.assertEqual(self.library.cupel_probe_begin(0), UNSUPPORTED)
        self.assertEqual(self.library.cupel_probe_begin(CPU), 0)
        self.assertEqual(end(0, ctypes.byref(claim)), UNSUPPORTED)
        self.assertEqual(claim.value, -5)
        self.assertEqual(end(CPU, ctypes.byref(claim)), 0)
        self.assertGreaterEqual(claim.value, 0)
        self.assertEqual(end(CPU, ctypes.byref(claim)), NOT_BEGUN)

    def test_the_hosts_clock_times_a_call(self):
        with mock.patch.dict(os.environ, CUPEL_PROBE=self.path):
            clocks = [host_clock.open_clock()]
        with mock.patch.dict(os.environ, CUPEL_PROBE=""):
            clocks.append(host_clock.open_clock())
        self.assertIsInstance(clocks[0], host_clock.ProbeClock)
        for clock in clocks:
            inside = []

            def program(x):
                inside.append(clock.now_ns())
                total = sum(range(x))
                inside.append(clock.now_ns())
                return total
            result, claim_ns = clock.time(program, [1000])
            self.assertEqual(result, 499500)
            self.assertGreaterEqual(claim_ns, inside[1] - inside[0])

    def test_a_host_polls_for_its_turn_only_where_it_is_told_to(self):
        self.assertLess(self._processor_s_of_a_wait(polls_us=0), 0.01)
        self.assertGreater(self._processor_s_of_a_wait(polls_us=10_000_000), 0.01)

    def _processor_s_of_a_wait(self, polls_us):
        """For a turn that comes late, and of which nobody tells a sleeper."""
        page, used = mmap.mmap(-1, 4096), []
        struct.pack_into("<IIII", page, 0, 0, 0, 0, polls_us)
        address = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page)))

        def wait():
            self.library.cupel_probe_await_turn(address, 4)
            used.append(time.thread_time())

        host = threading.Thread(target=wait)
        host.start()
        while struct.unpack_from("<I", page, 4) != (4,):
            time.sleep(0.001)
        time.sleep(0.3)
        struct.pack_into("<I", page, 0, 4)
        host.join()
        return used[0]

    def test_a_library_that_is_not_a_probe_is_refused(self):
        with self.assertRaises((OSError, AttributeError)):
            host_clock.ProbeClock(path.join(path.dirname(self.path), "nothing.so"))


if __name__ == "__main__":
    unittest.main()
