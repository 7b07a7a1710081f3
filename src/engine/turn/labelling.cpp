#include "engine/turn/labelling.h"

#include <vector>

namespace cupel::engine {

bool awaits_labels(const Sitting& sitting, const journal::OpenProposal& open) {
  return sitting.evaluator.can_label() && open.proposal.kind != Proposal::Kind::seed &&
         !open.candidate.id.empty() && !sitting.state().record.labels.contains(open.candidate.id);
}

std::optional<std::string> start_labels(Sitting& sitting) {
  if (!sitting.lanes.can_measure()) return std::nullopt;
  std::vector<Candidate> programs;
  for (const journal::OpenProposal& open : sitting.state().open) {
    if (awaits_labels(sitting, open)) programs.push_back(open.candidate);
  }
  if (programs.empty()) return std::nullopt;
  const std::string subject = "labels";
  sitting.lanes.label(subject, programs);
  return subject;
}

Status take_labels(Sitting& sitting, LabelledPrograms labelled) {
  if (!labelled.labels) {
    sitting.progress.on_note("programs go unlabelled: " + labelled.labels.error().describe());
  }
  for (std::size_t i = 0; i < labelled.candidate_ids.size(); ++i) {
    Labelled one{labelled.candidate_ids[i], {}};
    if (labelled.labels) one.labels = std::move((*labelled.labels)[i]);
    CUPEL_TRY_STATUS(sitting.journal.label(one));
  }
  return {};
}

}  // namespace cupel::engine
