#include "engine/plan/durations.h"

#include <algorithm>
#include <vector>

#include "stats/quantile.h"

namespace cupel::engine {
namespace {

// Of a judgement, before one was seen. Hopeful: the second one knows better.
constexpr double k_judgement_s = 3;
// Of the times seen so far: three in four take less.
constexpr double k_quantile = 0.75;

double typical(const std::vector<double>& seconds, double otherwise) {
  if (seconds.empty()) return otherwise;
  return stats::quantile(seconds, k_quantile);
}

bool is_seed(const Proposal& proposal) {
  return proposal.kind == Proposal::Kind::seed;
}

// On a quiet machine, as the portfolio has it.
double compile_s(const journal::RunState& state, const Proposal& proposal) {
  for (const Seed& seed : state.seeds) {
    if (is_seed(proposal) && seed.name == proposal.label) return seed.expected_compile_s;
  }
  return 0;
}

}  // namespace

double answer_s(const journal::RunState& state, const std::string& provider, Proposal::Kind kind,
                double otherwise) {
  std::vector<double> of_kind, of_any;
  for (const auto& [key, answers] : state.answers) {
    if (key.first != provider) continue;
    of_any.insert(of_any.end(), answers.seconds.begin(), answers.seconds.end());
    if (key.second == kind) of_kind = answers.seconds;
  }
  return typical(of_kind, typical(of_any, otherwise));
}

double judgement_s(const journal::RunState& state, bool bought) {
  std::vector<double> alike, all;
  for (const Judged& judged : state.record.judged) {
    if (judged.seconds <= 0) continue;  // a reply without a program
    all.push_back(judged.seconds);
    if (asks_agent(judged.proposal.kind) == bought) alike.push_back(judged.seconds);
  }
  return typical(alike, typical(all, k_judgement_s));
}

double seed_s(const journal::RunState& state, const Proposal& seed) {
  std::vector<double> beside;
  for (const Judged& judged : state.record.judged) {
    const bool compiled = asks_agent(judged.proposal.kind) || compile_s(state, judged.proposal) > 0;
    if (judged.seconds > 0 && !compiled) beside.push_back(judged.seconds);
  }
  const double beside_s = typical(beside, k_judgement_s);
  double expected_s = 0, taken_s = 0;
  for (const Judged& judged : state.record.judged) {
    const double own_s = compile_s(state, judged.proposal);
    if (own_s <= 0 || judged.seconds <= 0) continue;
    expected_s += own_s;
    taken_s += std::max(0.0, judged.seconds - beside_s);
  }
  const double slowness = expected_s > 0 ? std::max(1.0, taken_s / expected_s) : 1;
  return beside_s + slowness * compile_s(state, seed);
}

}  // namespace cupel::engine
