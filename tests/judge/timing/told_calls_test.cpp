// Which calls a told ratio is of: those on a user's inputs, revealed to running hosts.
#include <gtest/gtest.h>

#include <functional>

#include "../synthetic_evidence.h"

namespace cupel::judge {
namespace {

using synthetic::has_reason;
using synthetic::judged;

bool is_usual(const CallSample& call) {
  return call.value_class == "nominal";
}

void lengthen(ProgramEvidence& program, double factor,
              const std::function<bool(const CallSample&)>& which) {
  for (CallSample& call : program.calls) {
    if (!which(call)) continue;
    const auto longer = static_cast<std::int64_t>(static_cast<double>(call.claim_ns) * factor);
    call.bracket_ns += longer - call.claim_ns;
    call.claim_ns = longer;
  }
}

TEST(ToldCalls, AGainOnOtherClassesIsNone) {
  Evidence evidence = synthetic::round(1.0);
  lengthen(evidence.programs[0], 5, std::not_fn(is_usual));
  const Verdict verdict = judged(evidence);
  EXPECT_NE(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 1, 0.01);
}

TEST(ToldCalls, ValuesThatTakeBothLongerChangeNothing) {
  Evidence evidence = synthetic::round(2.0);
  for (ProgramEvidence& program : evidence.programs) lengthen(program, 7, std::not_fn(is_usual));
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 2, 0.03);
  EXPECT_FALSE(has_reason(verdict, "mean_charged"));
}

TEST(ToldCalls, WithoutAUsualOneTheOthersTell) {
  Evidence evidence = synthetic::round(2.0);
  for (ProgramEvidence& program : evidence.programs) {
    for (CallSample& call : program.calls) call.value_class = "large";
  }
  EXPECT_NEAR(judged(evidence).ratios.at(0).ratio, 2, 0.03);
}

// Every second row of a device's is revealed to hosts that stand still, whose calls are cold.
Evidence in_rows(double speedup, double cold_ns) {
  Evidence evidence = synthetic::round(speedup);
  for (ProgramEvidence& program : evidence.programs) {
    for (CallSample& call : program.calls) {
      const bool running = call.input / 10 % 2 == 0;
      call.seen_ns = running ? 15'000 : 0;
      if (running) continue;
      call.claim_ns += static_cast<std::int64_t>(cold_ns);
      call.bracket_ns += static_cast<std::int64_t>(cold_ns);
    }
  }
  return evidence;
}

TEST(ToldCalls, ColdCallsTellNothingOfADevice) {
  const Verdict verdict = judged(in_rows(2.0, 1e6));
  EXPECT_EQ(verdict.outcome, Outcome::faster);
  EXPECT_NEAR(verdict.ratios.at(0).ratio, 2, 0.03);
}

TEST(ToldCalls, AGainThatOnlyRunningHostsHaveIsNotShown) {
  Evidence evidence = in_rows(2.0, 0);
  lengthen(evidence.programs[1], 2, [](const CallSample& call) { return call.seen_ns == 0; });
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::ambiguous);
}

// An exchange on a device takes ten times as long as a short call and scatters by more than that; a
// row's first calls are no exception. For equal programs their sum is that of the others.
TEST(ToldCalls, NoiseOfExchangesChargesNobody) {
  constexpr double k_call_ns = 31e3, k_exchange_ns = 300e3;
  int charged = 0, slower = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    Evidence evidence = in_rows(1.0, 0);
    const synthetic::Timing timing{k_call_ns, k_exchange_ns, 0.02, 0.3};
    for (ProgramEvidence& program : evidence.programs) {
      program.checks = synthetic::program("p", timing, rng, 400).checks;
      program.calls = synthetic::program("p", timing, rng, 400).calls;
      for (CallSample& call : program.calls) call.seen_ns = 15'000;
      program.untimed = synthetic::program("p", timing, rng, 200).calls;
    }
    charged += has_reason(judged(evidence), "mean_charged") ? 1 : 0;
    slower += judged(evidence).outcome == Outcome::slower ? 1 : 0;
  }
  EXPECT_LE(charged, 4);
  EXPECT_LE(slower, 2);
}

}  // namespace
}  // namespace cupel::judge
