// Programs that are judged side by side, though nobody compares them: one after the other each
// would wait for its own compiler.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "engine/doors/evaluator.h"

namespace cupel::engine {

// Programs that fit into one round with that much of the device's memory, eager among them; 2
// to 16. Each has its slots, its part of the vault, and needs some times its inputs and outputs to
// work in, or what the reference needs if that is more.
int programs_fitting(const TaskFacts& facts, std::int64_t round_bytes_max);

std::vector<std::string> ids_of(const std::vector<Candidate>& programs);

// Judges several programs in one round, one for as long as it takes. Errors as of
// Evaluator::judge().
using JudgeTogether = std::function<Result<Judgement>(const std::vector<Candidate>&)>;

// evaluator.judge_beside(). An infra error becomes infra faults of all, so that they are recorded
// and retried like one; other errors stay errors.
Result<std::vector<Judgement>> judge_beside_or_fault(Evaluator& evaluator,
                                                     const std::vector<Candidate>& programs);

// `judge` holds one round of all; then alone what `again` wants, and what may have failed for want
// of memory or time beside the others. Where the round itself fails, as for want of memory, two
// rounds of half of them. Every judgement has the evidence of its own program beside the baseline.
Result<std::vector<Judgement>> judge_together(const std::vector<Candidate>& programs,
                                              const JudgeTogether& judge,
                                              const std::function<bool(const Verdict&)>& again);

// What a joint judgement says of program `index`, by itself: the baseline's evidence and its own,
// and its ratio over eager.
Judgement part_of(const Judgement& joint, std::size_t index);

}  // namespace cupel::engine
