#include "model/run.h"

#include <algorithm>

#include "model/codec.h"
#include "model/names.h"

namespace cupel {
namespace {

constexpr NameTable<Effort, 3> k_efforts{
    {{Effort::quick, "quick"}, {Effort::normal, "normal"}, {Effort::full, "full"}}};

}  // namespace

std::string_view to_string(Effort effort) {
  return name_of(k_efforts, effort);
}
Result<Effort> parse_effort(std::string_view text) {
  return value_of(k_efforts, text, "effort");
}

std::string device_kind(const RunOptions& options) {
  return options.device.substr(0, options.device.find(':'));
}

bool RunRecord::left_programs() const {
  return std::any_of(unmeasured.begin(), unmeasured.end(),
                     [](const Unmeasured& left) { return !left.candidate_id.empty(); });
}

void apply_audits(FinalTable& table, const std::vector<WinnerAudit>& audits) {
  for (const WinnerAudit& audit : audits) {
    bool has_row = false;
    for (FinalTable::Row& row : table.rows) {
      if (row.candidate_id != audit.candidate_id) continue;
      has_row = true;
      row.verdict = audit.verdict;
      if (row.role == k_winner_role && !audit.passed()) row.role = k_failed_audit_role;
    }
    if (has_row || audit.passed()) continue;
    table.rows.push_back(
        {std::string(k_failed_audit_role), audit.candidate_id, audit.label, audit.verdict});
  }
}

CUPEL_JSON_ENUM(Effort, parse_effort)
CUPEL_JSON_STRUCT(Rates, input, cached, output, written)
CUPEL_JSON_STRUCT(Price, model, rates, long_above_tokens, long_rates, date, source)
CUPEL_JSON_STRUCT(RunOptions, policy, metric, effort, device, threads, sandbox, time_limit_s,
                  minutes_max, seed, candidate_files, strategy, llm, llm_cheap, reader, llm_url,
                  prices, nano_usd_max, queries_max, stop_value, slots, withheld)
CUPEL_JSON_STRUCT(FinalTable::Row, role, candidate_id, label, verdict)
CUPEL_JSON_STRUCT(FinalTable, rows)
CUPEL_JSON_STRUCT(WinnerAudit, candidate_id, label, verdict, seconds)

std::string encode(const RunOptions& options) {
  return encode_value(options);
}
std::string encode(const FinalTable& table) {
  return encode_value(table);
}
std::string encode(const WinnerAudit& audit) {
  return encode_value(audit);
}
Result<RunOptions> decode_run_options(std::string_view json) {
  return decode_value<RunOptions>(json, "run options");
}
Result<FinalTable> decode_final_table(std::string_view json) {
  return decode_value<FinalTable>(json, "final table");
}
Result<WinnerAudit> decode_winner_audit(std::string_view json) {
  return decode_value<WinnerAudit>(json, "winner's audit");
}

}  // namespace cupel
