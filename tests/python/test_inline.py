import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from os import path
from unittest import mock

sys.path.insert(0, path.dirname(path.abspath(__file__)))

import torch  # noqa: E402

from cupel import inline  # noqa: E402
from cupel.inline_signature import SignatureError, parse_signature  # noqa: E402
from host_harness import HostProcess, model  # noqa: E402

SCALE = r"""
#include <cstdint>
/* extern "C" void scale(int wrong); */
#define WHY "scale(" // scale(
extern "C" void scale(const float* __restrict__ x,
                      float* y, std::int64_t n, float by = 2.f) {
  #pragma omp parallel for simd
  for (std::int64_t i = 0; i < n; ++i) y[i] = by * x[i];
}
"""


def shape_of(declaration, name="f"):
    """[(name, pointer, dtypes or ctype's name)] of a declaration's parameters."""
    return [(p.name, p.kind.dtypes if p.pointer else p.ctype.__name__)
            for p in parse_signature(declaration, name).parameters]


class Signatures(unittest.TestCase):
    def test_declarations(self):
        cases = {
            'extern "C" void f() {}': [],
            'extern "C" void f(void) noexcept {}': [],
            'extern "C"\nvoid f(int a, unsigned b, long long c, bool d, double e, size_t) {}':
                [("a", "c_int"), ("b", "c_uint"), ("c", "c_long"), ("d", "c_bool"),
                 ("e", "c_double"), ("argument 6", "c_ulong")],
            'extern "C" { static int g() { return 1; } void f(const float *const x) {} }':
                [("x", ("float32",))],
            'extern "C" __attribute__((visibility("default"))) void f(std::uint8_t x[4]) {}':
                [("x", ("uint8", "bool"))],
            'extern "C" void f(const void* a, uint16_t* b, long int* c) {}':
                [("a", ()), ("b", ("bfloat16", "float16", "uint16")), ("c", ("int64",))],
            'extern "C" void f(int);\nvoid g() { f(3); }\nvoid f(int n) {}': [("n", "c_int")],
        }
        for declaration, want in cases.items():
            with self.subTest(declaration):
                self.assertEqual(shape_of(declaration), want)

    def test_what_a_kernel_cannot_be(self):
        cases = {
            "void f(int n) {}": 'not declared extern "C"',
            "int g;  // void f() {}": "defines no function f",
            'extern "C" void f(std::vector<float> x) {}': "std::vector<float> x",
            'extern "C" void f(float** x) {}': "float** x",
            'extern "C" void f(long double x) {}': "long double x",
            'extern "C" void f(float& x) {}': "float& x",
            'extern "C" float* f() {}': "returns void or a number",
        }
        for declaration, words in cases.items():
            with self.subTest(declaration), self.assertRaises(SignatureError) as caught:
                parse_signature(declaration, "f")
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(SignatureError):
            parse_signature("", "not a name")


class BuildCase(unittest.TestCase):
    def setUp(self):
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        self.cache = cache.name
        for changed in (mock.patch.dict(os.environ, CUPEL_CACHE=self.cache),
                        mock.patch.dict(inline._libraries, clear=True)):
            changed.start()
            self.addCleanup(changed.stop)

    def built(self):
        return sorted(os.listdir(path.join(self.cache, "inline")))


