// A bad task: a task file whose first line says what linting it must answer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace cupel::scenarios {

struct BadTask {
  std::filesystem::path path;
  std::string expected;  // must stand in the error, or in the lint report of a degenerate task
};

// Reads `# expect_error: TEXT`; its absence is an error.
Result<BadTask> read_bad_task(const std::filesystem::path& path);

// What `cupel lint` would say about the file: its error, or the report of one that is degenerate.
// `sound` is set if the task was admitted without a complaint, which is never right here.
struct LintAnswer {
  std::string text;
  bool sound = false;
  bool blames_task = false;  // an input error, or reasons why the task is degenerate
};
LintAnswer lint(const BadTask& bad, const std::string& sandbox);

// Empty if the answer is as expected and names the file; else what is amiss.
std::string complaint(const BadTask& bad, const LintAnswer& answer);

}  // namespace cupel::scenarios
