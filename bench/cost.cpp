// Where the wall time of a verdict goes.
#include <unistd.h>

#include <cstdio>

#include "base/clock.h"
#include "bench.h"

namespace cupel::bench {
namespace {

// Warm hosts are the premise: let the stock finish importing torch.
constexpr unsigned k_warm_up_seconds = 5;

// Of one round on average.
void print_cost(const char* label, const Evidence& evidence) {
  const RoundCost& cost = evidence.cost;
  std::printf("%-28s %6d %6zu", label, evidence.rounds, evidence.programs[1].calls.size());
  for (const double part :
       {cost.wall_ms, cost.wait_hosts_ms, cost.load_ms, cost.warmup_ms, cost.prepare_ms,
        cost.calls_ms, cost.compare_ms, cost.audit_ms, cost.judge_cpu_ms}) {
    std::printf(" %7.0f", part / evidence.rounds);
  }
  std::printf("\n");
}

// Its sitting of its own (referee, hosts) included; the round's columns leave that out.
void print_audit(Opened& opened, const Candidate& candidate) {
  const SystemClock clock;
  const auto start_ns = clock.now_ns();
  auto audited = opened.evaluator->audit(candidate);
  if (!audited) {
    std::printf("  audit: %s\n", audited.error().describe().c_str());
    return;
  }
  print_cost("  audit", audited->evidence);
  const double all_s = static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_s;
  const RoundCost& of_rounds = audited->evidence.cost;
  std::printf("  audit: %.2f s in all, %.2f s of it endurance, %.2f s trials and opening, %s\n",
              all_s, of_rounds.endurance_ms / 1e3, all_s - of_rounds.wall_ms / 1e3,
              audited->verdicts.front().headline().c_str());
  std::fflush(stdout);
}

}  // namespace

int cost(const Arguments& arguments) {
  std::printf(
      "milliseconds of one round, hosts warm; a verdict takes that many rounds\n"
      "%-28s %6s %6s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n",
      "task", "rounds", "calls", "wall", "hosts", "load", "warm-up", "prepare", "calls", "compare",
      "audit", "C++ cpu");
  for (const auto& file : task_files(arguments)) {
    auto opened = open_task(file, arguments);
    if (!opened) {
      std::printf("%-28s %s\n", file.stem().c_str(), opened.error().describe().c_str());
      continue;
    }
    const Candidate candidate = reference_candidate(opened->task, 0);
    for (int i = 0; i < arguments.repeat; ++i) {
      ::sleep(k_warm_up_seconds);
      auto judged = opened->evaluator->judge({candidate});
      if (judged) print_cost(opened->task.name.c_str(), judged->evidence);
      std::fflush(stdout);
      print_audit(*opened, candidate);
    }
  }
  return 0;
}

}  // namespace cupel::bench
