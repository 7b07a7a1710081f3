// Every task file loads and describes itself, without running it.
#include <cstdio>

#include "base/clock.h"
#include "base/files.h"
#include "bench.h"
#include "measure/device/machine_memory.h"
#include "measure/referee/referee.h"
#include "measure/session.h"
#include "sandbox/cores.h"
#include "task/load.h"

namespace cupel::bench {
namespace {

constexpr double k_seconds_max = 120;

Result<TaskFacts> describe_task(const std::filesystem::path& file,
                                const measure::RefereeSettings& settings) {
  task::TaskArgument argument;
  argument.name = file.string();
  CUPEL_TRY(const Task task, task::load(argument, file.parent_path()));
  CUPEL_TRY(auto referee, measure::Referee::start(settings));
  return referee->open(task, task.settings.policy, 1, task.settings.value_classes);
}

std::string list(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (const auto& spec : specs) text += (text.empty() ? "" : " ") + cupel::describe(spec);
  return text;
}

}  // namespace

int loader(const Arguments& arguments) {
  measure::RefereeSettings settings;
  auto home = home_directory();
  if (!home) return 2;
  auto python = measure::inspect_python(measure::choose_python("", *home));
  if (!python) {
    std::fprintf(stderr, "%s\n", python.error().describe().c_str());
    return 2;
  }
  const std::int64_t memory = arguments.memory_bytes_max ? arguments.memory_bytes_max
                                                         : measure::machine_memory_bytes() * 6 / 10;
  settings = {*python,
              *home,
              measure::find_allocator(),
              sandbox::given_core_count(),
              static_cast<std::uint64_t>(memory),
              k_seconds_max,
              measure::open_cpu()->traits()};
  int described = 0;
  int too_large = 0;
  int failed = 0;
  for (const auto& file : task_files(arguments)) {
    auto facts = describe_task(file, settings);
    if (facts) {
      ++described;
      std::printf("ok    %-52s %s -> %s, %lld parameters\n", file.stem().c_str(),
                  list(facts->inputs).c_str(), list(facts->outputs).c_str(),
                  static_cast<long long>(facts->parameter_count));
    } else if (facts.error().what.find("memory") != std::string::npos) {
      ++too_large;
      std::printf("large %-52s %s\n", file.stem().c_str(), facts.error().what.c_str());
    } else {
      ++failed;
      std::printf("FAIL  %-52s %s\n", file.stem().c_str(), facts.error().describe().c_str());
    }
    std::fflush(stdout);
  }
  std::printf("\n%d described, %d too large for this machine (and said so), %d failed\n", described,
              too_large, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace cupel::bench
