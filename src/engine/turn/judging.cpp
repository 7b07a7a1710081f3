#include "engine/turn/judging.h"

#include <algorithm>

#include "engine/plan/schedule.h"
#include "engine/rounds/faults.h"
#include "engine/turn/labelling.h"
#include "search/winning/standing.h"

namespace cupel::engine {
namespace {

using journal::OpenProposal;

// With a candidate and not at work.
std::vector<OpenProposal> waiting(const journal::RunState& state,
                                  const std::set<std::string>& in_flight) {
  std::vector<OpenProposal> found;
  for (const OpenProposal& open : state.open) {
    const bool at_work = in_flight.contains(open.proposal.id);
    if (!open.candidate.id.empty() && !at_work) found.push_back(open);
  }
  return found;
}

bool is_ready(const OpenProposal& open) {
  return open.built || !is_built_ahead(open.proposal);
}

bool is_measuring(const journal::RunState& state, const std::set<std::string>& in_flight) {
  return std::any_of(state.open.begin(), state.open.end(), [&](const OpenProposal& open) {
    return !open.candidate.id.empty() && is_ready(open) && in_flight.contains(open.proposal.id);
  });
}

// Seeds go side by side where that saves time. What others wrote is judged alone: a program that
// takes memory or leaves work behind must not be able to put it on another.
std::vector<const OpenProposal*> group_of(const OpenProposal& first,
                                          const std::vector<OpenProposal>& others, int size_max) {
  std::vector<const OpenProposal*> group{&first};
  if (first.proposal.kind != Proposal::Kind::seed) return group;
  for (const OpenProposal& open : others) {
    if (static_cast<int>(group.size()) >= size_max) break;
    if (&open != &first && open.proposal.kind == Proposal::Kind::seed) group.push_back(&open);
  }
  return group;
}

// Returns the group's proposals.
std::vector<std::string> measure_group(Sitting& sitting,
                                       const std::vector<const OpenProposal*>& group) {
  std::vector<std::string> ids;
  std::vector<Candidate> programs;
  for (const OpenProposal* open : group) {
    ids.push_back(open->proposal.id);
    programs.push_back(open->candidate);
  }
  if (group.size() == 1) {
    sitting.lanes.measure(ids.front(), programs);
  } else {
    sitting.lanes.measure_beside(ids, programs);
  }
  return ids;
}

}  // namespace

bool is_built_ahead(const Proposal& proposal) {
  return !search::is_free(proposal);
}

// A candidate that waits to be measured while nothing is measured waits for builds that disturb: it
// holds back new ones, else builds could follow builds for ever.
std::vector<std::string> start_work(Sitting& sitting, const std::set<std::string>& in_flight,
                                    double seconds_left) {
  std::vector<std::string> started;
  bool measuring = is_measuring(sitting.state(), in_flight);
  bool builds_wait = false;
  const std::vector<OpenProposal> candidates =
      measuring_order(sitting.state(), waiting(sitting.state(), in_flight),
                      sitting.journal.elapsed_s(), seconds_left);
  for (const OpenProposal& open : candidates) {
    if (std::find(started.begin(), started.end(), open.proposal.id) != started.end()) continue;
    if (is_ready(open)) {
      if (awaits_labels(sitting, open)) continue;
      if (!sitting.lanes.can_measure()) {
        builds_wait = !measuring;
        continue;
      }
      const auto group = group_of(open, candidates, sitting.evaluator.programs_beside());
      for (std::string& id : measure_group(sitting, group)) started.push_back(std::move(id));
      measuring = true;
    } else if (!builds_wait && sitting.lanes.can_build()) {
      sitting.lanes.build(open.proposal.id, open.candidate);
      started.push_back(open.proposal.id);
    }
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

Status take_measurements(Sitting& sitting, MeasuredBeside measured) {
  CUPEL_TRY(std::vector<Judgement> judgements, std::move(measured.judgements));
  const double part_s = measured.seconds / static_cast<double>(judgements.size());
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    CUPEL_TRY_STATUS(
        take_measurement(sitting, measured.subjects[i], {std::move(judgements[i]), part_s}));
  }
  return {};
}

}  // namespace cupel::engine
