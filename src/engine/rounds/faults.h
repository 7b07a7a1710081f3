// Rounds that could not be held, as judgements: an infra fault is a verdict of each program, is
// recorded and is retried.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/doors/evaluator.h"

namespace cupel::engine {

// Judgements of one program, or of the final table, that may end in an infra fault before the
// fault is taken as the verdict.
inline constexpr int k_infra_retries = 1;

// An infra error becomes a judgement whose verdicts are infra faults, so that it is recorded and
// retried like one; other errors stay errors.
Result<Judgement> recorded(Result<Judgement> judgement, const std::vector<Candidate>& programs);

// All of them in the same rounds; recorded().
Result<Judgement> judge_or_fault(Evaluator& evaluator, const std::vector<Candidate>& programs);

// The same for an audit.
Result<Judgement> audit_or_fault(Evaluator& evaluator, const Candidate& program);

// What stands for a round that could not be held.
Judgement fault_of(const std::vector<Candidate>& programs, const Error& error);

// Why the round does not count: its own fault or a program's; empty if it counts.
std::string fault_in(const Judgement& judgement);

}  // namespace cupel::engine
