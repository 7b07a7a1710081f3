#include "engine/turn/reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/under_way.h"
#include "engine/turn/asking.h"

namespace cupel::engine {
namespace {

using journal::OpenProposal;
using journal::RunState;

bool is_reading(const Proposal& proposal) {
  return proposal.kind == Proposal::Kind::read;
}

const std::string& read_by(const Proposal& reading) {
  return reading.parents.front();
}

template <class Entries>
bool reads(const Entries& entries, const std::string& candidate_id) {
  return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
    return is_reading(entry.proposal) && read_by(entry.proposal) == candidate_id;
  });
}

// Whether a reading was proposed before, however it ended.
bool was_offered(const RunState& state, const std::string& candidate_id) {
  return state.record.readings.contains(candidate_id) || reads(state.open, candidate_id) ||
         reads(state.rejected, candidate_id);
}

bool is_given_up(const RunState& state) {
  return state.readings_failed_in_row >= k_readings_failed_max;
}

Proposed reading_of(const OpenProposal& program) {
  Proposed proposed;
  proposed.proposal.id = "r" + program.proposal.id.substr(1);
  proposed.proposal.kind = Proposal::Kind::read;
  proposed.proposal.tier = Tier::reader;
  proposed.proposal.parents = {program.candidate.id};
  proposed.proposal.label = program.candidate.label;
  proposed.proposal.reason = "a program is read before it is measured";
  return proposed;
}

bool has_open_program(const RunState& state, const Proposal& reading) {
  return std::any_of(state.open.begin(), state.open.end(), [&](const OpenProposal& open) {
    return open.candidate.id == read_by(reading);
  });
}

Status close(Sitting& sitting, const Proposal& reading, const std::string& why) {
  return sitting.journal.reject({reading.id, "", why});
}

}  // namespace

Status propose_readings(Sitting& sitting) {
  if (!sitting.agents.reader) return {};
  const auto open_ones = sitting.state().open;
  for (const OpenProposal& open : open_ones) {
    const bool is_waiting = is_reading(open.proposal) && is_unasked(open);
    if (is_waiting && !has_open_program(sitting.state(), open.proposal)) {
      CUPEL_TRY_STATUS(close(sitting, open.proposal, "its program was closed before"));
    }
    const bool is_new = is_bought(open) && !was_offered(sitting.state(), open.candidate.id);
    if (is_new && !is_given_up(sitting.state())) {
      CUPEL_TRY_STATUS(sitting.journal.propose(reading_of(open)));
    }
  }
  return {};
}

Result<std::vector<std::string>> start_readings(Sitting& sitting) {
  std::vector<std::string> started;
  const auto open_ones = sitting.state().open;
  for (const OpenProposal& open : open_ones) {
    if (!is_reading(open.proposal) || !is_unasked(open)) continue;
    if (is_given_up(sitting.state())) {
      CUPEL_TRY_STATUS(close(sitting, open.proposal, "the reader gives no answers of use"));
      continue;
    }
    if (!sitting.lanes.can_ask(Tier::reader)) continue;
    CUPEL_TRY(const Asked asked, ask(sitting, open.proposal));
    if (asked.sent) {
      started.push_back(open.proposal.id);
    } else if (!is_any_under_way(sitting.state())) {
      CUPEL_TRY_STATUS(close(sitting, open.proposal, "the budget pays for no reading"));
    }
  }
  return started;
}

Status keep_reading(Sitting& sitting, const OpenProposal& open, Reading reading) {
  const std::string id = open.proposal.id;
  const std::string problem = reading.problem;
  reading.nano_usd = open.nano_usd;
  CUPEL_TRY_STATUS(sitting.journal.read({id, read_by(open.proposal), std::move(reading)}));
  if (problem.empty()) return {};
  sitting.progress.on_note(id + ": the reader's answer is of no use: " + problem);
  if (sitting.state().readings_failed_in_row == k_readings_failed_max) {
    sitting.progress.on_note(
        fmt::format("the reader is asked no more: {} of its answers in a row "
                    "were of no use; programs are judged without it",
                    k_readings_failed_max));
  }
  return {};
}

bool only_readings_open(const RunState& state) {
  return std::all_of(state.open.begin(), state.open.end(),
                     [](const OpenProposal& open) { return is_reading(open.proposal); });
}

}  // namespace cupel::engine
