#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

#include "bench.h"

namespace cupel::bench {
namespace {

constexpr const char* k_usage =
    "usage: cupel_bench WHAT [--repeat N] [--beside N] [--autocast 0] [--slowdown 0.03] "
    "[--min-ms M] [--max-ms M] [--memory-gib G] [--candidate FILE] [--dump DIR] [--device cuda] "
    "[--policy P] [--mode M] [--effort E] [--also NAMES] [--only NAMES] [--rewrites 1] [--without "
    "NAMES] [--round-gib G] "
    "[--limit S] [--timing S] [--inputs N] [--rounds N] TASK_OR_FOLDER...\n"
    "  loader       every task file loads and describes itself\n"
    "  identity     the reference as its own candidate, or a FILE that takes as long: ratio, "
    "outcome\n"
    "  sensitivity  the reference slowed by a known part: how often it is called slower\n"
    "  soundness    right programs under every policy, --repeat N times: how many are turned away\n"
    "  cost         where the wall time of a verdict goes, hosts warm\n"
    "  lint         admission: mutants, degenerate tasks, what plain allclose would accept\n"
    "  portfolio    all free variants of a task side by side in one round, as a JSON line\n"
    "  verdicts     TASK.py CANDIDATE.py...: the candidates side by side, as a JSON line\n"
    "  faults       a batch with faults injected, beside the same without; --repeat N (1000)\n"
    "without a task:\n"
    "  journal      events appended a second, and memory over 10,000 candidates\n"
    "  lanes        asynchronous search against phases that wait, on virtual time\n"
    "  simulate     strategies on synthetic tasks; --repeat N runs each (1000)\n"
    "  simulate-fit fits the synthetic tasks to published figures\n"
    "  simulate-spread how the comparison depends on what was assumed\n";

bool take_option(Arguments& arguments, const std::string& name, const std::string& value) {
  const double number = std::atof(value.c_str());
  if (name == "--repeat")
    arguments.repeat = static_cast<int>(number);
  else if (name == "--beside")
    arguments.beside = std::max(1, static_cast<int>(number));
  else if (name == "--autocast")
    arguments.autocast = number != 0;
  else if (name == "--slowdown")
    arguments.slowdown = number;
  else if (name == "--min-ms")
    arguments.min_ms = number;
  else if (name == "--max-ms")
    arguments.max_ms = number;
  else if (name == "--memory-gib")
    arguments.memory_bytes_max = static_cast<std::int64_t>(number * (1 << 30));
  else if (name == "--candidate")
    arguments.candidate = value;
  else if (name == "--dump")
    arguments.dump = value;
  else if (name == "--device")
    arguments.device = value;
  else if (name == "--policy")
    arguments.policy = value;
  else if (name == "--mode")
    arguments.mode = value;
  else if (name == "--effort")
    arguments.effort = value;
  else if (name == "--also")
    arguments.also = value;
  else if (name == "--only")
    arguments.only = value;
  else if (name == "--rewrites")
    arguments.rewrites = number != 0;
  else if (name == "--without")
    arguments.without = value;
  else if (name == "--round-gib")
    arguments.round_bytes_max = static_cast<std::int64_t>(number * (1 << 30));
  else if (name == "--timing")
    arguments.timing_s = number;
  else if (name == "--inputs")
    arguments.inputs_min = static_cast<int>(number);
  else if (name == "--rounds")
    arguments.rounds_max = static_cast<int>(number);
  else if (name == "--limit")
    arguments.limit_s = number;
  else
    return false;
  return true;
}

int run(int argc, char** argv) {
  const std::map<std::string, std::function<int(const Arguments&)>> benches{
      {"loader", loader},
      {"identity", identity},
      {"sensitivity", sensitivity},
      {"soundness", soundness},
      {"cost", cost},
      {"lint", lint},
      {"journal", journal},
      {"portfolio", portfolio},
      {"verdicts", verdicts},
      {"faults", faults},
      {"lanes", lanes},
      {"simulate", simulate_ladder},
      {"simulate-fit", simulate_fit},
      {"simulate-spread", simulate_spread}};
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    if (text.starts_with("--") && i + 1 < argc && take_option(arguments, text, argv[i + 1]))
      ++i;
    else if (arguments.what.empty())
      arguments.what = text;
    else
      arguments.tasks.emplace_back(text);
  }
  const auto chosen = benches.find(arguments.what);
  const bool needs_task = arguments.what != "journal" && arguments.what != "lanes" &&
                          !arguments.what.starts_with("simulate");
  if (chosen == benches.end() || (needs_task && arguments.tasks.empty())) {
    std::fputs(k_usage, stderr);
    return 2;
  }
  return chosen->second(arguments);
}

}  // namespace
}  // namespace cupel::bench

int main(int argc, char** argv) {
  return cupel::bench::run(argc, argv);
}
