"""Candidates that break their GPU context, hang or eat its memory. Each gets its own verdict, and
the next candidate is judged as if nothing had been."""

import unittest

from gpu_machine import judge, needs_binary, needs_gpu
from test_judge import softmax

# Equal programs; three rounds in a hundred may say otherwise.
HEALTHY = ("same", "ambiguous", "slower", "faster")
LIMIT = ("--time-limit", "15s")


@needs_gpu
@needs_binary
class Faults(unittest.TestCase):
    def outcome(self, forward, init="pass"):
        document = judge("softmax_rows", softmax(forward, init), *LIMIT)
        feedback = document["verdict"].get("feedback", "").strip().splitlines()
        print(f"{self.id().split('.')[-1]:36} {document['headline']} {feedback[:1]}")
        return document["verdict"]["outcome"]

    def tearDown(self):
        self.assertIn(self.outcome("return self.right(x)"), HEALTHY)

    def test_illegal_memory_access(self):
        outcome = self.outcome("from cupel import gpu_arena\n"
                               "gpu_arena._bytes_at(0x123400000000, 4096, 0).add_(1)\n"
                               "return self.right(x)")
        self.assertEqual(outcome, "runtime_error")

    def test_device_side_assert(self):
        outcome = self.outcome("rows = torch.full((4,), 10**7, device=x.device)\n"
                               "return self.right(x) + x[rows].sum()")
        self.assertEqual(outcome, "runtime_error")

    def test_endless_kernel(self):
        self.assertEqual(self.outcome("torch.cuda._sleep(1 << 60)\nreturn self.right(x)"),
                         "timeout")

    def test_more_memory_than_there_is(self):
        outcome = self.outcome("torch.empty(400 << 30, dtype=torch.uint8, device=x.device)\n"
                               "return self.right(x)")
        self.assertEqual(outcome, "out_of_memory")

    def test_death_with_memory_in_hand(self):
        outcome = self.outcome("import os\n"
                               "held = torch.ones(16 << 30, dtype=torch.uint8, device=x.device)\n"
                               "os.kill(os.getpid(), 9)")
        self.assertEqual(outcome, "runtime_error")


if __name__ == "__main__":
    unittest.main()
