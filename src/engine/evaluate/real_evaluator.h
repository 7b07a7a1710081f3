// The evaluator that everything but tests uses: measure's session, judge's verdicts, build's
// compiler behind the engine's door.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "engine/doors/evaluator.h"
#include "judge/timing/repeat.h"
#include "model/run.h"
#include "model/task.h"

namespace cupel::engine {

struct EvaluatorSettings {
  double time_limit_s = 0;  // of loading and of the first call; 0: the plan's defaults
  std::string python;       // "": see measure/jail/python_environment.h
  judge::RepeatLimits repeat;
  bool lint_only = false;    // admits and does not judge
  int programs = 2;          // of the judgements to come, eager among them: hosts kept warm
  bool compiles = false;     // their programs use torch.compile
  double timing_s = 0;       // of a first round; 0: the plan's
  int inputs_min = 0;        // that a round's times rest on; 0: the plan's
  bool for_prompts = false;  // facts hold what agents are shown of the program
};

// A search need not know how slow a loser is, and looks at many candidates: fewer rounds, and only
// while a gain of 2 % is possible. What it tells at its end is its audit's.
inline constexpr judge::RepeatLimits k_repeat_in_search{
    .rounds_max = 3, .seconds_max = 20, .ratio_wanted = 1.02, .told_seconds_max = 0};

// Checks the machine (Python, torch, sandbox) and starts the referee and the first warm hosts.
// Environment errors say what to install; a task's own errors come from admit().
Result<std::unique_ptr<Evaluator>> make_real_evaluator(const Task& task, const RunOptions& options,
                                                       const EvaluatorSettings& settings);

// libcupel_probe.so beside the running binary; "" if it is not there.
std::filesystem::path probe_library();

}  // namespace cupel::engine
