// A judgement's loop over synthetic rounds, as the engine runs it: a round on fresh hosts, a
// verdict on all rounds, and another one while that helps.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>

#include "judge/synthetic_evidence.h"
#include "judge/timing/repeat.h"

namespace cupel::judge::synthetic {

// Standard deviation of what two equal programs differ by in two processes, as a share: drawn for
// each task between these.
struct ProcessNoise {
  double least = 0;
  double most = 0;
};

// A CPU's calls of 2.5 ms that scatter by 2 per cent; the exchange around them has another memory
// and so a noise of its own.
inline Evidence noisy_round(double speedup, double process_sigma, std::uint64_t seed) {
  constexpr double k_call_ns = 2500e3, k_exchange_ns = 10e3;
  constexpr int k_pairs = 60;
  Rng rng(seed);
  const auto differing = [&](double ns) {
    return testing_noise::lognormal(rng, ns, process_sigma);
  };
  Evidence evidence;
  evidence.programs = {
      program("eager", {k_call_ns, k_exchange_ns, 0.02, 0.05}, rng, k_pairs),
      program("candidate", {differing(k_call_ns / speedup), differing(k_exchange_ns), 0.02, 0.05},
              rng, k_pairs)};
  evidence.programs[0].role = Role::baseline;
  evidence.programs[0].trusted = true;
  evidence.exchanges_ns = {static_cast<std::int64_t>(k_exchange_ns)};
  return evidence;
}

struct Loops {
  std::map<Outcome, int> outcomes;
  int rounds = 0;  // of all together
  int count(Outcome outcome) const {
    const auto found = outcomes.find(outcome);
    return found == outcomes.end() ? 0 : found->second;
  }
};

inline Verdict judged_in_a_loop(double speedup, double process_sigma, std::uint64_t seed,
                                const RepeatLimits& limits, int& rounds) {
  constexpr std::uint64_t k_rounds_of_a_loop = 64;
  const auto round = [&](int number) {
    return noisy_round(speedup, process_sigma,
                       k_rounds_of_a_loop * seed + static_cast<std::uint64_t>(number));
  };
  for (rounds = 1;; ++rounds) {
    Verdict verdict = judged(over_rounds(rounds, round));
    if (!wants_repeat(verdict, rounds, limits)) return verdict;
  }
}

inline Loops loops_of(double speedup, const ProcessNoise& noise, int count, std::uint64_t seed,
                      const RepeatLimits& limits = {}) {
  Loops loops;
  Rng rng(seed);
  for (int loop = 0; loop < count; ++loop) {
    const double sigma = noise.least + (noise.most - noise.least) * rng.uniform();
    int rounds = 0;
    const Verdict verdict = judged_in_a_loop(speedup, sigma, rng.next() >> 8, limits, rounds);
    ++loops.outcomes[verdict.outcome];
    loops.rounds += rounds;
  }
  return loops;
}

}  // namespace cupel::judge::synthetic
