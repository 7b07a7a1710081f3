#include "build/extension_builder.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "build/python_tools.h"
#include "sandbox/jail.h"

namespace cupel::build {
namespace {

constexpr const char* k_good = R"({"architectures": "", "arguments": {"name": "answer_extension",
  "cpp_sources": "#include <torch/extension.h>\nint answer() { return 42; }",
  "functions": ["answer"]}})";
constexpr const char* k_bad = R"({"architectures": "", "arguments": {"name": "broken_extension",
  "cpp_sources": "int answer() { return undeclared_name; }", "functions": ["answer"],
  "no_implicit_headers": true}})";

using testing_tools::torch_tools;

constexpr double k_seconds_max = 170;

class ExtensionBuilderTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto home = home_directory();
    ASSERT_TRUE(home.has_value()) << home.error().describe();
    tools_ = torch_tools(*home);
    if (tools_.identity.empty()) GTEST_SKIP() << "no torch; set CUPEL_PYTHON";
    auto made = TempDir::create(std::filesystem::temp_directory_path(), "cupel-build-test");
    ASSERT_TRUE(made.has_value());
    directory_ = std::make_unique<TempDir>(std::move(*made));
    unjailed_ = !sandbox::probe_grade(false).has_value();
    builder_ = std::make_unique<ExtensionBuilder>(directory_->path(), tools_, unjailed_);
  }
  Artifact build(const char* request) {
    auto artifact = builder_->build(request, k_seconds_max);
    EXPECT_TRUE(artifact.has_value()) << artifact.error().describe();
    return artifact ? *artifact : Artifact{};
  }
  PythonTools tools_;
  bool unjailed_ = false;
  std::unique_ptr<TempDir> directory_;
  std::unique_ptr<ExtensionBuilder> builder_;
};

TEST_F(ExtensionBuilderTest, BuildsOnceWhileItsLightHeadersAreTheSame) {
  const Artifact first = build(k_good);
  ASSERT_TRUE(first.built) << first.log;
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(std::filesystem::is_regular_file(first.path));
  const Artifact again = build(k_good);
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.path, first.path);
  // A copy of our own files with one header changed.
  PythonTools other = tools_;
  other.home = directory_->path() / "home";
  std::filesystem::create_directories(other.home);
  std::filesystem::copy(tools_.home / "python", other.home / "python",
                        std::filesystem::copy_options::recursive);
  std::ofstream(other.home / "python/cupel/light_headers/torch/types.h", std::ios::app) << "\n";
  builder_ = std::make_unique<ExtensionBuilder>(directory_->path(), other, unjailed_);
  const Artifact other_one = build(k_good);
  ASSERT_TRUE(other_one.built) << other_one.log;
  EXPECT_FALSE(other_one.from_cache);
  EXPECT_NE(other_one.path, first.path);
}

TEST_F(ExtensionBuilderTest, ReturnsTheCompilersWords) {
  const Artifact artifact = build(k_bad);
  EXPECT_FALSE(artifact.built);
  EXPECT_NE(artifact.log.find("undeclared_name"), std::string::npos) << artifact.log;
}

}  // namespace
}  // namespace cupel::build
