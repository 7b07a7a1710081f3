#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace cupel {
namespace {
namespace fs = std::filesystem;

// Sets a variable and puts the old value back.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { ::setenv(name_, old_.c_str(), 1); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

class Files : public testing::Test {
 protected:
  fs::path at(const std::string& name) const { return dir_.path() / name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir_.path()), {}));
  }
  TempDir dir_ = TempDir::create(testing::TempDir(), "files_test").value();
};

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) != -1;
}

TEST_F(Files, UniqueFdClosesOnDestruction) {
  const int raw = ::open("/dev/null", O_RDONLY);
  { UniqueFd owner(raw); }
  EXPECT_FALSE(is_open(raw));
}

TEST_F(Files, UniqueFdMovesOwnership) {
  UniqueFd first(::open("/dev/null", O_RDONLY));
  const int raw = first.get();
  UniqueFd second = std::move(first);
  EXPECT_EQ(second.get(), raw);
  EXPECT_TRUE(is_open(raw));
  UniqueFd third(::open("/dev/null", O_RDONLY));
  const int overwritten = third.get();
  third = std::move(second);
  EXPECT_FALSE(is_open(overwritten));
  EXPECT_EQ(third.release(), raw);
  EXPECT_FALSE(third.valid());
  EXPECT_TRUE(is_open(raw));
  ::close(raw);
}

TEST_F(Files, WritesAndReadsBackEveryByte) {
  std::string bytes;
  for (int i = 0; i < 200000; ++i) bytes += static_cast<char>(i % 256);
  ASSERT_TRUE(write_file_atomic(at("x"), bytes));
  EXPECT_EQ(read_file(at("x"), bytes.size()).value(), bytes);
}

TEST_F(Files, ReadStopsAtTheLimit) {
  ASSERT_TRUE(write_file_atomic(at("x"), "12345"));
  EXPECT_EQ(read_file(at("x"), 5).value(), "12345");
  const auto refused = read_file(at("x"), 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().tag, ErrorTag::input);
  EXPECT_NE(refused.error().describe().find("larger than 4 bytes"), std::string::npos);
}

TEST_F(Files, ReadOfAnEndlessFileStopsAtTheLimit) {
  const auto refused = read_file("/dev/zero", 1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().tag, ErrorTag::input);
}

TEST_F(Files, MissingFileIsAnInputErrorThatNamesIt) {
  const auto missing = read_file(at("nothing.py"), 10);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().tag, ErrorTag::input);
  EXPECT_EQ(missing.error().where, at("nothing.py").string());
  EXPECT_NE(missing.error().what.find("No such file"), std::string::npos);
}

