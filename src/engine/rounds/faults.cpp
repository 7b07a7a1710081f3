#include "engine/rounds/faults.h"

#include <utility>

namespace cupel::engine {
namespace {

Verdict infra_verdict(const Candidate& candidate, const Error& error) {
  Verdict verdict;
  verdict.candidate_id = candidate.id;
  verdict.label = candidate.label;
  verdict.outcome = Outcome::infra_fault;
  verdict.fault = Fault::us;
  verdict.reasons = {{"round_failed", error.describe(), 0, 0}};
  return verdict;
}

}  // namespace

Result<Judgement> recorded(Result<Judgement> judgement, const std::vector<Candidate>& programs) {
  if (judgement && judgement->verdicts.size() != programs.size()) {
    return bug_error("the evaluator gave " + std::to_string(judgement->verdicts.size()) +
                     " verdicts for " + std::to_string(programs.size()) + " programs");
  }
  if (judgement || judgement.error().tag != ErrorTag::infra) return judgement;
  return fault_of(programs, judgement.error());
}

Result<Judgement> judge_or_fault(Evaluator& evaluator, const std::vector<Candidate>& programs) {
  return recorded(evaluator.judge(programs), programs);
}

Result<Judgement> audit_or_fault(Evaluator& evaluator, const Candidate& program) {
  return recorded(evaluator.audit(program), {program});
}

Judgement fault_of(const std::vector<Candidate>& programs, const Error& error) {
  Judgement fault;
  fault.evidence.infra_fault = error.describe();
  for (const Candidate& program : programs) {
    fault.verdicts.push_back(infra_verdict(program, error));
  }
  return fault;
}

std::string fault_in(const Judgement& judgement) {
  if (!judgement.evidence.infra_fault.empty()) return judgement.evidence.infra_fault;
  for (const Verdict& verdict : judgement.verdicts) {
    if (verdict.outcome == Outcome::infra_fault) return verdict.label + " " + verdict.headline();
  }
  return "";
}

}  // namespace cupel::engine
