// A scenario: a candidate's text whose header says what verdict it must get.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/verdict.h"

namespace cupel::scenarios {

struct Scenario {
  std::filesystem::path path;
  std::string source;
  std::string task;    // name of a task of tests/scenarios/tasks or tasks
  std::string policy;  // "" for the task's own
  std::string why;
  std::vector<std::string> expected;  // "wrong(range)", "suspect", "correct"; any of them will do
  double time_limit_s = 0;
  bool slow = false;
};

// Reads `# key: value` lines from the top of the file; a missing task or expectation is an error.
Result<Scenario> read_scenario(const std::filesystem::path& path);

// All scenarios of a folder, by name.
Result<std::vector<Scenario>> read_folder(const std::filesystem::path& folder);

bool meets(const Scenario& scenario, const Verdict& verdict);

}  // namespace cupel::scenarios