// A reader that opened the file before the write keeps the old content whole.
TEST_F(Files, AtomicWriteReplacesTheFileNotItsContent) {
  ASSERT_TRUE(write_file_atomic(at("x"), "old content"));
  std::ifstream reader(at("x"));
  ASSERT_TRUE(write_file_atomic(at("x"), "new"));
  std::string seen;
  std::getline(reader, seen);
  EXPECT_EQ(seen, "old content");
  EXPECT_EQ(read_file(at("x"), 100).value(), "new");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, FailedWriteLeavesNothingBehind) {
  ASSERT_TRUE(make_directories(at("x/full")));
  EXPECT_FALSE(write_file_atomic(at("x"), "a directory is in the way"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, WriteIntoAMissingDirectoryFails) {
  const auto failed = write_file_atomic(at("no/such/x"), "bytes");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().what.find("No such file"), std::string::npos);
}

TEST_F(Files, MakeDirectoriesIsIdempotent) {
  EXPECT_TRUE(make_directories(at("a/b/c")));
  EXPECT_TRUE(make_directories(at("a/b/c")));
  EXPECT_TRUE(fs::is_directory(at("a/b/c")));
}

TEST_F(Files, MakeDirectoriesBelowAFileIsAnEnvironmentError) {
  ASSERT_TRUE(write_file_atomic(at("x"), ""));
  const auto failed = make_directories(at("x/y"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().tag, ErrorTag::environment);
}

TEST_F(Files, TempDirIsPrivateAndGoesAway) {
  fs::path path;
  {
    const auto temp = TempDir::create(dir_.path(), "t").value();
    path = temp.path();
    ASSERT_TRUE(make_directories(path / "deep/er"));
    ASSERT_TRUE(write_file_atomic(path / "deep/er/x", "1"));
    EXPECT_EQ(fs::status(path).permissions() & fs::perms::all, fs::perms::owner_all);
    EXPECT_EQ(path.filename().string().rfind("t.", 0), 0U);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Files, TempDirsDiffer) {
  const auto first = TempDir::create(dir_.path(), "t").value();
  const auto second = TempDir::create(dir_.path(), "t").value();
  EXPECT_NE(first.path(), second.path());
}

TEST_F(Files, MovedTempDirLivesOnInItsNewOwner) {
  auto first = TempDir::create(dir_.path(), "t").value();
  const fs::path kept = first.path();
  auto second = TempDir::create(dir_.path(), "t").value();
  const fs::path dropped = second.path();
  second = std::move(first);
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_FALSE(fs::exists(dropped));
}

TEST_F(Files, CacheDirectoryFollowsTheEnvironment) {
  const ScopedVariable chosen("CUPEL_CACHE", "");
  const ScopedVariable xdg("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(cache_directory(), "/x/cupel");
  const ScopedVariable none("XDG_CACHE_HOME", "");
  const ScopedVariable home("HOME", "/h");
  EXPECT_EQ(cache_directory(), "/h/.cache/cupel");
  const ScopedVariable forced("CUPEL_CACHE", "/forced");
  EXPECT_EQ(cache_directory(), "/forced");
}

TEST_F(Files, HomeDirectoryFollowsTheEnvironment) {
  const ScopedVariable chosen("CUPEL_HOME", "/somewhere");
  EXPECT_EQ(home_directory().value(), "/somewhere");
  const ScopedVariable relative("CUPEL_HOME", "somewhere/else");
  EXPECT_EQ(home_directory().value(), fs::current_path() / "somewhere/else");
}

// Both ends of reading would wait: for a writer to open the pipe, and for its text.
TEST_F(Files, PipesDevicesAndDirectoriesAreNoFilesToRead) {
  const fs::path pipe = at("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink(pipe, at("link"));
  for (const fs::path& path : {pipe, at("link"), fs::path("/dev/zero"), dir_.path()}) {
    const auto read = read_file(path, 1 << 20);
    ASSERT_FALSE(read.has_value()) << path;
    EXPECT_EQ(read.error().tag, ErrorTag::input);
    EXPECT_EQ(read.error().where, path.string());
    EXPECT_EQ(read.error().what, "not a regular file");
  }
}

TEST_F(Files, DirectoriesOfKilledProcessesAreSweptAndOthersAreNot) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto left = TempDir::create(dir_.path(), "left");
    ::_exit(left && write_file_atomic(left->path() / "file", "x") ? 0 : 1);  // nothing is cleaned
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const TempDir used = TempDir::create(dir_.path(), "used").value();
  ASSERT_TRUE(write_file_atomic(at("kernel.abcdef"), "a file"));
  fs::create_directories(at("plain"));
  EXPECT_EQ(entries(), 4u);
  sweep_temp_dirs(dir_.path());
  EXPECT_EQ(entries(), 3u);
  EXPECT_TRUE(fs::exists(used.path()));
}

TEST_F(Files, SweepersAndMakersDoNotDisturbEachOther) {
  std::atomic<bool> stop{false};
  std::thread sweeper([&] {
    while (!stop) sweep_temp_dirs(dir_.path());
  });
  constexpr int k_directories = 300;
  int kept = 0;
  for (int i = 0; i < k_directories; ++i) {
    const auto made = TempDir::create(dir_.path(), "made");
    kept += made && write_file_atomic(made->path() / "file", "x").has_value() ? 1 : 0;
  }
  stop = true;
  sweeper.join();
  EXPECT_EQ(kept, k_directories);
}

}  // namespace
}  // namespace cupel
