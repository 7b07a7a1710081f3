#include "engine/judging.h"

#include <algorithm>

#include "engine/engine.h"

namespace cupel::engine {
namespace {

using journal::OpenProposal;

// What costs nothing is compiled when it is judged, as it always was: seeds compile in the host.
bool is_built_ahead(const Proposal& proposal) {
  return asks_agent(proposal.kind);
}

// With a candidate and not at work, in the order in which the candidates became known.
std::vector<OpenProposal> waiting(const journal::RunState& state,
                                  const std::set<std::string>& in_flight) {
  std::vector<OpenProposal> found;
  for (const OpenProposal& open : state.open) {
    const bool at_work = in_flight.contains(open.proposal.id);
    if (!open.candidate.id.empty() && !at_work) found.push_back(open);
  }
  std::sort(found.begin(), found.end(), [](const OpenProposal& left, const OpenProposal& right) {
    return left.candidate_number < right.candidate_number;
  });
  return found;
}

bool is_ready(const OpenProposal& open) {
  return open.built || !is_built_ahead(open.proposal);
}

}  // namespace

// A candidate that waits to be measured holds back new builds where they exclude each other:
// else builds could follow builds for ever.
std::vector<std::string> start_work(Sitting& sitting, const std::set<std::string>& in_flight) {
  std::vector<std::string> started;
  bool is_ready_waiting = false;
  for (const OpenProposal& open : waiting(sitting.state(), in_flight)) {
    if (is_ready(open)) {
      if (!sitting.lanes.can_measure()) {
        is_ready_waiting = true;
        continue;
      }
      sitting.lanes.measure(open.proposal.id, {open.candidate});
    } else if (!is_ready_waiting && sitting.lanes.can_build()) {
      sitting.lanes.build(open.proposal.id, open.candidate);
    } else {
      continue;
    }
    started.push_back(open.proposal.id);
  }
  return started;
}

Status take_build(Sitting& sitting, const std::string& proposal_id, const Built& built) {
  const std::string problem = built.status ? "" : built.status.error().describe();
  return sitting.journal.build({proposal_id, built.seconds, problem});
}

Status take_measurement(Sitting& sitting, const std::string& proposal_id, Measured measured) {
  const OpenProposal* const open = journal::find_open(sitting.state(), proposal_id);
  CUPEL_CHECK(open != nullptr);
  const int faults = open->faults;
  const std::string candidate_id = open->candidate.id;
  CUPEL_TRY(const Judgement judgement, std::move(measured.judgement));
  const ProposalJudged body{proposal_id, candidate_id, judgement.verdicts.front(),
                            measured.seconds};
  if (body.verdict.outcome == Outcome::infra_fault && faults < k_infra_retries) {
    sitting.progress.on_note(body.verdict.label +
                             " is tried once more: " + body.verdict.headline());
    return sitting.journal.fault(body, judgement.evidence);
  }
  CUPEL_TRY_STATUS(sitting.journal.judge(body, judgement.evidence));
  sitting.progress.on_judged(sitting.state().record.judged.back());
  return {};
}

}  // namespace cupel::engine
