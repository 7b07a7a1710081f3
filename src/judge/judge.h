// Evidence and an admission in, a verdict out. Pure: no clock, file or socket; equal arguments
// give equal verdicts.
#pragma once

#include <cstddef>
#include <vector>

#include "judge/admission.h"
#include "model/evidence.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel::judge {

// The verdict on evidence.programs[program], for 1 <= program < programs.size(); [0] is the
// baseline. Order of precedence: infra fault, host fault, wrong, suspect, impossible, timing.
// Only timing outcomes, suspects and impossible ones carry ratios: [0] over the baseline, further
// ones over the round's other programs that passed, in the round's order. `settings` says what
// the task itself allows (strict strides, mutated inputs).
Verdict judge(const Evidence& evidence, std::size_t program, const TaskFacts& facts,
              const Admission& admission, const TaskSettings& settings = {});

// The verdicts on all programs but the baseline, in the round's order.
std::vector<Verdict> judge_all(const Evidence& evidence, const TaskFacts& facts,
                               const Admission& admission, const TaskSettings& settings = {});

}  // namespace cupel::judge
