// What is measured next, and what there is still time for. A program that was paid for is worth
// nothing until it is judged: it goes before what is free, and none is bought that could not be
// judged in the time that is left.
#pragma once

#include <string>
#include <vector>

#include "journal/state.h"
#include "llm/providers/provider.h"

namespace cupel::engine {

// Programs that were paid for and are not judged, those among them that are still being written.
int bought_under_way(const journal::RunState& state);

// Until a program that was paid for can be measured, in seconds, at `now_s` of the run's working
// time: 0 if one is there, infinite if none is written. What answers have taken so far says when
// those under way are due.
double bought_due_s(const journal::RunState& state, double now_s);

// `waiting`, which have a candidate, in the order in which they are measured: the user's files,
// what was bought (last what by its labels looks worthless, or worries the reader), what tuning
// proposes, seeds. While something bought is under way, left out are seeds that
//   - would take the time in which it must be judged, or
//   - would be measured still when the next bought program is there. Seeds have a share of the
//     measuring time all the same, and those within it go before what is bought.
std::vector<journal::OpenProposal> measuring_order(const journal::RunState& state,
                                                   std::vector<journal::OpenProposal> waiting,
                                                   double now_s, double seconds_left);

// Why an answer to `proposal` could not be judged within `seconds_left`, a sentence; empty if it
// could. What answers and judgements have taken so far in this run says what the next ones take.
std::string too_late_for(const journal::RunState& state, const llm::Provider& provider,
                         const Proposal& proposal, double seconds_left);

// Under a budget of minutes: whether enough is bought until it is known what a judgement takes.
bool must_wait(const journal::RunState& state, double seconds_left);

}  // namespace cupel::engine
