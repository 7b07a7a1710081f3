"""Hosts' allocator takes no more from the system in each call, whatever sizes a program wants."""

import glob
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

HEADER = Path(__file__).parents[2] / "src/measure/jail/python_environment.h"
JEMALLOC = glob.glob("/usr/lib/*/libjemalloc.so.2")
CALLS, GROWTH_KIB_MAX = 60, 64 << 10
PROGRAM = f"""
import torch

def resident_kib():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))

x = torch.randn(64, 256)
for call in range({CALLS}):
    torch.empty(1 << 20).fill_(1)
    torch.stack([x * i for i in range(200)]).sum(0)
    if call == 9:
        before = resident_kib()
print(resident_kib() - before)
"""


@unittest.skipUnless(JEMALLOC, "needs jemalloc")
class AllocatorTest(unittest.TestCase):
    def test_small_tensors_are_cut_from_large_pieces(self):
        setting = re.search(r'"(MALLOC_CONF)=(\S+)"', HEADER.read_text())
        ran = subprocess.run([sys.executable, "-c", PROGRAM], check=True, stdout=subprocess.PIPE,
                             env=os.environ | {"LD_PRELOAD": JEMALLOC[0],
                                               setting[1]: setting[2]})
        self.assertLess(int(ran.stdout), GROWTH_KIB_MAX)


if __name__ == "__main__":
    unittest.main()
