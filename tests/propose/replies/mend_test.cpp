#include "propose/replies/mend.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "propose/sample_task.h"
#include "propose/seeds/portfolio.h"

namespace cupel::propose {
namespace {

using Names = std::vector<std::string>;

constexpr const char* k_model = "import torch.nn as nn\nclass ModelNew(nn.Module):\n  pass\n";

std::string mended(const std::string& source, const std::string& rule, const char* device = "cpu") {
  const Mended result = mend(source, device);
  EXPECT_EQ(result.rules, Names{rule}) << source;
  return result.source;
}

void expect_untouched(const std::string& source, const std::string& what) {
  for (const char* device : {"cpu", "cuda"}) {
    const Mended result = mend(source, device);
    EXPECT_EQ(result.rules, Names{}) << what;
    EXPECT_EQ(result.source, source) << what;
  }
}

TEST(Mend, CodeFences) {
  EXPECT_EQ(mended("```python\n" + std::string(k_model) + "```\n", "code fence"), k_model);
  const std::string inside = "x = '''\n```\n'''\n" + std::string(k_model);
  expect_untouched(inside, "a fence in a string");
}

TEST(Mend, TypographicCharacters) {
  EXPECT_EQ(mended("x = \xe2\x80\x9c"
                   "a\xe2\x80\x9d\n" +
                       std::string(k_model),
                   "typographic characters"),
            "x = \"a\"\n" + std::string(k_model));
  EXPECT_EQ(mended("x\xc2\xa0= 1\n" + std::string(k_model), "typographic characters"),
            "x = 1\n" + std::string(k_model));
  expect_untouched("x = 'a \xe2\x80\x9c b'  # \xe2\x80\x99\n" + std::string(k_model),
                   "in a string");
}

TEST(Mend, Tabs) {
  const std::string head = "import torch.nn as nn\nclass ModelNew(nn.Module):\n";
  EXPECT_EQ(mended(head + "    x = 1\n\ty = '\t'\n", "tabs"), head + "    x = 1\n    y = '\t'\n");
  expect_untouched(head + "\tx = 1\n\ty = 2\n", "tabs alone");
}

TEST(Mend, TestCode) {
  const std::string main = "if __name__ == \"__main__\":\n    print(ModelNew())\n";
  EXPECT_EQ(mended(k_model + main, "test code"), k_model);
  const std::string tail = "model = ModelNew(*get_init_inputs())\nprint(model)\n";
  EXPECT_EQ(mended(k_model + tail, "test code"), k_model);
  expect_untouched(std::string(k_model) + "def get_inputs():\n  return []\nx = get_inputs()\n",
                   "its own get_inputs");
}

TEST(Mend, RenamedClass) {
  const std::string fast = "import torch.nn as nn\nclass Fast(nn.Module):\n  pass\n";
  EXPECT_EQ(mended(fast, "renamed class"), fast + "\n\nModelNew = Fast\n");
  const std::string two =
      "import torch.nn as nn\nclass Model(nn.Module):\n  pass\n" + fast.substr(fast.find("class"));
  EXPECT_EQ(mended(two, "renamed class"), two + "\n\nModelNew = Model\n");
  const std::string used =
      "import torch.nn as nn\nclass Part(nn.Module):\n  pass\n"
      "class Whole(nn.Module):\n  x = Part()\n";
  EXPECT_EQ(mended(used, "renamed class"), used + "\n\nModelNew = Whole\n");
}

TEST(Mend, MissingImports) {
  const std::string body =
      "class ModelNew(nn.Module):\n  def forward(self, x):\n    return F.relu(x)\n";
  EXPECT_EQ(mended(body, "missing import"),
            "import torch.nn as nn\nimport torch.nn.functional as F\n" + body);
  const std::string kernel = "\"\"\"Doc.\"\"\"\nk = cpp_kernel(S, 'k')\n";
  EXPECT_EQ(mended(kernel + k_model, "missing import"),
            "\"\"\"Doc.\"\"\"\nfrom cupel.inline import cpp_kernel\nk = cpp_kernel(S, 'k')\n" +
                std::string(k_model));
  expect_untouched("from torch import *\n" + body, "a star may bring it");
}

TEST(Mend, MissingIncludes) {
  const std::string head = "from cupel.inline import cpp_kernel\nS = r\"\"\"\n";
  const std::string code =
      "extern \"C\" void k(float* x, int64_t n) { x[0] = std::exp(x[0]); }\n\"\"\"\n";
  const std::string end = "k = cpp_kernel(S, 'k')\n" + std::string(k_model);
  EXPECT_EQ(mended(head + code + end, "missing include"),
            head + "#include <cmath>\n#include <cstdint>\n" + code + end);
  expect_untouched(head + "#include <math.h>\n#include <cstdint>\n" + code + end, "included");
}

TEST(Mend, MovesToAGpu) {
  const std::string line = "x = torch.ones(3).cuda()\ny = x.to(\"cuda\")\nz = '.cuda()'\n";
  const std::string source = "import torch\n" + line + k_model;
  EXPECT_EQ(mended(source, "moved to a GPU"),
            "import torch\nx = torch.ones(3)\ny = x\nz = '.cuda()'\n" + std::string(k_model));
  EXPECT_EQ(mend(source, "cuda").rules, Names{});
}

TEST(Mend, LeavesWhatIsRightAlone) {
  const auto home = home_directory();
  ASSERT_TRUE(home);
  int seen = 0;
  for (const auto* folder : {"tasks/winners", "tests/honest"}) {
    for (const auto& entry : std::filesystem::directory_iterator(*home / folder)) {
      if (entry.path().extension() != ".py") continue;
      const auto source = read_file(entry.path(), 1 << 20);
      ASSERT_TRUE(source);
      expect_untouched(*source, entry.path().string());
      EXPECT_EQ(why_unusable(*source), "") << entry.path();
      ++seen;
    }
  }
  EXPECT_GT(seen, 20);
}

TEST(Mend, LeavesSeedsAlone) {
  for (const Seed& seed : portfolio(sample_task(), sample_facts(), Policy::half, Effort::full)) {
    expect_untouched(seed.source, seed.name);
    EXPECT_EQ(why_unusable(seed.source), "") << seed.name;
  }
}

TEST(WhyUnusable, SaysWhatIsMissing) {
  EXPECT_EQ(why_unusable("  \n"), "it is empty");
  EXPECT_EQ(why_unusable("x = 1\n"), "the code defines no class ModelNew");
  EXPECT_NE(why_unusable("x = 1\nS = r'''\nfloat").find("line 2"), std::string::npos);
  EXPECT_EQ(why_unusable("class ModelNew(nn.Module):\n  x = 1\n"), "ModelNew has no forward");
}

}  // namespace
}  // namespace cupel::propose
