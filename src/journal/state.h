// What a journal's events add up to. The writer and every reader use this one fold, so that a
// resumed run starts from exactly what a report shows.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "journal/event.h"
#include "model/event.h"
#include "model/run.h"

namespace cupel::journal {

// A proposal that waits for its verdict.
struct OpenProposal {
  Proposal proposal;
  Candidate candidate;
  int faults = 0;  // judgements that ended in an infra fault
};

struct ClosedProposal {
  Proposal proposal;
  Candidate candidate;
  std::string why;
};

struct RunState {
  RunRecord record;  // `judged` in the order of the verdicts; `table` is the last one made
  bool started = false;
  bool admitted = false;
  RunStarted start;                      // empty until `started`
  std::vector<Seed> seeds;               // empty until `admitted`
  std::vector<OpenProposal> open;        // in the order proposed
  std::vector<ClosedProposal> rejected;  // closed without a verdict
  std::vector<Decision> decisions;
  std::vector<FinalTable> tables;  // all final rounds; more than one if a program failed in one
  int table_faults = 0;            // infra faults since the last table
  int proposals_made = 0;
  int sittings = 0;
  std::int64_t events = 0;        // evidence is not counted by readers, which leave it out
  std::int64_t last_wall_ns = 0;  // of the last event
};

// Adds one event. An input error if its body cannot be read or does not follow from the events
// before it; unknown kinds are refused, since a newer Cupel has a newer schema.
Status apply(RunState& state, const Event& event);

}  // namespace cupel::journal
