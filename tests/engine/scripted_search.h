// Whole searches with agents, from a seed, on virtual time.
#pragma once

#include <filesystem>

#include "base/rng.h"
#include "engine/breeder.h"
#include "engine/doors/sitting.h"
#include "engine/lanes/simulated_lanes.h"
#include "engine/rehearse/scripted_agents.h"
#include "engine/scripted_run.h"

namespace cupel::engine {

inline RunRequest search_request(int queries) {
  RunRequest request = scripted_request(0);
  request.options.llm = "scripted";
  request.options.slots = 12;
  request.strategy_source = breeder(queries);
  return request;
}

// A search with a budget in dollars that a few lost questions do not end.
inline constexpr std::int64_t k_paid_question_nano_usd_max = 100'000'000;
inline constexpr std::int64_t k_paid_budget_nano_usd = 20'000'000'000;
inline RunRequest paid_request(int queries) {
  RunRequest request = search_request(queries);
  request.options.nano_usd_max = k_paid_budget_nano_usd;
  return request;
}

// Every knob of the lanes and of the provider drawn at random: short and long answers, failures,
// prices, one worker or many.
struct RandomWorld {
  ScriptedAgentsSettings agents;
  SimulatedLanesSettings lanes;
  std::uint64_t evaluator_seed = 0;

  explicit RandomWorld(std::uint64_t seed) {
    Rng rng(seed);
    agents.seed = rng.next();
    agents.concurrency_max = 1 + static_cast<int>(rng.below(12));
    agents.seconds_min = rng.uniform();
    agents.seconds_max = 60 * rng.uniform() + 1;
    agents.nano_usd_max = static_cast<std::int64_t>(1 + rng.below(300'000'000));
    agents.failed = 0.3 * rng.uniform();
    agents.unusable = 0.5 * rng.uniform();
    lanes.asks_max = agents.concurrency_max;
    lanes.builds_max = 1 + static_cast<int>(rng.below(4));
    lanes.builds_disturb = rng.below(2) == 0;
    const double build_s = 30 * rng.uniform();
    const double measure_s = 5 * rng.uniform();
    lanes.build_s = [build_s](const std::string&) { return build_s; };
    lanes.measure_s = [measure_s](const std::string&) { return measure_s; };
    evaluator_seed = rng.next();
  }
};

inline ScriptedEvaluator evaluator_of(std::uint64_t seed) {
  Script script;
  script.others_seed = seed;
  return ScriptedEvaluator(script);
}

// A world in which the order of all things follows from the journal alone: whatever was under way
// when a process died, the next one takes up the same. Nothing fails to be answered, since a
// process that starts anew would forget how often.
inline RandomWorld orderly_world(std::uint64_t seed) {
  RandomWorld world(seed);
  world.agents.failed = 0;
  world.lanes.one_at_a_time = true;
  return world;
}

// Opens a journal for a run whose proposals a test makes itself.
inline journal::Journal begun(const std::filesystem::path& directory, const Clock& clock,
                              const RunRequest& request = search_request(4)) {
  journal::Journal journal = open_or_die(directory, clock);
  CUPEL_CHECK(journal.begin_sitting().has_value());
  CUPEL_CHECK(journal.start(request).has_value());
  CUPEL_CHECK(journal.admit({}).has_value());
  return journal;
}

// A sitting of such a run, with all that it refers to.
struct ScriptedSitting {
  ScriptedSitting(journal::Journal& journal, FakeClock& clock, const Script& script)
      : evaluator(script),
        lanes({}, evaluator, agents, clock),
        sitting{evaluator, journal, lanes, agents, progress, stop} {}

  ScriptedProvider provider{{}};
  const Agents agents = scripted_agents(provider);
  ScriptedEvaluator evaluator;
  SimulatedLanes lanes;
  SilentSink progress;
  const StopFlag stop;
  Sitting sitting;
};

// One sitting on virtual time.
inline Result<RunRecord> sit_in(const RandomWorld& world, const RunRequest& request,
                                journal::Journal& journal, FakeClock& clock) {
  ScriptedProvider provider(world.agents);
  const Agents agents = scripted_agents(provider);
  ScriptedEvaluator evaluator = evaluator_of(world.evaluator_seed);
  SimulatedLanes lanes(world.lanes, evaluator, agents, clock);
  SilentSink sink;
  return run(request, Means(evaluator, agents, &lanes), journal, sink);
}

}  // namespace cupel::engine
