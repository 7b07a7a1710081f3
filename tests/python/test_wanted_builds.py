"""What a candidate would have compiled, known without compiling."""

import json
import os
import subprocess
import sys
import unittest

SOURCE = '''
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

from cupel.inline import cpp_kernel, cuda_kernel

TILE = 16
scale = cpp_kernel(f"""
extern "C" void scale(float* x, long n) {{ for (long i = 0; i < n; ++i) x[i] *= {TILE}; }}""",
                   "scale", ["-DTILE=%d" % TILE])
shift = cuda_kernel('extern "C" __global__ void shift(float* x) {}', "shift")
module = load_inline(name="answers", cpp_sources="int answer() { return 42; }",
                     functions=["answer"])


@torch.no_grad()
def helper(x):
    return F.relu(x)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.answer = module.answer

    def forward(self, x):
        return helper(x)
'''
NEEDS_TORCH = '''
import torch
from cupel.inline import cpp_kernel
BYTES = torch.finfo(torch.float32).bits // 8
size = cpp_kernel('extern "C" int size() { return %d; }' % BYTES, "size")
raise RuntimeError("later")
'''


def wanted(source, architectures=""):
    """The requests, as the judge gets them."""
    ran = subprocess.run([sys.executable, "-m", "cupel.wanted_builds"], check=True,
                         input=json.dumps({"source": source, "architectures": architectures}),
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                         env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    return json.loads(ran.stdout)


class WantedBuilds(unittest.TestCase):
    def test_both_doors(self):
        cpp, extension = wanted(SOURCE, "9.0+PTX")
        self.assertEqual((cpp["kind"], cpp["name"]), ("cpp", "scale"))
        self.assertIn("x[i] *= 16", cpp["source"])
        self.assertEqual(cpp["flags"][-1], "-DTILE=16")
        self.assertEqual((extension["kind"], extension["name"]), ("extension", "answers"))
        request = json.loads(extension["source"])
        self.assertEqual(request["architectures"], "9.0+PTX")
        self.assertEqual(request["arguments"]["functions"], ["answer"])

    def test_the_request_is_the_one_that_a_host_makes(self):
        from cupel import inline
        asked = []

        def builder(name, source, flags):
            asked.append((name, source, list(flags)))
            raise inline.BuildError("noted")
        inline.set_builder(builder)
        try:
            with self.assertRaises(inline.BuildError):
                inline.cpp_kernel('extern "C" int one() { return 1; }', "one", ("-O1",))
        finally:
            inline.set_builder(None)
        source = ('from cupel.inline import cpp_kernel\n'
                  'cpp_kernel(\'extern "C" int one() { return 1; }\', "one", ("-O1",))')
        found, = wanted(source)
        self.assertEqual([(found["name"], found["source"], found["flags"])], asked)

    def test_what_needs_a_number_of_torch_gets_torch(self):
        found, = wanted(NEEDS_TORCH)
        self.assertIn("return 4;", found["source"])

    def test_what_fails_or_prints_wants_nothing(self):
        self.assertEqual(wanted("print('[{}]')\nraise ValueError()"), [])
        self.assertEqual(wanted("def ("), [])


if __name__ == "__main__":
    unittest.main()
