#include "build/cpp_builder.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "sandbox/jail.h"

namespace cupel::build {
namespace {

const std::vector<std::string> k_flags{"-O2", "-shared", "-fPIC"};
constexpr double k_seconds_max = 120;
constexpr const char* k_source = "extern \"C\" int answer() { return 42; }\n";

class CppBuilderTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create(std::filesystem::temp_directory_path(), "cupel-build-test");
    ASSERT_TRUE(made.has_value());
    directory_ = std::make_unique<TempDir>(std::move(*made));
    unjailed_ = !sandbox::probe_grade(false).has_value();
  }
  Artifact build(CppRequest request) {
    if (request.seconds_max == 0) request.seconds_max = k_seconds_max;
    CppBuilder builder(directory_->path(), unjailed_);
    auto artifact = builder.build(request);
    EXPECT_TRUE(artifact.has_value()) << artifact.error().describe();
    return artifact ? *artifact : Artifact{};
  }
  std::unique_ptr<TempDir> directory_;
  bool unjailed_ = false;
};

TEST_F(CppBuilderTest, BuildsALibraryThatRuns) {
  const Artifact artifact = build({"answer", k_source, k_flags});
  ASSERT_TRUE(artifact.built) << artifact.log;
  void* library = ::dlopen(artifact.path.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << ::dlerror();
  auto answer = reinterpret_cast<int (*)()>(::dlsym(library, "answer"));
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer(), 42);
  ::dlclose(library);
}

TEST_F(CppBuilderTest, TakesTheSameSourceFromTheCache) {
  EXPECT_FALSE(build({"answer", k_source, k_flags}).from_cache);
  EXPECT_TRUE(build({"answer", k_source, k_flags}).from_cache);
}

TEST_F(CppBuilderTest, OtherFlagsAreAnotherLibrary) {
  const auto first = build({"answer", k_source, k_flags});
  auto flags = k_flags;
  flags.push_back("-O3");
  EXPECT_NE(build({"answer", k_source, flags}).path, first.path);
}

TEST_F(CppBuilderTest, ReturnsTheCompilersWords) {
  const Artifact artifact = build({"broken", "int f() { return undeclared_name; }", k_flags});
  EXPECT_FALSE(artifact.built);
  EXPECT_NE(artifact.log.find("undeclared_name"), std::string::npos) << artifact.log;
}

TEST_F(CppBuilderTest, AFailedBuildLeavesNothingInTheCache) {
  build({"broken", "nonsense", k_flags});
  EXPECT_TRUE(std::filesystem::is_empty(directory_->path()));
}

// The tool neither reads its input, which no pipe would hold, nor ends.
TEST_F(CppBuilderTest, ABuildEndsAtItsCallersLimit) {
  auto flags = k_flags;
  flags.insert(flags.end(), {"-wrapper", "sh,-c,sleep 1000"});
  const std::string large = k_source + std::string(4 << 20, ' ');
  const Artifact artifact = build({"hangs", large, flags, 0.5});
  EXPECT_FALSE(artifact.built);
  EXPECT_TRUE(artifact.timed_out);
  EXPECT_TRUE(std::filesystem::is_empty(directory_->path()));
}

TEST_F(CppBuilderTest, AHugeLibraryIsRefusedAndLeavesNothing) {
  const char* const source = "asm(\".data\\n.fill 300000000, 1, 1\");\n";
  EXPECT_FALSE(build({"huge", source, k_flags}).built);
  EXPECT_TRUE(std::filesystem::is_empty(directory_->path()));
}

TEST_F(CppBuilderTest, WhatACompilerRunsLeavesNoFilesBehind) {
  if (unjailed_) GTEST_SKIP() << "needs bubblewrap";
  auto flags = k_flags;
  flags.insert(flags.end(),
               {"-wrapper", "sh,-c,touch ./planted /tmp/planted /out/planted; \"$@\",sh"});
  const Artifact artifact = build({"answer", k_source, flags});
  EXPECT_TRUE(artifact.built) << artifact.log;
  int files = 0;
  for ([[maybe_unused]] const auto& file :
       std::filesystem::recursive_directory_iterator(directory_->path())) {
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST_F(CppBuilderTest, TheJailKeepsFilesOutOfReach) {
  if (unjailed_) GTEST_SKIP() << "needs bubblewrap";
  const auto secret = directory_->path() / "secret.h";
  ASSERT_TRUE(write_file_atomic(secret, "#define SECRET 1\n").has_value());
  const auto artifact = build({"spy", "#include \"" + secret.string() + "\"\n", k_flags});
  EXPECT_FALSE(artifact.built);
}

}  // namespace
}  // namespace cupel::build
