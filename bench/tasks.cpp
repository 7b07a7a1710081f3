#include <algorithm>
#include <cstdio>

#include "bench.h"
#include "engine/evaluate/real_evaluator.h"
#include "task/load.h"

namespace cupel::bench {
namespace fs = std::filesystem;
namespace {

std::pair<long, std::string> sort_key(const fs::path& path) {
  const std::string name = path.stem();
  return {std::atol(name.c_str()), name};
}

}  // namespace

std::vector<fs::path> task_files(const Arguments& arguments) {
  std::vector<fs::path> files;
  for (const auto& path : arguments.tasks) {
    std::vector<fs::path> found;
    if (!fs::is_directory(path))
      found.push_back(path);
    else {
      for (const auto& entry : fs::directory_iterator(path)) {
        if (entry.path().extension() == ".py") found.push_back(entry.path());
      }
    }
    std::sort(found.begin(), found.end(),
              [](const fs::path& a, const fs::path& b) { return sort_key(a) < sort_key(b); });
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

Result<Opened> open_task(const fs::path& file, const Arguments& arguments, int programs) {
  Opened opened;
  task::TaskArgument argument;
  argument.name = file.string();
  if (!arguments.mode.empty()) {
    CUPEL_TRY(argument.mode, parse_mode(arguments.mode));
  }
  CUPEL_TRY(opened.task, task::load(argument, file.parent_path()));
  RunOptions options;
  options.policy = opened.task.settings.policy;
  if (!arguments.policy.empty()) {
    CUPEL_TRY(options.policy, parse_policy(arguments.policy));
  }
  options.device = arguments.device;
  engine::EvaluatorSettings settings;
  settings.lint_only = arguments.what == "lint";
  settings.programs = programs;
  settings.compiles = arguments.what == "portfolio";
  settings.time_limit_s = arguments.limit_s;
  settings.timing_s = arguments.timing_s;
  settings.inputs_min = arguments.inputs_min;
  if (arguments.rounds_max > 0) settings.repeat.rounds_max = arguments.rounds_max;
  CUPEL_TRY(opened.evaluator, engine::make_real_evaluator(opened.task, options, settings));
  CUPEL_TRY(opened.admitted, opened.evaluator->admit());
  return opened;
}

Candidate reference_candidate(const Task& task, double slowdown) {
  if (slowdown == 0) return make_candidate(task.source + "\n\nModelNew = Model\n", "reference");
  char wrapper[512];
  std::snprintf(wrapper, sizeof wrapper,
                "\n\nimport time as _time\n\n\n"
                "class ModelNew(Model):\n"
                "    def forward(self, *inputs):\n"
                "        start = _time.perf_counter_ns()\n"
                "        result = super().forward(*inputs)\n"
                "        now = _time.perf_counter_ns()\n"
                "        end = now + int((now - start) * %.6f)\n"
                "        while _time.perf_counter_ns() < end:\n"
                "            pass\n"
                "        return result\n",
                slowdown);
  return make_candidate(task.source + wrapper, "slowed reference");
}

}  // namespace cupel::bench
