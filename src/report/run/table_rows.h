// The cells of the summary table and the lines around it, for terminal and Markdown alike.
#pragma once

#include <string>
#include <vector>

#include "model/run.h"

namespace cupel::report {

struct TableRow {
  std::string role;
  std::string label;
  double latency_ms = 0;  // median of a call; 0: unknown
  std::string over_eager;
  std::string over_best_free;
  std::string error;  // rms against the float64 oracle, in spreads of the oracle
  std::string allclose;
};
std::vector<TableRow> table_rows(const RunRecord& run);

// "policy eager, as constructed, 2 threads, sandbox bwrap, effort normal".
std::string settings_line(const RunRecord& run);
// "12 candidates in 1 min 42 s, $0. Run 3fa41c-softmax, /path".
std::string cost_line(const RunRecord& run);
// What the audits gave, a sentence each.
std::vector<std::string> audit_lines(const RunRecord& run);
// A candidate's label, and for a failed one the reason.
std::string program_text(const Judged& judged);

// The ratio over the program of that id, or nullptr.
const Ratio* ratio_over(const Verdict& verdict, const std::string& id);

// Of a run that asked agents: why its search ended, and what was paid for and nobody judged.
// Sentences without a full stop. `argument` is what names the run to a command.
std::vector<std::string> ending_lines(const RunRecord& run, const std::string& argument);

}  // namespace cupel::report
