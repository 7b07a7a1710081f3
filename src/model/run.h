// A run as the journal tells it: options, what was judged, the final table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/candidate.h"
#include "model/evidence.h"
#include "model/exchange.h"
#include "model/label.h"
#include "model/price.h"
#include "model/reading.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel {

// In a run's directory, which it tells from others.
inline constexpr const char* k_journal_file = "journal.sqlite";

// How much to try; bounds the number and the compile time of seeds.
enum class Effort { quick, normal, full };
std::string_view to_string(Effort effort);
Result<Effort> parse_effort(std::string_view text);

struct RunOptions {
  Policy policy = Policy::eager;
  Metric metric = Metric::latency;  // that decides what is faster
  Effort effort = Effort::normal;
  std::string device = "cpu";
  int threads = 0;                // 0: all cores that this process may use
  std::string sandbox = "bwrap";  // or "none"
  double time_limit_s = 0;        // of loading and of a candidate's first call; 0: the plan's own
  double minutes_max = 0;         // wall time, the final round included; 0: no limit
  std::uint64_t seed = 0;         // of the search's random draws (not of inputs or weights)
  std::vector<std::string> candidate_files;  // the user's own candidates, judged with the seeds

  std::string strategy = "portfolio";
  std::string llm;                // "openai:gpt-5"; empty: no agents
  std::string llm_cheap;          // for the cheap tier; empty: `llm` serves both
  std::string reader;             // reads programs before they are judged; empty: nobody does
  std::string llm_url;            // where `llm` is asked instead of at its service's own address
  std::vector<Price> prices;      // of the models asked, as they were when the run began
  std::int64_t nano_usd_max = 0;  // in 1e-9 dollars; 0: no limit
  std::int64_t queries_max = 0;   // charged replies; 0: no limit
  double stop_value = -1;  // a dollar must gain so much (0.01: 1 %); negative: the strategy decides
  int slots = 0;           // agents' proposals on their way at once; 0: no limit
  std::vector<std::string> withheld;  // what agents are not told: "times", "hardware", "history",
                                      // "lessons", "profile"
};

// "cpu" or "cuda", whatever the device's number.
std::string device_kind(const RunOptions& options);

// One proposal carried to its verdict.
struct Judged {
  Proposal proposal;
  Candidate candidate;
  Verdict verdict;
  double seconds = 0;         // wall time from proposal to verdict
  std::int64_t nano_usd = 0;  // what the reply cost; a cost belongs to one entry only
  double after_reply_s = 0;   // working time from an agent's reply to the verdict
};

// A proposal whose answer was text: the ideas of a brainstorm, the plan of an analysis. Empty
// `texts`: nothing usable came back.
struct Answered {
  Proposal proposal;
  std::vector<std::string> texts;
  std::int64_t nano_usd = 0;
};

// The final round: every program of the summary table, measured together, eager first.
struct FinalTable {
  struct Row {
    std::string role;  // "eager", "torch.compile", "best free variant", "winner"
    std::string candidate_id;
    std::string label;
    Verdict verdict;  // for eager: an empty verdict whose ratios are 1
  };
  std::vector<Row> rows;
};

// The winner's audit of the program that the final table put first: docs/audit.md.
struct WinnerAudit {
  std::string candidate_id;
  std::string label;
  Verdict verdict;  // `faster`, or it wins no longer
  double seconds = 0;

  bool passed() const { return verdict.outcome == Outcome::faster; }
};

// Roles of a table's rows that an audit gives and takes.
inline constexpr std::string_view k_winner_role = "winner";
inline constexpr std::string_view k_failed_audit_role = "failed audit";

// Puts verdicts of audits in the place of those of the final round. What failed is no winner and
// has a row in any case.
void apply_audits(FinalTable& table, const std::vector<WinnerAudit>& audits);

// What was paid for and nobody judged.
struct Unmeasured {
  Proposal proposal;
  std::string candidate_id;  // empty: the answer did not come in time
  std::int64_t nano_usd = 0;
  std::string why;
};

struct RunRecord {
  std::string run_id;
  std::string directory;
  Task task;
  TaskFacts facts;
  Admission admission;
  RunOptions options;
  std::vector<Judged> judged;
  ProgramLabels labels;             // of programs that were read before they were judged
  Readings readings;                // of those that a model was asked about
  FinalTable table;                 // with the verdicts of audits
  std::vector<WinnerAudit> audits;  // in order; all but the last one failed
  std::string winner_id;            // empty: nothing beat eager
  std::string winner_path;          // the file to ship
  bool finished = false;
  double wall_s = 0;  // over all sittings, resumed ones included
  std::int64_t started_wall_ns = 0;
  double cost_usd = 0;
  Usage usage;                         // tokens of all questions, as far as they were counted
  std::int64_t queries = 0;            // charged replies
  std::string search_end;              // why no more was proposed; empty while the search goes on
  std::vector<Unmeasured> unmeasured;  // of a finished run

  // Whether `cupel resume` has programs to judge that this finished run left.
  bool left_programs() const;
};

std::string encode(const Task& task);
std::string encode(const RunOptions& options);
std::string encode(const FinalTable& table);
std::string encode(const WinnerAudit& audit);
Result<Task> decode_task(std::string_view json);
Result<RunOptions> decode_run_options(std::string_view json);
Result<FinalTable> decode_final_table(std::string_view json);
Result<WinnerAudit> decode_winner_audit(std::string_view json);

}  // namespace cupel
