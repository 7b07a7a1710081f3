#include "build/kernel_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <csignal>

#include "base/files.h"
#include "build/cpp_builder.h"
#include "sandbox/jail.h"

namespace cupel::build {
namespace {

const std::vector<std::string> k_flags{"-O2", "-shared", "-fPIC"};
constexpr const char* k_source = R"(
extern "C" int answer() { return 42; }
extern "C" float half(float x) { return x / 2; }
extern "C" void store(int* to) { *to = 7; }
)";

class KernelLibrary : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create(std::filesystem::temp_directory_path(), "cupel-kernel-test");
    ASSERT_TRUE(made.has_value());
    directory_ = std::make_unique<TempDir>(std::move(*made));
    CppBuilder builder(directory_->path(), !sandbox::probe_grade(false).has_value());
    const auto built = builder.build({"answer", k_source, k_flags, 120});
    ASSERT_TRUE(built && built->built);
    library_ = built->path;
  }

  Artifact with(const std::string& function, KernelBody body) {
    auto artifact = with_body(library_, function, body, directory_->path());
    EXPECT_TRUE(artifact.has_value()) << artifact.error().describe();
    return artifact ? *artifact : Artifact{};
  }

  // Of the library of that artifact.
  template <class Function>
  Function* function_of(const Artifact& artifact, const char* name) {
    void* const library = ::dlopen(artifact.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << ::dlerror();
    return reinterpret_cast<Function*>(::dlsym(library, name));
  }

  std::unique_ptr<TempDir> directory_;
  std::filesystem::path library_;
};

TEST_F(KernelLibrary, AFunctionThatReturnsAtOnceDoesNothing) {
  const Artifact idle = with("store", KernelBody::returns);
  ASSERT_TRUE(idle.built) << idle.log;
  int stored = 0;
  function_of<void(int*)>(idle, "store")(&stored);
  EXPECT_EQ(stored, 0);
  EXPECT_EQ(function_of<int()>(idle, "answer")(), 42);
}

TEST_F(KernelLibrary, ResultsOfAnIdleFunctionAreZero) {
  EXPECT_EQ(function_of<int()>(with("answer", KernelBody::returns), "answer")(), 0);
  EXPECT_EQ(function_of<float(float)>(with("half", KernelBody::returns), "half")(3), 0);
}

TEST_F(KernelLibrary, ATrapEndsWhoCallsIt) {
  const Artifact trap = with("answer", KernelBody::traps);
  ASSERT_TRUE(trap.built) << trap.log;
  EXPECT_EXIT(function_of<int()>(trap, "answer")(), testing::KilledBySignal(SIGILL), "");
}

TEST_F(KernelLibrary, ItsOwnBodyChangesNoByte) {
  const Artifact same = with("answer", KernelBody::own);
  ASSERT_TRUE(same.built);
  EXPECT_EQ(read_file(same.path, 1 << 20).value(), read_file(library_, 1 << 20).value());
}

TEST_F(KernelLibrary, AFunctionThatIsNotThereIsNotReplaced) {
  const Artifact none = with("no_such_function", KernelBody::returns);
  EXPECT_FALSE(none.built);
  EXPECT_NE(none.log.find("no_such_function"), std::string::npos);
}

TEST_F(KernelLibrary, FilesThatAreNoLibrariesAreRefused) {
  const std::string whole = read_file(library_, 1 << 20).value();
  const auto path = directory_->path() / "broken.so";
  for (const std::string& bytes : {std::string(), std::string(100, 'x'), whole.substr(0, 80),
                                   whole.substr(0, whole.size() / 2),
                                   whole.substr(0, 16) + std::string(whole.size() - 16, '\xff')}) {
    ASSERT_TRUE(write_file_atomic(path, bytes));
    const auto artifact = with_body(path, "answer", KernelBody::returns, directory_->path());
    ASSERT_TRUE(artifact.has_value());
    EXPECT_FALSE(artifact->built) << bytes.size();
  }
}

}  // namespace
}  // namespace cupel::build
