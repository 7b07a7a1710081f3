#include <cmath>
#include <nlohmann/json.hpp>

#include "report/page/page.h"
#include "report/suite/suite_rows.h"
#include "report/words/json.h"

namespace cupel::report {
namespace {

using nlohmann::json;

constexpr std::size_t k_sources_bytes_max = 1 << 20;  // of all winners: a page stays below 3 MB
constexpr std::size_t k_source_bytes_max = 16 << 10;  // of one

// Four digits are enough for a dot, and a third of the bytes.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10, 3 - std::floor(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

// Each [kind, outcome, ratio over eager or null, error or null], short: there may be 50,000.
json candidates_json(const SuiteEntry& entry) {
  json all = json::array();
  for (const RunRecord& run : entry.runs) {
    for (const Judged& judged : run.judged) {
      const Verdict& verdict = judged.verdict;
      const bool timed = is_correct(verdict.outcome) && !verdict.ratios.empty();
      all.push_back({to_string(judged.proposal.kind), to_string(verdict.outcome),
                     timed ? json(rounded(verdict.ratios.front().ratio)) : json(nullptr),
                     verdict.checked_calls > 0 ? json(rounded(verdict.error_rms)) : json(nullptr)});
    }
  }
  return all;
}

json progression_json(const SuiteEntry& entry) {
  const Progression progression = progression_of(entry);
  json steps = json::array();
  for (const Progression::Step& step : progression.steps) {
    steps.push_back({step.usd, step.queries, step.best});
  }
  return {{"free", progression.free},
          {"usd", progression.usd},
          {"queries", progression.queries},
          {"steps", steps}};
}

std::string winner_source(const SuiteEntry& entry) {
  if (entry.runs.empty()) return "";
  const RunRecord& run = entry.runs.back();
  for (const Judged& judged : run.judged) {
    if (judged.candidate.id == run.winner_id) return judged.candidate.source;
  }
  return "";
}

}  // namespace

std::string suite_page_json(const Suite& suite, std::span<const SuiteEntry> entries) {
  json out = document("suite_page");
  out["suite"] = json::parse(suite_json(suite));
  out["runs"] = json::array();
  std::size_t bytes = 0;
  for (const SuiteEntry& entry : entries) {
    std::string source = winner_source(entry);
    if (source.size() > k_source_bytes_max || bytes + source.size() > k_sources_bytes_max) {
      source.clear();
    }
    bytes += source.size();
    out["runs"].push_back({{"strategy", entry.strategy},
                           {"task", entry.task},
                           {"progress", progression_json(entry)},
                           {"candidates", candidates_json(entry)},
                           {"winner_source", source}});
  }
  return dump(out);
}

}  // namespace cupel::report
