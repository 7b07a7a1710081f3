#include "propose/archive/labels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

#include "base/files.h"

namespace cupel::propose {
namespace {

std::string labelled(const std::string& source) {
  std::string text;
  for (const Label& label : labels_of(source)) {
    text += (text.empty() ? "" : "; ") + label.label + ":" + std::to_string(label.line);
  }
  return text;
}

TEST(Labels, CallsTheReference) {
  EXPECT_EQ(labelled("class ModelNew(Model):\n  def f(self):\n    return super().forward(1)\n"),
            "calls the reference:3");
  EXPECT_EQ(labelled("x = 1\nm = Model(3)\n"), "calls the reference:2");
  EXPECT_EQ(labelled("class ModelNew(Model):\n  x = ModelNew(1)  # Model(2)\n"), "");
}

TEST(Labels, FallsBackInExcept) {
  EXPECT_EQ(labelled("try:\n  y = k(x)\nexcept Exception:\n  y = x + 1\n  z = f(x)\n"),
            "falls back in except:3");
  EXPECT_EQ(labelled("try:\n  y = k(x)\nexcept Exception: return f(x)\n"),
            "falls back in except:3");
  EXPECT_EQ(labelled("try:\n  import a\nexcept ImportError:\n  a = f()\n"), "");
  EXPECT_EQ(labelled("try:\n  y = k(x)\nexcept E:\n  raise\nz = f(x)\n"), "");
}

TEST(Labels, StreamsThreadsAndPatches) {
  EXPECT_EQ(labelled("s = torch.cuda.Stream()\n"), "side streams:1");
  EXPECT_EQ(labelled("S = r'''\nvoid f() { cudaStreamCreate(&s); }'''\n"), "side streams:2");
  EXPECT_EQ(labelled("t = threading.Thread(target=f)\n"), "threads or processes:1");
  EXPECT_EQ(labelled("S = '''void f() { std::thread t; }'''\n"), "threads or processes:1");
  EXPECT_EQ(labelled("torch.relu = f\n"), "patches torch:1");
  EXPECT_EQ(labelled("time.perf_counter = f\n"), "patches torch:1");
  EXPECT_EQ(labelled("torch.backends.cudnn.benchmark = True\nif torch.x == 1: pass\nx = torch.y\n"),
            "");
}

TEST(Labels, WhatItIsMadeOf) {
  EXPECT_EQ(labelled("f = torch.compile(g)\n"), "only torch.compile:1; torch.compile:1");
  EXPECT_EQ(labelled("f = torch.compile(g)\nk = cpp_kernel(S, 'k')\n"),
            "torch.compile:1; cpp_kernel:2");
  EXPECT_EQ(labelled("k = cuda_kernel(S, 'k')\nx.half()\n"), "cuda_kernel:1; lower precision:2");
  EXPECT_EQ(labelled("m = load_inline('a')\n@triton.jit\ndef k(): pass\n"),
            "load_inline:1; triton:2");
  EXPECT_EQ(labelled("p = x.data_ptr()\n"), "reads addresses:1");
}

TEST(Labels, WhoLooksAtItsSurroundings) {
  for (const char* look : {"os.environ['A']", "socket.gethostname()", "sys._getframe(1)",
                           "'a' in sys.modules", "getpass.getuser()"}) {
    EXPECT_EQ(labelled(std::string("x = ") + look + "\n"), "looks at its surroundings:1") << look;
  }
  EXPECT_EQ(labelled("import os, sys\npath = os.path.join(a, b)\n"), "");
}

TEST(Labels, StringsAndCommentsOfPythonDoNotCount) {
  EXPECT_EQ(labelled("'''torch.compile(x)'''\n# load_inline(\ny = 'cuda_kernel('\n"), "");
}

TEST(Labels, ShippedWinnersAreKernelsAndNothingElse) {
  const auto home = home_directory();
  ASSERT_TRUE(home);
  for (const auto& entry : std::filesystem::directory_iterator(*home / "tasks/winners")) {
    const auto source = read_file(entry.path(), 1 << 20);
    ASSERT_TRUE(source);
    const auto labels = labels_of(*source);
    ASSERT_EQ(labels.size(), 1U) << entry.path() << ": " << labelled(*source);
    EXPECT_EQ(labels[0].label, "cpp_kernel");
  }
}

RC_GTEST_PROP(Labels, TakeAnyBytes, (std::string bytes)) {
  for (const Label& label : labels_of(bytes)) RC_ASSERT(label.line >= 1);
}

}  // namespace
}  // namespace cupel::propose
