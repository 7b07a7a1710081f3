#include "bad_task.h"

#include "base/files.h"
#include "engine/evaluate/real_evaluator.h"
#include "report/answers/lint_report.h"
#include "scenario.h"
#include "task/load.h"

namespace cupel::scenarios {
namespace {

Result<LintAnswer> lint_or_error(const BadTask& bad, const std::string& sandbox) {
  task::TaskArgument argument;
  argument.name = bad.path.string();
  CUPEL_TRY(const auto shipped, task::shipped_directory());
  CUPEL_TRY(const Task task, task::load(argument, shipped));
  RunOptions options;
  options.policy = task.settings.policy;
  options.sandbox = sandbox;
  CUPEL_TRY(const auto evaluator, engine::make_real_evaluator(task, options, {}));
  CUPEL_TRY(const auto admitted, evaluator->admit());
  const report::LintFindings findings{task, admitted.facts, admitted.admission, options.policy};
  const bool sound = admitted.admission.degenerate.empty();
  return LintAnswer{report::lint_text(findings, {.color = false, .width = 10000}), sound, !sound};
}

}  // namespace

Result<BadTask> read_bad_task(const std::filesystem::path& path) {
  CUPEL_TRY(const std::string source, read_file(path, k_scenario_bytes_max));
  BadTask bad{path, header_of(source)["expect_error"]};
  if (bad.expected.empty()) {
    return input_error("a bad task needs `# expect_error:`", path.string());
  }
  return bad;
}

LintAnswer lint(const BadTask& bad, const std::string& sandbox) {
  auto answer = lint_or_error(bad, sandbox);
  if (answer) return *answer;
  return {answer.error().describe(), false, answer.error().tag == ErrorTag::input};
}

std::string complaint(const BadTask& bad, const LintAnswer& answer) {
  if (answer.sound) return "linted as sound";
  if (!answer.blames_task) return "blames something else than the task";
  if (answer.text.find(bad.expected) == std::string::npos) return "does not say so";
  if (answer.text.find(bad.path.stem().string()) == std::string::npos) return "names no culprit";
  return "";
}

}  // namespace cupel::scenarios
