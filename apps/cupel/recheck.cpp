// cupel recheck: the winners of a shipped package, judged again on this machine and torch.
#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/stop.h"
#include "commands.h"
#include "exit_codes.h"
#include "inputs.h"
#include "output.h"
#include "report/answers/verdict_report.h"
#include "ship/machine.h"
#include "ship/manifest.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t k_manifest_bytes_max = 16 << 20;

// PACKAGE/manifest.json, or that of the one folder in PACKAGE that has one.
Result<fs::path> find_manifest(const fs::path& package) {
  std::error_code failure;
  if (fs::exists(package / "manifest.json", failure)) return package / "manifest.json";
  for (const auto& entry : fs::directory_iterator(package, failure)) {
    if (fs::exists(entry.path() / "manifest.json", failure)) return entry.path() / "manifest.json";
  }
  return input_error("there is no manifest.json in it", package.string(),
                     "name the folder that cupel ship made, or the installed package's");
}

// The options of one entry: as it was measured, where the user does not say otherwise.
Result<Options> options_of(const Options& given, const ship::ShippedEntry& entry,
                           const fs::path& folder) {
  Options options = given;
  options.task.name = (folder / entry.original_file).string();
  std::error_code failure;
  if (options.task.import_root.empty() && fs::is_directory(entry.import_root, failure)) {
    options.task.import_root = entry.import_root;
  }
  if (options.task.weights.empty() && fs::is_regular_file(entry.weights_file, failure)) {
    options.task.weights = entry.weights_file;
  }
  options.candidate_files = {(folder / entry.winner_file).string()};
  if (!options.policy) {
    CUPEL_TRY(options.policy, parse_policy(entry.policy));
  }
  if (!options.metric) {
    CUPEL_TRY(options.metric, parse_metric(entry.metric));
  }
  options.device = entry.device;
  if (options.threads == 0) options.threads = entry.threads;
  return options;
}

Result<Candidate> candidate_of(const Options& options, const ship::ShippedEntry& entry) {
  CUPEL_TRY(Candidate candidate, read_candidate(options.candidate_files.front()));
  if (candidate.id == entry.candidate_id) return candidate;
  return input_error("this is not the source that was judged", options.candidate_files.front(),
                     "judge it as a candidate of its own: cupel judge");
}

Result<Verdict> judge_again(const Options& options, const ship::ShippedEntry& entry) {
  CUPEL_TRY(const Task task, load_task(options));
  CUPEL_TRY(const Candidate candidate, candidate_of(options, entry));
  const auto sink = progress_sink(options);
  show(*sink, engine::Stage::judge, entry.label);
  stop_on_signals();
  CUPEL_TRY(const auto evaluator, make_evaluator(task, run_options(options, task), options));
  CUPEL_TRY_STATUS(evaluator->admit());
  CUPEL_TRY(const auto judgement, evaluator->judge({candidate}));
  if (judgement.verdicts.empty()) return bug_error("the round gave no verdict", candidate.label);
  return judgement.verdicts.front();
}

ship::Machine this_machine(const Options& options) {
  auto facts = describe_machine(options.device);
  facts["torch"] = torch_version(options);
  return ship::machine_of(facts, options.device.starts_with("cuda"));
}

std::string line_of(const ship::ShippedEntry& entry, const Verdict& verdict) {
  return fmt::format("{}  {}  {}: {}\n", entry.id, entry.task, entry.shown, verdict.headline());
}

struct Answer {
  json document{{"version", 1}, {"kind", "recheck"}, {"entries", json::array()}};
  std::string text;
  int code = k_exit_good;
};

void add(Answer& answer, const ship::ShippedEntry& entry, const Verdict& verdict) {
  answer.document["entries"].push_back(
      {{"id", entry.id}, {"verdict", json::parse(encode(verdict))}});
  answer.text += line_of(entry, verdict);
  answer.code = std::max<int>(answer.code, exit_code(verdict));
}

}  // namespace

Result<int> run_recheck(const Options& given) {
  CUPEL_TRY(const fs::path path, find_manifest(given.package));
  CUPEL_TRY(std::string manifest, read_file(path, k_manifest_bytes_max));
  auto entries = ship::decode_manifest(manifest);
  if (!entries) return input_error(entries.error().what, path.string(), "ship the run again");
  Answer answer;
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const ship::ShippedEntry& entry = (*entries)[i];
    CUPEL_TRY(const Options options, options_of(given, entry, path.parent_path()));
    CUPEL_TRY(const Verdict verdict, judge_again(options, entry));
    add(answer, entry, verdict);
    if (!given.trust || verdict.outcome != Outcome::faster) continue;
    manifest = ship::trusting(manifest, i, this_machine(options));
    CUPEL_TRY_STATUS(write_file_atomic(path, manifest));
    answer.text += "    this machine is among those that it runs on\n";
  }
  print(given.json ? answer.document.dump() + "\n" : answer.text);
  return answer.code;
}

}  // namespace cupel::cli
