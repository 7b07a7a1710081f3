#include "engine/evaluate/kept_lint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"

namespace cupel::engine {
namespace {

namespace fs = std::filesystem;

class KeptLintTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create(fs::temp_directory_path(), "cupel-kept-lint-test");
    ASSERT_TRUE(made.has_value());
    directory_ = std::make_unique<TempDir>(std::move(*made));
    settings_.home = directory_->path();
    settings_.python.executable = "/usr/bin/python3";
    settings_.python.version = "3.11.2";
    settings_.python.torch_version = "2.13.0";
    settings_.device = measure::open_cpu();
    settings_.threads = 1;
    ASSERT_TRUE(make_directories(directory_->path() / "python/cupel").has_value());
    write("python/cupel/admission.py", "SAMPLES_MIN = 2\n");
    write("numbers.txt", "1 2 3\n");
    task_.id = "an id";
    task_.source = "class Model: ...\n";
    task_.path = "/home/user/task.py";
  }

  void write(const char* name, std::string_view text) const {
    ASSERT_TRUE(write_file_atomic(directory_->path() / name, text).has_value());
  }

  std::string key() const {
    return lint_key(settings_, task_, Policy::eager, {directory_->path() / "numbers.txt"});
  }

  std::unique_ptr<TempDir> directory_;
  measure::SessionSettings settings_;
  Task task_;
};

AdmissionEvidence some_evidence() {
  AdmissionEvidence evidence;
  evidence.oracle = "float64";
  evidence.half_way = "autocast to bfloat16";
  evidence.uses_tf32 = true;
  evidence.no_near_ties = {"shifted"};
  evidence.classes = {{"nominal", true, "", {{.rms = 1e-7, .max = 3e-7}}}};
  evidence.notes = {"input 1 has the same values every time"};
  return evidence;
}

TEST_F(KeptLintTest, AKeyStaysWhileNothingChanges) {
  EXPECT_FALSE(key().empty());
  EXPECT_EQ(key(), key());
}

TEST_F(KeptLintTest, WhateverALintDependsOnChangesItsKey) {
  std::vector<std::string> keys{key()};
  const auto note = [&] { keys.push_back(key()); };
  task_.source += "# another\n";
  note();
  task_.id = "another id";
  note();
  task_.path = "/home/user/other.py";
  note();
  task_.import_root = "/home/user/model";
  note();
  task_.weights_id = "of other weights";
  note();
  settings_.python.torch_version = "2.14.0";
  note();
  settings_.python.version = "3.12.1";
  note();
  settings_.python.executable = "/opt/python3";
  note();
  settings_.threads = 2;
  note();
  write("python/cupel/admission.py", "SAMPLES_MIN = 3\n");
  note();
  write("python/cupel/compare.py", "");
  note();
  write("numbers.txt", "1 2 4\n");
  note();
  keys.push_back(lint_key(settings_, task_, Policy::exact, {directory_->path() / "numbers.txt"}));
  keys.push_back(lint_key(settings_, task_, Policy::exact, {}));
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST_F(KeptLintTest, AFileThatCannotBeReadLeavesNoKey) {
  EXPECT_EQ(lint_key(settings_, task_, Policy::eager, {directory_->path() / "missing"}), "");
}

TEST_F(KeptLintTest, WhatIsKeptIsFound) {
  const KeptLints lints(directory_->path() / "lints");
  EXPECT_EQ(lints.find(key()), std::nullopt);
  lints.keep(key(), some_evidence());
  const auto found = lints.find(key());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(encode(*found), encode(some_evidence()));
}

TEST_F(KeptLintTest, WhatIsDroppedIsGone) {
  const KeptLints lints(directory_->path() / "lints");
  lints.keep(key(), some_evidence());
  lints.drop(key());
  EXPECT_EQ(lints.find(key()), std::nullopt);
  lints.drop(key());
  lints.drop("");
}

TEST_F(KeptLintTest, WhatHasNoKeyIsNotKept) {
  const KeptLints lints(directory_->path() / "lints");
  lints.keep("", some_evidence());
  EXPECT_FALSE(fs::exists(directory_->path() / "lints"));
  EXPECT_EQ(lints.find(""), std::nullopt);
}

TEST_F(KeptLintTest, AFileThatIsNoLintIsNone) {
  const KeptLints lints(directory_->path() / "lints");
  lints.keep(key(), some_evidence());
  write(("lints/" + key() + ".json").c_str(), "{\"oracle\":");
  EXPECT_EQ(lints.find(key()), std::nullopt);
}

}  // namespace
}  // namespace cupel::engine
