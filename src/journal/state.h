// What a journal's events add up to. The writer and every reader use this one fold, so that a
// resumed run starts from exactly what a report shows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "journal/event.h"
#include "model/event.h"
#include "model/profile.h"
#include "model/run.h"

namespace cupel::journal {

// A question whose answer is not in the journal yet, and what is kept back for it.
struct Reservation {
  std::int64_t nano_usd_max = 0;
  int queries = 0;
  std::string with;           // the proposal whose question it shares; empty: it has its own
  std::int64_t asked_ns = 0;  // working time when it was sent
};

// What answers of one model to one agent have taken so far.
struct AnswersSoFar {
  int count = 0;  // with a known usage
  std::int64_t reply_tokens_max = 0;
  std::vector<double> seconds;  // of each, in order
};

// A proposal on its way to a verdict. Prompts are in the journal only; a reply stays here until
// it is parsed.
struct OpenProposal {
  Proposal proposal;
  Candidate candidate;       // empty until an agent has written it
  int candidate_number = 0;  // 1, 2, ... in the order in which candidates became known; 0: not yet
  std::optional<Reservation> asked;  // a question is under way
  std::string provider;              // who was asked last
  std::optional<Reply> reply;        // what came back, to be parsed
  std::int64_t replied_ns = 0;       // as asked_ns, when it came
  int failed_asks = 0;               // questions that nobody answered
  bool built = false;                // compiled ahead
  int faults = 0;                    // judgements that ended in an infra fault
  std::int64_t nano_usd = 0;         // what its questions cost so far
};

struct ClosedProposal {
  Proposal proposal;
  Candidate candidate;
  std::string why;
  std::int64_t nano_usd = 0;
};

struct RunState {
  RunRecord record;  // `judged` in the order of the verdicts; `table` is the last one made
  bool started = false;
  bool admitted = false;
  bool recalled = false;
  bool reopened = false;                 // after it was finished
  RunStarted start;                      // empty until `started`
  std::vector<Seed> seeds;               // empty until `admitted`
  std::vector<std::string> lessons;      // empty until `recalled`
  std::vector<OpenProposal> open;        // in the order proposed
  std::vector<Answered> answered;        // in the order of the answers
  std::vector<ClosedProposal> rejected;  // closed without a verdict
  std::vector<Decision> decisions;
  std::map<std::string, Profile> profiles;  // by the candidate's id; eager's by ""
  std::vector<FinalTable> tables;  // all final rounds; more than one if a program failed in one
  // Index into `record.judged`, by the id of a candidate that was judged.
  std::unordered_map<std::string, std::size_t> judged_at;
  // Tables that were held before each of `record.audits`.
  std::vector<std::size_t> audited_after;
  std::size_t judged_when_tabled = 0;  // size of `record.judged` at the last table
  int table_faults = 0;                // infra faults since the last table
  int audit_faults = 0;                // and of audits, since the last one
  int proposals_made = 0;
  int steps_made = 0;  // answers of the strategy that proposed something
  int candidates_known = 0;
  int asks_failed_in_row = 0;      // since the last answer of this sitting
  int readings_failed_in_row = 0;  // without an answer of use, in this sitting
  int sittings = 0;
  std::int64_t nano_usd_spent = 0;
  // By the provider's name and the kind of proposal.
  std::map<std::pair<std::string, Proposal::Kind>, AnswersSoFar> answers;
  std::int64_t worked_ns = 0;     // wall time over all sittings, up to the last event
  std::int64_t events = 0;        // evidence is not counted by readers, which leave it out
  std::int64_t last_wall_ns = 0;  // of the last event
};

// The open proposal of that id, or null. Valid until the next event.
const OpenProposal* find_open(const RunState& state, std::string_view proposal_id);

// What one event does to the state that it was made for.
using Change = std::function<void(RunState&)>;

// An input error if the event's body cannot be read or does not follow from the events before it;
// unknown kinds are refused, since a newer Cupel has a newer schema. Changes nothing.
Result<Change> change_by(const RunState& state, const Event& event);

// Adds one event, or changes nothing and fails as change_by() does.
Status apply(RunState& state, const Event& event);

}  // namespace cupel::journal
