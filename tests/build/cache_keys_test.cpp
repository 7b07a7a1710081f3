// A library is taken from the cache only where the same would be built.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/files.h"
#include "build/extension_builder.h"

namespace cupel::build {
namespace {

namespace fs = std::filesystem;

const CppRequest k_kernel{"scale", "void scale();", {"-O2", "-mavx2"}, 10};
const Toolchain k_cpp{"g++ 12.2.0 x86_64-linux-gnu", "flags : sse4_2 avx2"};
const ExtensionToolchain k_toolchain{k_cpp, "release 12.4, V12.4.131", "/usr/bin/python3",
                                     "3.11.7 torch 2.8.0", "digest"};

TEST(CacheKeys, AKernelsHasAllThatItsBytesFollowFrom) {
  std::set<std::string> keys{library_key(k_kernel, k_cpp)};
  CppRequest request = k_kernel;
  request.source += " ";
  keys.insert(library_key(request, k_cpp));
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
           {"-O2"}, {"-mavx2", "-O2"}, {"-O2-mavx2"}, {"-O2 -mavx2"}, {"-O2", "-mavx2", ""}, {}}) {
    request = k_kernel;
    request.flags = flags;
    keys.insert(library_key(request, k_cpp));
  }
  keys.insert(library_key(k_kernel, {"g++ 12.3.0 x86_64-linux-gnu", k_cpp.processor}));
  keys.insert(library_key(k_kernel, {k_cpp.compiler, k_cpp.processor + " avx512f"}));
  EXPECT_EQ(keys.size(), 10U);
}

TEST(CacheKeys, AKernelsHasNothingElse) {
  CppRequest request = k_kernel;
  request.name = "other";
  request.seconds_max = 20;
  EXPECT_EQ(library_key(request, k_cpp), library_key(k_kernel, k_cpp));
}

TEST(CacheKeys, AnExtensionsHasAllThatItsBytesFollowFrom) {
  std::set<std::string> keys{extension_key("{}", k_toolchain), extension_key("{ }", k_toolchain)};
  const auto with = [&keys](auto change) {
    ExtensionToolchain other = k_toolchain;
    change(other);
    keys.insert(extension_key("{}", other));
  };
  with([](auto& other) { other.cpp.compiler = "g++ 13"; });
  with([](auto& other) { other.cpp.processor += " avx512f"; });
  with([](auto& other) { other.nvcc = "release 12.5, V12.5.40"; });
  with([](auto& other) { other.python = "/usr/bin/python3.12"; });
  with([](auto& other) { other.identity = "3.11.7 torch 2.9.0"; });
  with([](auto& other) { other.own_files = "another"; });
  EXPECT_EQ(keys.size(), 8U);
}

TEST(CacheKeys, KindsOfLibrariesShareNone) {
  EXPECT_NE(extension_key("", {}), library_key({}, {}));
}

TEST(CacheKeys, TheProcessorsFeaturesAreKnown) {
  EXPECT_GT(processor_features().size(), 20U);
}

class OwnFilesDigest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* file : {"extension_builder.py", "light_extension.py", "light_headers/a.h",
                             "light_headers/torch/b.h"}) {
      write(file, file);
    }
  }
  void write(const std::string& file, const std::string& text) {
    const fs::path path = home_.path() / "python/cupel" / file;
    fs::create_directories(path.parent_path());
    ASSERT_TRUE(write_file_atomic(path, text));
  }
  std::string digest() const {
    const auto found = own_files_digest(home_.path());
    EXPECT_TRUE(found.has_value());
    return found.value_or("");
  }
  TempDir home_ = TempDir::create(fs::path(testing::TempDir()), "own_files_digest").value();
};

TEST_F(OwnFilesDigest, ChangesWithTextsNamesAndFiles) {
  std::set<std::string> digests{digest()};
  EXPECT_EQ(digests.count(digest()), 1U);
  write("light_headers/a.h", "changed");
  digests.insert(digest());
  write("light_extension.py", "changed");
  digests.insert(digest());
  write("light_headers/torch/c.h", "");
  digests.insert(digest());
  fs::rename(home_.path() / "python/cupel/light_headers/torch/c.h",
             home_.path() / "python/cupel/light_headers/c.h");
  digests.insert(digest());
  write("inline.py", "no part of an extension");
  digests.insert(digest());
  EXPECT_EQ(digests.size(), 5U);
}

TEST_F(OwnFilesDigest, IsAnErrorWhereOneIsMissing) {
  fs::remove(home_.path() / "python/cupel/light_extension.py");
  EXPECT_FALSE(own_files_digest(home_.path()).has_value());
}

}  // namespace
}  // namespace cupel::build
