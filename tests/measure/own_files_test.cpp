#include "measure/jail/own_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "base/files.h"
#include "sandbox/jail.h"

namespace cupel::measure {
namespace {

namespace fs = std::filesystem;

class OwnFiles : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* file :
         {"root/pkg/__init__.py", "root/pkg/model.py", "root/pkg/deep/data.bin", "root/pkg/.env",
          "root/pkg/deep/.git/config", "root/pkg/runs/7/journal.sqlite",
          "root/pkg/runs/7/winner.py", "root/.env", "root/notes.txt", "root/single.py"}) {
      write(file);
    }
    fs::create_symlink(".env", at("root/pkg/link"));
  }
  fs::path at(const std::string& path) const { return directory_.path() / path; }
  void write(const std::string& file) const {
    fs::create_directories(at(file).parent_path());
    std::ofstream(at(file)) << "SEEN\n";
  }

  // What of these files a jail with the binds shows, without `directory_` before it.
  std::string seen_in_jail(const std::vector<sandbox::Bind>& binds) const {
    sandbox::JailRequest request;
    request.argv = {"sh", "-c", "grep -rl SEEN " + directory_.path().string() + " 2>&- | sort"};
    request.environment = {"PATH=/usr/bin:/bin"};
    request.binds = binds;
    request.scratch_bytes_max = 1 << 20;
    request.memory_bytes_max = 1ULL << 30;
    request.processes_max = 16;
    const auto run = sandbox::run_in_jail(request, "", 30, 1 << 16);
    EXPECT_TRUE(run.has_value());
    std::string seen = run ? run->output : "";
    const std::string before = directory_.path().string() + "/";
    for (std::size_t i = seen.find(before); i != seen.npos; i = seen.find(before)) {
      seen.erase(i, before.size());
    }
    return seen;
  }

  TempDir directory_ = TempDir::create(fs::path(testing::TempDir()), "own_files_test").value();
};

TEST_F(OwnFiles, APackageIsShownWithoutHiddenFilesAndRuns) {
  if (!sandbox::probe_grade(false)) GTEST_SKIP() << "needs bubblewrap";
  EXPECT_EQ(seen_in_jail(own_files(at("root/pkg"))),
            "root/pkg/__init__.py\nroot/pkg/deep/data.bin\nroot/pkg/model.py\n");
}

TEST_F(OwnFiles, AModuleIsShownAlone) {
  if (!sandbox::probe_grade(false)) GTEST_SKIP() << "needs bubblewrap";
  EXPECT_EQ(seen_in_jail(own_files(at("root/single.py"))), "root/single.py\n");
}

TEST_F(OwnFiles, ATasksDirectoryIsShownWithoutWhatItHides) {
  if (!sandbox::probe_grade(false)) GTEST_SKIP() << "needs bubblewrap";
  const std::string seen = seen_in_jail(own_directory(at("root")));
  EXPECT_NE(seen.find("root/notes.txt\n"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("root/.env\n"), std::string::npos) << seen;
}

TEST_F(OwnFiles, ATasksDirectoryIsShownWithoutRuns) {
  if (!sandbox::probe_grade(false)) GTEST_SKIP() << "needs bubblewrap";
  for (const char* file :
       {"root/mine/journal.sqlite", "root/runs/1/journal.sqlite", "root/runs/1/winner.py",
        "root/runs/2/journal.sqlite", "root/runs/tasks/net.py", "root/runs/tasks/net.pt",
        "root/runs/suite/cupel/gelu/0/journal.sqlite",
        "root/runs/suite/cupel/gelu/1/journal.sqlite", "root/one/run/journal.sqlite",
        "root/one/kept.txt"}) {
    write(file);
  }
  EXPECT_EQ(seen_in_jail(own_directory(at("root"))),
            "root/notes.txt\nroot/one/kept.txt\nroot/pkg/.env\nroot/pkg/__init__.py\n"
            "root/pkg/deep/.git/config\nroot/pkg/deep/data.bin\nroot/pkg/model.py\n"
            "root/runs/tasks/net.pt\nroot/runs/tasks/net.py\nroot/single.py\n");
}

TEST_F(OwnFiles, ManyRunsTakeFewBinds) {
  for (int i = 0; i < 300; ++i) {
    write("root/runs/" + std::to_string(i) + "/journal.sqlite");
    write("root/suites/a/b/" + std::to_string(i) + "/0/journal.sqlite");
  }
  write("root/runs/tasks/net.py");
  EXPECT_LT(own_directory(at("root")).size(), 10U);
}

// As a project has its Python: what hides the directory of that name must not keep it away.
TEST_F(OwnFiles, WhatAJailNeedsIsSeenInAHiddenDirectory) {
  if (!sandbox::probe_grade(false)) GTEST_SKIP() << "needs bubblewrap";
  write("root/.venv/lib/installed.py");
  write("root/.venv/notes.txt");
  for (auto binds : {own_directory(at("root")), own_files(at("root"))}) {
    binds.push_back({at("root/.venv/lib"), {}, false});
    const std::string seen = seen_in_jail(binds);
    EXPECT_NE(seen.find("root/.venv/lib/installed.py\n"), std::string::npos) << seen;
    EXPECT_EQ(seen.find("root/.venv/notes.txt\n"), std::string::npos) << seen;
  }
}

TEST_F(OwnFiles, ALaterBindMayCoverAHiddenDirectory) {
  if (!sandbox::probe_grade(false)) GTEST_SKIP() << "needs bubblewrap";
  write("root/.cache/notes.txt");
  auto binds = own_directory(at("root"));
  binds.push_back({directory_.path(), {}, false});
  EXPECT_NE(seen_in_jail(binds).find("root/.cache/notes.txt\n"), std::string::npos);
}

TEST_F(OwnFiles, WhatIsNotThereGivesNothing) {
  EXPECT_TRUE(own_files(at("nowhere")).empty());
  EXPECT_TRUE(own_directory(at("nowhere")).empty());
  EXPECT_TRUE(own_directory("/").empty());
}

TEST_F(OwnFiles, WhatIsInstalledIsNobodysOwn) {
  const std::vector<std::string> paths{"/usr/lib/python3/os.py", "/env/lib/site/numpy", "/env2/pkg",
                                       "/home/a/pkg", "/env/lib"};
  EXPECT_EQ(not_installed(paths, {"/env/lib"}),
            (std::vector<fs::path>{"/env2/pkg", "/home/a/pkg"}));
}

}  // namespace
}  // namespace cupel::measure
