#include "simulate/verdicts.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "simulate/draws.h"

namespace cupel::simulate {
namespace {

constexpr double k_z_95 = 1.96;
constexpr double k_same_reach = 0.02;  // an interval around 1 this narrow says `same`
constexpr double k_original_ms = 10;   // of the original; only ratios matter
constexpr int k_pairs = 100;

Outcome outcome_of(double low, double high) {
  if (low > 1) return Outcome::faster;
  if (high < 1) return Outcome::slower;
  const bool narrow = low > 1 - k_same_reach && high < 1 + k_same_reach;
  return narrow ? Outcome::same : Outcome::ambiguous;
}

// Assumed shares; no strategy tells them apart.
constexpr std::array<double, 3> k_failure_shares{0.4, 0.25, 0.35};
constexpr std::array<Outcome, 3> k_failures{Outcome::build_error, Outcome::runtime_error,
                                            Outcome::wrong};

// So that programs spread over the half-octaves of length in which MAP-Elites tells them apart:
// 50 bytes without an idea, 2,000 with six.
constexpr int k_lines_of_an_idea = 12;

// As strategies that tune find it (search/tuning.h).
std::string number_of(const Program& program, std::size_t idea) {
  if (idea >= program.numbers.size() || program.numbers[idea].choices == 0) return "";
  const Number& number = program.numbers[idea];
  std::string text = fmt::format("; n = {}  # tune:", number.chosen + 1);
  for (int choice = 1; choice <= number.choices; ++choice) text += fmt::format(" {}", choice);
  return text;
}

}  // namespace

Verdict timed_verdict(double log_ratio, double noise_sigma, Rng& rng) {
  const double measured = log_ratio + noise_sigma * normal(rng);
  Ratio ratio;
  ratio.over = "eager";
  ratio.ratio = std::exp(measured);
  ratio.low = std::exp(measured - k_z_95 * noise_sigma);
  ratio.high = std::exp(measured + k_z_95 * noise_sigma);
  ratio.over_ms = k_original_ms;
  ratio.candidate_ms = k_original_ms / ratio.ratio;
  ratio.pairs = k_pairs;
  Verdict verdict;
  verdict.outcome = outcome_of(ratio.low, ratio.high);
  verdict.ratios = {ratio};
  return verdict;
}

Verdict failing_verdict(Rng& rng) {
  Verdict verdict;
  verdict.outcome = k_failures[weighted(rng, k_failure_shares)];
  verdict.fault = Fault::candidate;
  return verdict;
}

std::string source_of(const Program& program, std::int64_t serial) {
  std::string text = fmt::format("# {}\nclass ModelNew: approach = {}\n", serial, program.approach);
  if (program.on_seed) text += "compiled = True\n";
  for (std::size_t i = 0; i < program.quality.size(); ++i) {
    if (program.quality[i] <= 0) continue;
    text += fmt::format("def f{}(): {:.2f}", i, program.quality[i]) + number_of(program, i) + "\n";
    for (int line = 0; line < k_lines_of_an_idea; ++line) {
      text += fmt::format("  step {} of {} to {:.2f}\n", line, i, program.quality[i]);
    }
  }
  return text;
}

}  // namespace cupel::simulate
