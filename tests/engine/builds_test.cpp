#include "engine/evaluate/builds.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/files.h"
#include "python_command.h"
#include "sandbox/jail.h"

namespace cupel::engine {
namespace {

namespace fs = std::filesystem;

std::string candidate_with(const std::string& kernel) {
  return fmt::format(
      "import torch.nn as nn\nfrom cupel.inline import cpp_kernel\n"
      "kernel = cpp_kernel('''{}''', \"kernel\")\n\n\n"
      "class ModelNew(nn.Module):\n    def forward(self, x):\n        return kernel()\n",
      kernel);
}

constexpr double k_build_seconds_max = 120;

class BuildsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create(fs::temp_directory_path(), "cupel-builds-test");
    ASSERT_TRUE(made.has_value());
    directory_ = std::make_unique<TempDir>(std::move(*made));
    const auto home = home_directory();
    ASSERT_TRUE(home.has_value()) << home.error().describe();
    const auto python = measure::inspect_python(testing_tools::python());
    if (!python) GTEST_SKIP() << python.error().describe();
    session_.python = *python;
    session_.home = *home;
    session_.build_cache = directory_->path();
    session_.unjailed = !sandbox::probe_grade(false).has_value();
    session_.device = measure::open_cpu();
  }

  std::size_t libraries() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(directory_->path())) {
      count += entry.path().extension() == ".so" ? 1 : 0;
    }
    return count;
  }

  // As python/cupel/inline.py asks for it.
  static measure::BuildAsk ask_for(const std::string& kernel) {
    return {"cpp",  "kernel",        "#line 1 \"kernel.cpp\"\n" + kernel,
            flags_, KernelBody::own, k_build_seconds_max};
  }

  static inline const std::vector<std::string> flags_{"-O3",
                                                      "-march=native",
                                                      "-std=c++20",
                                                      "-fopenmp",
                                                      "-ffp-contract=fast",
                                                      "-fno-math-errno",
                                                      "-fno-trapping-math",
                                                      "-fPIC",
                                                      "-shared",
                                                      "-fmax-errors=20",
                                                      "-fdiagnostics-color=never"};
  std::unique_ptr<TempDir> directory_;
  measure::SessionSettings session_;
};

TEST_F(BuildsTest, WhatIsBuiltAheadIsFoundWhenAHostAsks) {
  Builds builds(session_);
  const std::string kernel = "extern \"C\" int kernel() { return 42; }";
  const Status ahead = builds.build_ahead(make_candidate(candidate_with(kernel), "c"));
  ASSERT_TRUE(ahead) << ahead.error().describe();
  ASSERT_EQ(libraries(), 1u);
  const auto answer = builds.answer(ask_for(kernel));
  EXPECT_TRUE(answer.built) << answer.log;
  EXPECT_EQ(libraries(), 1u) << "the host asked for what was there";
}

TEST_F(BuildsTest, WhatACompilerRejectsIsToldWithItsWords) {
  Builds builds(session_);
  const std::string kernel = "extern \"C\" int kernel() { return undeclared_name; }";
  const Status ahead = builds.build_ahead(make_candidate(candidate_with(kernel), "c"));
  ASSERT_TRUE(ahead) << ahead.error().describe();
  const auto answer = builds.answer(ask_for(kernel));
  EXPECT_FALSE(answer.built);
  EXPECT_NE(answer.log.find("undeclared_name"), std::string::npos) << answer.log;
}

TEST_F(BuildsTest, WhatAsksForNothingBuildsNothing) {
  Builds builds(session_);
  EXPECT_TRUE(builds.build_ahead(make_candidate("class ModelNew: pass", "c")));
  EXPECT_EQ(libraries(), 0u);
}

}  // namespace
}  // namespace cupel::engine
