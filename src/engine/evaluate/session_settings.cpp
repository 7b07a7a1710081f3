#include "engine/evaluate/session_settings.h"

#include <algorithm>

#include "base/files.h"
#include "judge/limits.h"
#include "sandbox/cores.h"
#include "sandbox/jail.h"

namespace cupel::engine {
namespace {

// With a time limit of the user's, a later call gets no more than the first.
measure::MeasurePlan plan_for(double time_limit_s) {
  measure::MeasurePlan plan;
  if (time_limit_s > 0) {
    plan.load_seconds_max = time_limit_s;
    plan.first_call_seconds_max = time_limit_s;
    plan.call_seconds_min = std::min(plan.call_seconds_min, time_limit_s);
  }
  return plan;
}

// What no machine or no machine like this one can do: said before anything is begun.
Status check_feasible(const RunOptions& options) {
  if (options.policy == Policy::tf32 && options.device == "cpu") {
    return input_error("the policy tf32 means NVIDIA's TF32 matmuls, which a CPU does not have", "",
                       "use --policy eager, exact or half");
  }
  const int cores = sandbox::given_core_count();
  if (options.threads <= cores) return {};
  // Threads that share a core lose much of the baseline's time, and whoever starts fewer wins it.
  return input_error("programs cannot have " + std::to_string(options.threads) +
                         " threads: this process may use " + std::to_string(cores) + " cores",
                     "", "leave --threads out, or give it at most that many");
}

}  // namespace

std::filesystem::path probe_library() {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  for (const auto& directory : {self.parent_path(), self.parent_path() / "../lib/cupel"}) {
    const auto library = directory / "libcupel_probe.so";
    if (std::filesystem::exists(library, failure)) return library;
  }
  return {};
}

Result<measure::SessionSettings> session_settings(const RunOptions& options,
                                                  const EvaluatorSettings& settings) {
  CUPEL_TRY_STATUS(check_feasible(options));
  measure::SessionSettings session;
  CUPEL_TRY(session.home, home_directory());
  CUPEL_TRY(session.python,
            measure::inspect_python(measure::choose_python(settings.python, session.home)));
  CUPEL_TRY(session.device, measure::open_device(options.device));
  session.unjailed = options.sandbox == "none";
  CUPEL_TRY(const auto grade, sandbox::probe_grade(session.unjailed));
  session.sandbox_grade = to_string(grade);
  session.build_cache = cache_directory() / "build";
  session.work_parent = cache_directory() / "work";
  CUPEL_TRY_STATUS(make_directories(session.build_cache));
  for (const auto& directory : {session.build_cache, session.work_parent}) {
    sweep_temp_dirs(directory);
  }
  session.probe = probe_library();
  if (session.probe.empty() && !settings.lint_only) {
    return environment_error("libcupel_probe.so, which hosts need, is not beside the binary", "",
                             "build it (make), or copy it there");
  }
  session.threads = options.threads;
  session.metric = options.metric;
  session.warm_hosts = settings.lint_only ? 0 : settings.programs;
  session.lint_only = settings.lint_only;
  session.for_prompts = settings.for_prompts;
  session.compiles = settings.compiles;
  session.multiples = {judge::k_multiple_low_precision, judge::k_multiple_in_order,
                       judge::k_multiple_in_order_max};
  session.plan = plan_for(settings.time_limit_s);
  if (settings.timing_s > 0) session.plan.timing_seconds_max = settings.timing_s;
  if (settings.inputs_min > 0) session.plan.inputs_min = settings.inputs_min;
  if (settings.time_limit_s > 0) session.referee_seconds_max = 60 + 10 * settings.time_limit_s;
  return session;
}

}  // namespace cupel::engine
