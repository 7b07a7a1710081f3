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
#include "report/verdict_report.h"
#include "ship/machine.h"
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

Result<json> read_manifest(const fs::path& path) {
  CUPEL_TRY(const std::string text, read_file(path, k_manifest_bytes_max));
  json manifest = json::parse(text, nullptr, false);
  if (!manifest.is_object() || !manifest.contains("entries") || !manifest["entries"].is_array()) {
    return input_error("not the manifest of a shipped package", path.string(),
                       "ship the run again");
  }
  return manifest;
}

// The options of one entry: as it was measured, where the user does not say otherwise.
Result<Options> options_of(const Options& given, const json& manifest, const json& entry,
                           const fs::path& folder) {
  Options options = given;
  const json& original = manifest["originals"][entry["original"].get<std::string>()];
  const json& winner = manifest["winners"][entry["winner"].get<std::string>()];
  options.task.name = (folder / original["file"].get<std::string>()).string();
  const std::string root = original.value("import_root", "");
  std::error_code failure;
  if (options.task.import_root.empty() && fs::is_directory(root, failure)) {
    options.task.import_root = root;
  }
  const std::string weights = original.value("weights", "");
  if (options.task.weights.empty() && fs::is_regular_file(weights, failure)) {
    options.task.weights = weights;
  }
  options.candidate_files = {(folder / winner["file"].get<std::string>()).string()};
  if (!options.policy) {
    CUPEL_TRY(options.policy, parse_policy(entry["policy"].get<std::string>()));
  }
  options.device = entry["device"];
  if (options.threads == 0) options.threads = entry.value("threads", 0);
  return options;
}

Result<Candidate> candidate_of(const Options& options, const json& manifest, const json& entry) {
  CUPEL_TRY(Candidate candidate, read_candidate(options.candidate_files.front()));
  const json& winner = manifest["winners"][entry["winner"].get<std::string>()];
  if (candidate.id == winner.value("candidate_id", "")) return candidate;
  return input_error("this is not the source that was judged", options.candidate_files.front(),
                     "judge it as a candidate of its own: cupel judge");
}

Result<Verdict> judge_again(const Options& options, const json& manifest, const json& entry) {
  CUPEL_TRY(const Task task, load_task(options));
  CUPEL_TRY(const Candidate candidate, candidate_of(options, manifest, entry));
  const auto sink = progress_sink(options);
  show(*sink, engine::Stage::judge, entry["label"]);
  stop_on_signals();
  CUPEL_TRY(const auto evaluator, make_evaluator(task, run_options(options, task), options));
  CUPEL_TRY_STATUS(evaluator->admit());
  CUPEL_TRY(const auto judgement, evaluator->judge({candidate}));
  if (judgement.verdicts.empty()) return bug_error("the round gave no verdict", candidate.label);
  return judgement.verdicts.front();
}

json this_machine(const Options& options) {
  auto facts = describe_machine(options.device);
  facts["torch"] = torch_version(options);
  const auto machine = ship::machine_of(facts, options.device.starts_with("cuda"));
  return {{"device", machine.device}, {"torch", machine.torch}};
}

void trust(json& entry, const json& machine) {
  for (const json& known : entry["machines"]) {
    if (known == machine) return;
  }
  entry["machines"].push_back(machine);
}

std::string line_of(const json& entry, const Verdict& verdict) {
  return fmt::format("{}  {}  {}: {}\n", entry["id"].get<std::string>(),
                     entry["task"].get<std::string>(), entry["shown"].get<std::string>(),
                     verdict.headline());
}

struct Answer {
  json document{{"version", 1}, {"kind", "recheck"}, {"entries", json::array()}};
  std::string text;
  int code = k_exit_good;
};

void add(Answer& answer, json& entry, const Verdict& verdict, const Options& options) {
  answer.document["entries"].push_back(
      {{"id", entry["id"]}, {"verdict", json::parse(encode(verdict))}});
  answer.text += line_of(entry, verdict);
  answer.code = std::max<int>(answer.code, exit_code(verdict));
  if (options.trust && verdict.outcome == Outcome::faster) {
    trust(entry, this_machine(options));
    answer.text += "    this machine is among those that it runs on\n";
  }
}

}  // namespace

Result<int> run_recheck(const Options& given) {
  CUPEL_TRY(const fs::path path, find_manifest(given.package));
  CUPEL_TRY(json manifest, read_manifest(path));
  Answer answer;
  for (json& entry : manifest["entries"]) {
    CUPEL_TRY(const Options options, options_of(given, manifest, entry, path.parent_path()));
    CUPEL_TRY(const Verdict verdict, judge_again(options, manifest, entry));
    add(answer, entry, verdict, options);
  }
  if (given.trust) CUPEL_TRY_STATUS(write_file_atomic(path, manifest.dump(1) + "\n"));
  print(given.json ? answer.document.dump() + "\n" : answer.text);
  return answer.code;
}

}  // namespace cupel::cli
