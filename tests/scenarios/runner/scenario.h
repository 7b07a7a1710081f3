// A scenario: a candidate's text whose header says what verdict it must get.
#pragma once

#include <filesystem>
#include <map>
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
  std::string device;  // "cpu" or "cuda"; skipped where there is none
  std::string why;
  std::vector<std::string> expected;  // "wrong(range)", "suspect", "correct"; any of them will do
  double time_limit_s = 0;
  double ratio_min = 0;  // over the reference; 0: any
  // Whether its expectation hangs on how long something took.
  bool timed() const;
  bool slow = false;
  bool audited_if_slow = false;  // only where slow ones run, too
  bool audited = false;          // what is right is audited too, as a winner is
};

inline constexpr std::size_t k_scenario_bytes_max = 1 << 20;

// The `# key: value` lines from the top of a scenario's text.
std::map<std::string, std::string> header_of(const std::string& source);

// A missing task or expectation in the header is an error.
Result<Scenario> read_scenario(const std::filesystem::path& path);

// The scenario files of a folder, by name; a file is its own only one.
std::vector<std::filesystem::path> scenario_files(const std::filesystem::path& folder_or_file);

bool meets(const Scenario& scenario, const Verdict& verdict);

// Which of the judge's checks a reason code comes from, in a word or two.
std::string check_behind(const std::string& code);

}  // namespace cupel::scenarios
