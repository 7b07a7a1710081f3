#include <nlohmann/json.hpp>

#include "report/run/label_hits.h"
#include "report/run/run_report.h"
#include "report/words/json.h"

namespace cupel::report {
namespace {

using nlohmann::json;

json row_json(const FinalTable::Row& row) {
  return {{"role", row.role},
          {"candidate_id", row.candidate_id},
          {"label", row.label},
          {"verdict", value_of_encoded(encode(row.verdict))}};
}

json audit_json(const WinnerAudit& audit) {
  return {{"candidate_id", audit.candidate_id},
          {"label", audit.label},
          {"passed", audit.passed()},
          {"seconds", audit.seconds},
          {"verdict", value_of_encoded(encode(audit.verdict))}};
}

json labels_json(const std::vector<Label>& labels) {
  json all = json::array();
  for (const Label& one : labels) all.push_back({{"label", one.label}, {"line", one.line}});
  return all;
}

json remarks_json(const RunRecord& run, const std::string& candidate_id) {
  json all = json::array();
  const auto found = run.readings.find(candidate_id);
  if (found == run.readings.end()) return all;
  for (const Remark& one : found->second.remarks) {
    all.push_back({{"label", one.label}, {"why", one.why}});
  }
  return all;
}

json judged_json(const Judged& judged, const RunRecord& run) {
  return {{"proposal_id", judged.proposal.id},
          {"kind", to_string(judged.proposal.kind)},
          {"reason", judged.proposal.reason},
          {"candidate_id", judged.candidate.id},
          {"label", judged.candidate.label},
          {"seconds", judged.seconds},
          {"nano_usd", judged.nano_usd},
          {"after_reply_s", judged.after_reply_s},
          {"verdict", value_of_encoded(encode(judged.verdict))},
          {"labels", labels_json(labels_of(run.labels, judged.candidate.id))},
          {"remarks", remarks_json(run, judged.candidate.id)}};
}

json unmeasured_json(const Unmeasured& left) {
  return {{"proposal_id", left.proposal.id},
          {"kind", to_string(left.proposal.kind)},
          {"candidate_id", left.candidate_id},
          {"nano_usd", left.nano_usd},
          {"why", left.why}};
}

}  // namespace

std::string run_json(const RunRecord& run) {
  json out = document("run");
  out["run_id"] = run.run_id;
  out["directory"] = run.directory;
  out["finished"] = run.finished;
  out["task"] = {{"id", run.task.id},
                 {"name", run.task.name},
                 {"path", run.task.path},
                 {"module", run.task.module},
                 {"mode", to_string(run.task.settings.mode)}};
  out["facts"] = value_of_encoded(encode(run.facts));
  out["options"] = value_of_encoded(encode(run.options));
  out["degenerate"] = run.admission.degenerate;
  out["table"] = json::array();
  for (const auto& row : run.table.rows) out["table"].push_back(row_json(row));
  out["audits"] = json::array();
  for (const auto& audit : run.audits) out["audits"].push_back(audit_json(audit));
  out["candidates"] = json::array();
  for (const Judged* judged : ranked(run)) out["candidates"].push_back(judged_json(*judged, run));
  out["labels"] = label_hits_json(run);
  out["reader"] = readings_json(run);
  out["search_end"] = run.search_end;
  out["unmeasured"] = json::array();
  for (const Unmeasured& left : run.unmeasured) out["unmeasured"].push_back(unmeasured_json(left));
  out["winner_id"] = run.winner_id;
  out["winner_path"] = run.winner_path;
  out["wall_s"] = run.wall_s;
  out["cost_usd"] = run.cost_usd;
  out["usage"] = {{"prompt_tokens", run.usage.prompt_tokens},
                  {"cached_tokens", run.usage.cached_tokens},
                  {"written_tokens", run.usage.written_tokens},
                  {"reply_tokens", run.usage.reply_tokens},
                  {"thought_tokens", run.usage.thought_tokens}};
  out["queries"] = run.queries;
  out["started_wall_ns"] = run.started_wall_ns;
  return dump(out);
}

}  // namespace cupel::report