class Kernels(BuildCase):
    def test_a_kernel_computes(self):
        scale = inline.cpp_kernel(SCALE, "scale")
        x, y = torch.rand(1000), torch.empty(1000)
        self.assertIsNone(scale(x, y, 1000, 3))
        self.assertTrue(torch.equal(y, 3 * x))

    def test_results_scalars_and_every_pointer(self):
        source = ('#include <cstdint>\nextern "C" double f(uint16_t* a, bool* b, const void* c, '
                  'int8_t n, bool yes) { a[0] = 0x3F80; b[0] = yes; return c ? n : 0.5; }')
        f = inline.cpp_kernel(source, "f")
        a, b = torch.zeros(1, dtype=torch.bfloat16), torch.zeros(1, dtype=torch.bool)
        self.assertEqual(f(a, b, torch.zeros(1, dtype=torch.complex64), -3, True), -3.0)
        self.assertEqual((a.item(), b.item()), (1.0, True))
        self.assertEqual(f(a, b, None, 0, False), 0.5)

    def test_arguments_are_checked_and_named(self):
        scale = inline.cpp_kernel(SCALE, "scale")
        x, y = torch.rand(4, 2), torch.empty(8)
        wrong = [((x.double(), y, 8, 1.0), "argument 1", "got a cpu tensor of float64"),
                 ((x.t(), y, 8, 1.0), "strides (1, 2)", ".contiguous()"),
                 ((x, [1.0], 8, 1.0), "argument 2", "got list [1.0]"),
                 ((x, y.to("meta"), 8, 1.0), "argument 2", ".cpu()"),
                 ((x, y, 8.5, 1.0), "std::int64_t n", "an integer"),
                 ((x, y, 8, "one"), "argument 4", "a number"),
                 ((x, y, 8), "by", "missing")]
        for arguments, *words in wrong:
            with self.subTest(words), self.assertRaises(TypeError) as caught:
                scale(*arguments)
            for word in words:
                self.assertIn(word, str(caught.exception))
        with self.assertRaises(OverflowError):
            scale(x, y, 1 << 63, 1.0)

    def test_sizes_behind_pointers_are_checked(self):
        add = inline.cpp_kernel("""
            #include <cstdint>
            extern "C" void add(const float* x /* rows * width */, const float* bias /*width*/,
                                float* y /* written */, std::int64_t rows, std::int64_t width) {
              for (std::int64_t i = 0; i < rows * width; ++i) y[i] = x[i] + bias[i % width];
            }""", "add")
        x, bias, y = torch.ones(3, 4), torch.ones(4), torch.empty(3, 4)
        add(x, bias, y, 3, 4)
        self.assertEqual(float(y.sum()), 24)
        for wrong in ((x[:1], bias), (x, bias[:1]), (torch.ones(4, 4), bias)):
            with self.assertRaisesRegex(ValueError, r"elements, got .*\.expand"):
                add(*wrong, y, 3, 4)
        with self.assertRaisesRegex(TypeError, "contiguous"):
            add(torch.ones(4, 3).t(), bias, y, 3, 4)
        with self.assertRaisesRegex(TypeError, "got int 3"):
            add(3, bias, y, 3, 4)

    def test_results_are_ieee_unless_asked_otherwise(self):
        source = ('extern "C" float f(const float* x, int n) { float s = 0; '
                  'for (int i = 0; i < n; ++i) s += x[i]; return s; }')
        x = torch.tensor([1e8, 1.0, -1e8, 1.0] * 64)
        self.assertEqual(inline.cpp_kernel(source, "f")(x, 256), 1.0)
        self.assertNotEqual(inline.cpp_kernel(source, "f", ["-ffast-math"])(x, 256), 1.0)
        tiny = torch.tensor([1e-39])
        self.assertGreater((tiny * 1.0).item(), 0.0)  # loading left denormals alone

    def test_threads_are_torchs(self):
        source = ('#include <omp.h>\nextern "C" int f() { int n = 0;\n#pragma omp parallel\n'
                  '#pragma omp single\nn = omp_get_num_threads(); return n; }')
        f, before = inline.cpp_kernel(source, "f"), torch.get_num_threads()
        self.addCleanup(torch.set_num_threads, before)
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            self.assertEqual(f(), threads)

    def test_torch_compile_calls_a_kernel_as_it_is(self):
        scale = inline.cpp_kernel(SCALE, "scale")

        def program(x):
            y = torch.empty_like(x)
            scale(x, y, x.numel(), 2.0)
            return y + 1
        x = torch.rand(16)
        self.assertTrue(torch.equal(torch.compile(program, backend="eager")(x), 2 * x + 1))


