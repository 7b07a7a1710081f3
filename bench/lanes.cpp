// Asynchronous lanes against phases that wait for their slowest member, on virtual time: the same
// replies, builds and measurements, other strategies.
#include <cstdio>
#include <string>

#include "base/files.h"
#include "bench.h"
#include "engine/engine.h"
#include "engine/lanes/simulated_lanes.h"
#include "engine/rehearse/scripted_agents.h"
#include "engine/rehearse/scripted_evaluator.h"
#include "journal/journal.h"

namespace cupel::bench {
namespace {

constexpr double k_ask_s = 20;
constexpr double k_build_s = 20;
constexpr double k_measure_s = 2;
constexpr int k_branches = 10;
constexpr int k_queries = 300;
// Questions and builds at once: as many as a phase has branches, and what `cupel` keeps in flight.
constexpr int k_lane_widths[] = {k_branches, 16};

engine::RunRequest request_for(const std::string& strategy, int width) {
  engine::RunRequest request;
  request.run_id = strategy;
  request.task.name = "lanes";
  request.options.strategy = strategy;
  request.options.llm = "scripted";
  request.options.queries_max = k_queries;
  request.options.slots = 2 * width;
  request.seed_source = [](const TaskFacts&) { return std::vector<Seed>(); };
  return request;
}

// The record of a search in which about four of ten programs fail at first.
Result<RunRecord> search_with(const std::string& strategy, int width, std::uint64_t seed) {
  CUPEL_TRY(const TempDir directory, TempDir::create("/tmp", "bench-lanes"));
  FakeClock clock;
  CUPEL_TRY(auto journal, journal::Journal::open(directory.path(), clock));
  engine::ScriptedAgentsSettings settings;
  settings.seed = seed;
  settings.concurrency_max = width;
  settings.seconds_min = settings.seconds_max = k_ask_s;
  engine::ScriptedProvider provider(settings);
  const engine::Agents agents = engine::scripted_agents(provider);
  engine::Script script;
  script.others_seed = seed;
  engine::ScriptedEvaluator evaluator(script);
  engine::SimulatedLanesSettings lanes_settings;
  lanes_settings.asks_max = width;
  lanes_settings.builds_max = width;
  lanes_settings.builds_disturb = false;
  lanes_settings.build_s = [](const std::string&) { return k_build_s; };
  lanes_settings.measure_s = [](const std::string&) { return k_measure_s; };
  engine::SimulatedLanes lanes(lanes_settings, evaluator, agents, clock);
  engine::SilentSink sink;
  return engine::run(request_for(strategy, width), engine::Means(evaluator, agents, &lanes),
                     journal, sink);
}

struct Total {
  double wall_s = 0;
  std::int64_t queries = 0;
  std::size_t judged = 0;
};

Result<Total> total_of(const std::string& strategy, int width, int repeat) {
  Total total;
  for (int seed = 1; seed <= repeat; ++seed) {
    CUPEL_TRY(const RunRecord record,
              search_with(strategy, width, static_cast<std::uint64_t>(seed)));
    total.wall_s += record.wall_s;
    total.queries += record.queries;
    total.judged += record.judged.size();
  }
  return total;
}

Status compare(int width, int repeat) {
  double pike_b_s = 0;
  for (const char* strategy : {"pike-b", "cupel"}) {
    CUPEL_TRY(const Total total, total_of(strategy, width, repeat));
    if (pike_b_s == 0) pike_b_s = total.wall_s;
    std::printf("%-10s %8d %12.0f %10.0f %10.0f %9.0f%%\n", strategy, width, total.wall_s / repeat,
                static_cast<double>(total.queries) / repeat,
                static_cast<double>(total.judged) / repeat, 100 * total.wall_s / pike_b_s);
  }
  return {};
}

Status compare_all(int repeat) {
  std::printf(
      "answers %.0f s, builds %.0f s, measurements %.0f s, %d branches, %d queries, mean of %d "
      "runs\n",
      k_ask_s, k_build_s, k_measure_s, k_branches, k_queries, repeat);
  std::printf("%-10s %8s %12s %10s %10s %10s\n", "strategy", "at once", "wall s", "queries",
              "judged", "of pike-b");
  for (const int width : k_lane_widths) CUPEL_TRY_STATUS(compare(width, repeat));
  return {};
}

}  // namespace

int lanes(const Arguments& arguments) {
  const Status outcome = compare_all(arguments.repeat);
  if (!outcome) std::fprintf(stderr, "%s\n", outcome.error().describe().c_str());
  return outcome ? 0 : 1;
}

}  // namespace cupel::bench
