#include "scenario.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "base/files.h"

namespace cupel::scenarios {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string> split_alternatives(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream words(text);
  for (std::string part; std::getline(words, part, '|');) parts.push_back(trimmed(part));
  return parts;
}

bool has_code(const Verdict& verdict, const std::string& code) {
  return !verdict.reasons.empty() && verdict.reasons.front().code == code;
}

bool meets_one(const std::string& expected, const Verdict& verdict) {
  if (expected == "correct") return is_correct(verdict.outcome);
  const auto open = expected.find('(');
  const std::string outcome = expected.substr(0, open);
  if (outcome != to_string(verdict.outcome)) return false;
  if (open == std::string::npos) return true;
  return has_code(verdict, expected.substr(open + 1, expected.size() - open - 2));
}

}  // namespace

std::map<std::string, std::string> header_of(const std::string& source) {
  std::map<std::string, std::string> header;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line) && line.starts_with("#");) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    header.try_emplace(trimmed(line.substr(1, colon - 1)), trimmed(line.substr(colon + 1)));
  }
  return header;
}

Result<Scenario> read_scenario(const std::filesystem::path& path) {
  Scenario scenario;
  scenario.path = path;
  CUPEL_TRY(scenario.source, read_file(path, k_scenario_bytes_max));
  auto header = header_of(scenario.source);
  scenario.task = header["task"];
  scenario.policy = header["policy"];
  scenario.why = header["why"];
  scenario.expected = split_alternatives(header["expect"]);
  scenario.device = header["device"].empty() ? "cpu" : header["device"];
  scenario.slow = header["slow"] == "yes";
  scenario.audited = header["audited"] == "yes";
  scenario.audited_if_slow = header["audited"] == "slow";
  if (!header["ratio_min"].empty()) scenario.ratio_min = std::stod(header["ratio_min"]);
  if (!header["time_limit_s"].empty()) scenario.time_limit_s = std::stod(header["time_limit_s"]);
  if (scenario.task.empty() || scenario.expected.empty()) {
    return input_error("a scenario needs `# task:` and `# expect:`", path.string());
  }
  return scenario;
}

// What is right is audited however fast it is, and slower is no more than not paid: an audited one
// hangs on times only if it is to be told by them.
bool Scenario::timed() const {
  static const std::vector<std::string> untimed{
      "correct",       "wrong",         "build_error", "runtime_error", "timeout",
      "out_of_memory", "invalid_reply", "infra_fault", "suspect(late_", "suspect(memory"};
  return std::any_of(expected.begin(), expected.end(), [this](const std::string& outcome) {
    if (audited && outcome == "slower") return false;
    return std::none_of(untimed.begin(), untimed.end(),
                        [&](const std::string& start) { return outcome.starts_with(start); });
  });
}

std::vector<std::filesystem::path> scenario_files(const std::filesystem::path& folder_or_file) {
  if (!std::filesystem::is_directory(folder_or_file)) return {folder_or_file};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder_or_file)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool meets(const Scenario& scenario, const Verdict& verdict) {
  const double ratio = verdict.ratios.empty() ? 0 : verdict.ratios.front().ratio;
  if (ratio < scenario.ratio_min) return false;
  return std::any_of(scenario.expected.begin(), scenario.expected.end(),
                     [&](const std::string& expected) { return meets_one(expected, verdict); });
}

std::string check_behind(const std::string& code) {
  static const std::map<std::string, std::vector<std::string>> checks{
      {"form", {"structure", "shape", "dtype", "type", "strides"}},
      {"inputs compared", {"mutated_input"}},
      {"float64 oracle", {"nan", "value", "range", "weights", "nondeterministic"}},
      {"snapshot at the reply", {"late_write"}},
      {"judge's clock", {"clock"}},
      {"warm calls", {"gain_unshown"}},
      {"every call counts", {"deferred_work"}},
      {"bandwidth floor", {"below_floor"}},
      {"winner's audit",
       {"instance_order", "changes_later", "aliased_output", "stray_access", "shared_race",
        "shared_uninitialized", "memory_growth", "decoy_kernel", "held_out_shape", "process_state",
        "surroundings"}},
      {"lockstep timing", {"faster", "same", "slower", "interval_too_wide"}},
      {"process", {"runtime_error"}},
      {"limits", {"timeout", "out_of_memory"}},
      {"protocol", {"invalid_reply"}},
      {"build jail", {"build_error"}}};
  for (const auto& [check, codes] : checks) {
    if (std::find(codes.begin(), codes.end(), code) != codes.end()) return check;
  }
  return code;
}

}  // namespace cupel::scenarios
