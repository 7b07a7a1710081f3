// One line of the journal, as it lies in the database.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cupel::journal {

// What an event tells. `subject` is the proposal's id for those about a proposal.
namespace kind {
inline constexpr std::string_view k_sitting_started = "sitting_started";  // a process took the run
inline constexpr std::string_view k_sitting_ended = "sitting_ended";      // and left it in order
inline constexpr std::string_view k_run_started = "run_started";          // model RunStarted
inline constexpr std::string_view k_admitted = "admitted";                // model TaskAdmitted
inline constexpr std::string_view k_proposed = "proposed";                // model Proposed
inline constexpr std::string_view k_recalled = "recalled";                // model LessonsRecalled
inline constexpr std::string_view k_prompted = "prompted";                // model Prompt
inline constexpr std::string_view k_asked = "asked";                      // model ProposalAsked
inline constexpr std::string_view k_replied = "replied";                  // model ProposalReplied
inline constexpr std::string_view k_parsed = "parsed";                    // model ProposalParsed
inline constexpr std::string_view k_answered = "answered";                // model ProposalAnswered
inline constexpr std::string_view k_profiled = "profiled";                // model Profile
inline constexpr std::string_view k_labelled = "labelled";                // model Labelled
inline constexpr std::string_view k_read = "read";                        // model ProgramRead
inline constexpr std::string_view k_built = "built";                      // model ProposalBuilt
inline constexpr std::string_view k_measured = "measured";                // model Evidence
inline constexpr std::string_view k_faulted = "faulted";    // model ProposalJudged, to be retried
inline constexpr std::string_view k_judged = "judged";      // model ProposalJudged, final
inline constexpr std::string_view k_rejected = "rejected";  // model ProposalRejected
inline constexpr std::string_view k_decision = "decision";  // model Decision
inline constexpr std::string_view k_tabled = "tabled";      // model FinalTable
inline constexpr std::string_view k_audited = "audited";    // model WinnerAudit
inline constexpr std::string_view k_finished = "finished";  // model RunFinished
inline constexpr std::string_view k_reopened = "reopened";  // to judge what was left unmeasured
}  // namespace kind

// Subject of the events about the final table.
inline constexpr std::string_view k_table_subject = "table";
// Subject of the faults of audits; an audit's own is the candidate's id.
inline constexpr std::string_view k_audit_subject = "audit";

struct Event {
  std::int64_t seq = 0;      // 1, 2, 3, ... without a gap
  std::int64_t wall_ns = 0;  // since the Unix epoch
  std::string kind;
  std::string subject;
  std::string body;  // JSON, one object
};

}  // namespace cupel::journal