class Building(BuildCase):
    def test_one_build_a_key(self):
        inline.cpp_kernel(SCALE, "scale")
        inline._libraries.clear()
        with mock.patch.object(inline, "_compile", side_effect=AssertionError("built again")):
            inline.cpp_kernel(SCALE, "scale")
        inline.cpp_kernel(SCALE, "scale", ["-O1"])
        inline.cpp_kernel(SCALE + "// changed", "scale")
        self.assertEqual(len(self.built()), 3)
        self.assertTrue(all(name.endswith(".so") for name in self.built()))

    def test_the_key_has_all_that_a_librarys_bytes_follow_from(self):
        compiler, flags = shutil.which(inline.COMPILER), ["-O2", "-mavx2"]
        keys = {inline._key(compiler, SCALE, flags), inline._key(compiler, SCALE + " ", flags),
                *(inline._key(compiler, SCALE, other)
                  for other in ([], ["-O2"], ["-mavx2", "-O2"], ["-O2-mavx2"], ["-O2 -mavx2"]))}
        for what in ("_processor", "_compiler_identity"):
            with mock.patch.object(inline, what, side_effect=lambda *_: "another"):
                keys.add(inline._key(compiler, SCALE, flags))
        self.assertEqual(len(keys), 9)

    def test_compile_errors_carry_the_compilers_lines(self):
        with self.assertRaises(inline.BuildError) as caught:
            inline.cpp_kernel('\nextern "C" void f(float* x) { x[0] = nothing; }', "f")
        self.assertIn("f.cpp:2:", str(caught.exception).splitlines()[0])
        self.assertIn("nothing", caught.exception.log)
        self.assertEqual(self.built(), [])

    def test_a_missing_compiler_says_what_to_install(self):
        with mock.patch.dict(os.environ, PATH=self.cache):
            with self.assertRaisesRegex(inline.BuildError, "apt-get install g[+][+]"):
                inline.cpp_kernel(SCALE, "scale")

    def test_a_library_that_cannot_be_loaded(self):
        with self.assertRaisesRegex(inline.BuildError, "cannot be loaded"):
            inline.cpp_kernel('void g(); extern "C" void f() { g(); }', "f", ["-Wl,-z,now"])

    def test_importing_takes_neither_torch_nor_the_rest(self):
        code = ("import sys, cupel.inline; print([name for name in sys.modules "
                "if name == 'torch' or name.startswith('cupel')])")
        root = path.dirname(path.dirname(inline.__file__))
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": root}, check=True).stdout
        self.assertEqual(said.strip(), "['cupel', 'cupel.inline_signature', 'cupel.inline']")


class Substitutes(unittest.TestCase):
    """What stands for a CUDA kernel when the judge looks for decoys."""

    def setUp(self):
        self.launched = []
        builder = mock.patch("cupel.inline_cuda.build",
                             lambda *_: lambda *x: self.launched.append(x))
        builder.start()
        self.addCleanup(builder.stop)
        self.addCleanup(inline.substitute)

    def test_the_kernel_of_that_name_does_nothing_and_others_do(self):
        inline.substitute("idle", "returns")
        inline.cuda_kernel("", "idle")(1, grid=1, block=1)
        inline.cuda_kernel("", "busy")(2)
        self.assertEqual(self.launched, [(2,)])
        self.assertEqual(list(inline.cuda_kernels_built())[-2:], ["idle", "busy"])

    def test_a_trap_raises(self):
        inline.substitute("idle", "traps")
        with self.assertRaisesRegex(RuntimeError, "idle"):
            inline.cuda_kernel("", "idle")()


class InAHost(BuildCase):
    HEAD = ("import torch\nfrom cupel.inline import cpp_kernel\n"
            f"scale = cpp_kernel({SCALE!r}, 'scale')")
    SOURCE = model("y = torch.empty_like(x[0]); scale(x[0], y, y.numel(), 4.0); return y",
                   head=HEAD)

    def load(self, answer):
        host = HostProcess(answer)
        self.addCleanup(host.close)
        return host, host.load(self.SOURCE, [torch.ones(8)])

    def test_the_judge_builds_what_a_host_asks_for(self):
        def answer(ask):
            library = path.join(self.cache, "built.so")
            subprocess.run(["g++", "-x", "c++", "-", "-o", library, *ask["flags"]], check=True,
                           input=ask["source"].encode())
            return {"re": "built", "path": library}
        host, reply = self.load(answer)
        self.assertEqual(reply["re"], "loaded", reply)
        host.call(torch.ones(8))
        self.assertTrue(torch.equal(host.outputs.get(0, torch.float32, (8,)),
                                    torch.full((8,), 4.0)))
        (ask,) = host.asked
        self.assertEqual((ask["kind"], ask["name"]), ("cpp", "scale"))
        self.assertEqual(ask["flags"], list(inline.DEFAULT_FLAGS))

    def test_a_failed_build_is_a_build_failure(self):
        log = "scale.cpp:4:1: error: expected ';'"
        _, reply = self.load(lambda ask: {"re": "build_failed", "log": log})
        self.assertEqual((reply["re"], reply["phase"], reply["kind"]),
                         ("failed", "import", "build"))
        self.assertIn("expected ';'", reply["what"])
        self.assertIn(log, reply["trace"])


if __name__ == "__main__":
    unittest.main()
