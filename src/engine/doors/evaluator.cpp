#include "engine/doors/evaluator.h"

namespace cupel::engine {

Status Evaluator::prebuild(const Candidate&) {
  return {};
}

Result<GraphExport> Evaluator::graph() {
  return GraphExport{{}, "this evaluator exports no graphs"};
}

Result<std::vector<std::vector<Label>>> Evaluator::labels(const std::vector<Candidate>&) {
  return environment_error("this evaluator labels nothing");
}

Result<Profile> Evaluator::profile(const Candidate*) {
  return environment_error("this evaluator profiles nothing");
}

Result<std::vector<Judgement>> Evaluator::judge_beside(const std::vector<Candidate>& programs) {
  std::vector<Judgement> judgements;
  for (const Candidate& program : programs) {
    CUPEL_TRY(Judgement judgement, judge({program}));
    judgements.push_back(std::move(judgement));
  }
  return judgements;
}

Result<Judgement> Evaluator::audit(const Candidate& program) {
  return judge({program});
}

}  // namespace cupel::engine
