// The few calls into what measures and what this machine can do.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/doors/evaluator.h"
#include "judge/timing/repeat.h"
#include "model/run.h"
#include "options.h"

namespace cupel::cli {

// The real evaluator for a task, to judge candidates by; starts processes.
Result<std::unique_ptr<engine::Evaluator>> make_evaluator(const Task& task, const RunOptions& run,
                                                          const Options& options);

// The one of a search: fewer rounds, and facts that prompts need.
Result<std::unique_ptr<engine::Evaluator>> make_search_evaluator(const Task& task,
                                                                 const RunOptions& run,
                                                                 const Options& options);

// Admits a task that nothing will be judged on, showing progress. From then on signals stop
// the process in good order.
Result<engine::Admitted> admit_alone(const Task& task, const RunOptions& run,
                                     const Options& options);

// What a journal and prompts say about the machine: "cpu", "cores", "caches", "vector units",
// "memory", "cupel"; for the device "cuda" also "gpu" and facts whose names begin with it.
std::map<std::string, std::string> describe_machine(const std::string& device);

// "2.13.0+cpu": of the Python that programs run in; "" where there is none.
std::string torch_version(const Options& options);

// One line of `cupel doctor`.
struct Probe {
  enum class State { good, poor, missing };  // poor: works, but less well
  std::string name;
  State state = State::good;
  std::string found;
  std::string advice;  // what to do about poor and missing
};
std::vector<Probe> probe_machine(const Options& options);

// Where runs are kept: $CUPEL_RUNS, else ./runs.
std::filesystem::path runs_directory();

}  // namespace cupel::cli
