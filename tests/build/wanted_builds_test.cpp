#include "build/wanted_builds.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "build/cpp_builder.h"
#include "build/python_tools.h"
#include "sandbox/jail.h"

namespace cupel::build {
namespace {

constexpr double k_seconds_max = 120;
constexpr const char* k_candidate = R"(
import torch
import torch.nn as nn
from cupel.inline import cpp_kernel

answer = cpp_kernel('extern "C" int answer() { return 42; }', "answer")


class ModelNew(nn.Module):
    def forward(self, x):
        return x + answer()
)";

std::vector<WantedBuild> wanted(const char* source) {
  const auto home = home_directory();
  EXPECT_TRUE(home.has_value()) << home.error().describe();
  const auto work = TempDir::create(std::filesystem::temp_directory_path(), "cupel-build-test");
  EXPECT_TRUE(work.has_value());
  const bool unjailed = !sandbox::probe_grade(false).has_value();
  const PythonTools tools = testing_tools::python_tools(*home, "os");
  const auto found = wanted_builds(tools, "", source, work->path(), unjailed, k_seconds_max);
  EXPECT_TRUE(found.has_value()) << found.error().describe();
  return found.value_or(std::vector<WantedBuild>());
}

TEST(WantedBuilds, OnlySourcesThatSpeakOfADoorAreAsked) {
  EXPECT_TRUE(may_want_builds("from cupel.inline import cpp_kernel"));
  EXPECT_TRUE(may_want_builds("cpp_extension.load_inline(...)"));
  EXPECT_FALSE(may_want_builds("import torch\nclass ModelNew: pass"));
}

// What is found is what a host would ask for: the builder takes it as it is.
TEST(WantedBuilds, AreFoundWithoutTorchAndBuild) {
  const auto found = wanted(k_candidate);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "cpp");
  EXPECT_EQ(found[0].name, "answer");
  const auto cache = TempDir::create(std::filesystem::temp_directory_path(), "cupel-build-test");
  const CppBuilder builder(cache->path(), !sandbox::probe_grade(false).has_value());
  const auto artifact =
      builder.build({found[0].name, found[0].source, found[0].flags, k_seconds_max});
  ASSERT_TRUE(artifact.has_value()) << artifact.error().describe();
  EXPECT_TRUE(artifact->built) << artifact->log;
}

TEST(WantedBuilds, WhatFailsWantsNothing) {
  EXPECT_TRUE(wanted("def (").empty());
  EXPECT_TRUE(wanted("import os\nos._exit(3)").empty());
}

}  // namespace
}  // namespace cupel::build
