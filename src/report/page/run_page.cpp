#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "report/page/page.h"
#include "report/page/roofline.h"
#include "report/run/run_report.h"
#include "report/words/json.h"

namespace cupel::report {
namespace {

using nlohmann::json;

constexpr std::size_t k_source_bytes_max = 64 << 10;  // of one program
constexpr std::size_t k_sources_bytes_max = 3 << 19;  // of all: a page stays below 3 MB
constexpr double k_usd_per_nano = 1e-9;

std::string cut(const std::string& source) {
  if (source.size() <= k_source_bytes_max) return source;
  return source.substr(0, k_source_bytes_max) + "\n# (the rest is left out)\n";
}

// By candidate, the best ones first until there is no more room.
json sources_json(const RunRecord& run) {
  json sources = json::object();
  std::size_t bytes = 0;
  for (const Judged* judged : ranked(run)) {
    const std::string source = cut(judged->candidate.source);
    if (sources.contains(judged->candidate.id)) continue;
    if (bytes + source.size() > k_sources_bytes_max) break;
    bytes += source.size();
    sources[judged->candidate.id] = source;
  }
  return sources;
}

json lineage_json(const RunRecord& run) {
  json lineage = json::array();
  for (const Judged& judged : run.judged) {
    const Proposal& proposal = judged.proposal;
    lineage.push_back({{"proposal_id", proposal.id},
                       {"candidate_id", judged.candidate.id},
                       {"parents", proposal.parents},
                       {"kind", to_string(proposal.kind)},
                       {"idea", proposal.idea},
                       {"phase", proposal.phase},
                       {"branch", proposal.branch},
                       {"fix_round", proposal.fix_round}});
  }
  return lineage;
}

// What had been spent when each verdict came, in that order.
json progress_json(const RunRecord& run) {
  json progress = json::array();
  double usd = 0;
  std::int64_t queries = 0;
  for (const Judged& judged : run.judged) {
    usd += static_cast<double>(judged.nano_usd) * k_usd_per_nano;
    queries += judged.proposal.charged ? 1 : 0;
    progress.push_back({{"candidate_id", judged.candidate.id}, {"usd", usd}, {"queries", queries}});
  }
  return progress;
}

json rejected_json(const journal::RunState& state) {
  json rejected = json::array();
  for (const journal::ClosedProposal& closed : state.rejected) {
    rejected.push_back({{"proposal_id", closed.proposal.id},
                        {"candidate_id", closed.candidate.id},
                        {"kind", to_string(closed.proposal.kind)},
                        {"why", closed.why}});
  }
  return rejected;
}

json decisions_json(const journal::RunState& state) {
  json decisions = json::array();
  for (const Decision& decision : state.decisions) {
    decisions.push_back(
        {{"what", decision.what}, {"why", decision.why}, {"about", decision.about}});
  }
  return decisions;
}

json times_json(std::span<const CallTimes> times) {
  json all = json::object();
  for (const CallTimes& one : times) {
    if (one.quantiles_us.empty()) continue;
    all[one.candidate_id] = {{"calls", one.calls}, {"quantiles_us", one.quantiles_us}};
  }
  return all;
}

json tolerances_json(const Admission& admission) {
  json all = json::object();
  for (const Tolerance& tolerance : admission.tolerances) {
    if (tolerance.rms_max.empty()) continue;
    all[tolerance.value_class] = {{"rms_max", tolerance.rms_max},
                                  {"error_max", tolerance.error_max}};
  }
  return all;
}

}  // namespace

std::string run_page_json(const journal::RunState& state, std::span<const CallTimes> times) {
  const RunRecord& run = state.record;
  json out = document("run_page");
  out["run"] = json::parse(run_json(run));
  out["task_source"] = cut(run.task.source);
  out["machine"] = state.start.machine;
  out["tolerances"] = tolerances_json(run.admission);
  out["sources"] = sources_json(run);
  out["lineage"] = lineage_json(run);
  out["progress"] = progress_json(run);
  out["rejected"] = rejected_json(state);
  out["decisions"] = decisions_json(state);
  out["times"] = times_json(times);
  out["roofline"] = roofline_json(state);
  return dump(out);
}

}  // namespace cupel::report
