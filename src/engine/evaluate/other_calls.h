// What the winner's audit has a program do that the task's own calls never show: shapes that are
// held out, inputs in other layouts and that broadcast, the module's state after a call.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/doors/evaluator.h"
#include "measure/session.h"
#include "model/candidate.h"
#include "model/evidence.h"
#include "model/task.h"

namespace cupel::engine {

// What is tried beside what; the referred values must outlive it.
struct OtherCalls {
  const Task& task;
  Policy policy;
  const measure::SessionSettings& settings;
  const Admitted& admitted;
  const Candidate& reference;
  // A sitting on another task, of its own processes.
  std::function<Result<std::unique_ptr<measure::Session>>(const Task&)> further_sitting;
};

// `sitting`: on the task itself, open. What is wrong with a shape is the task's: it is noted in the
// round.
Result<std::vector<HeldOutRound>> try_others(const OtherCalls& calls, measure::Session& sitting,
                                             const Candidate& program);

}  // namespace cupel::engine
