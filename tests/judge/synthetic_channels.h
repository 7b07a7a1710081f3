// What channels show, made up: batches, and bare calls on inputs that both programs got.
#pragma once

#include <gtest/gtest.h>

#include "judge/synthetic_evidence.h"

namespace cupel::judge::synthetic {

inline void expect_unshown(const Evidence& evidence) {
  const Verdict verdict = judged(evidence);
  EXPECT_EQ(verdict.outcome, Outcome::ambiguous);
  EXPECT_EQ(verdict.reasons.front().code, "gain_unshown");
}

inline void add_batches(ProgramEvidence& program, double per_call_ns) {
  for (const int calls : {4, 8, 12, 16, 20, 24}) {
    const auto total = static_cast<std::int64_t>(80e3 + per_call_ns * calls);
    program.batches.push_back({calls, total, total - 80000});
  }
}

inline void add_bare(Evidence& evidence, double baseline_ns, double candidate_ns,
                     double host_ns = 5e3) {
  for (int i = 0; i < 8; ++i) {
    const auto jitter = 1000 * (i % 3);
    BareSample call;
    call.input = 5000 + i;
    call.bracket_ns = static_cast<std::int64_t>(baseline_ns) + jitter;
    call.claim_ns = call.bracket_ns - static_cast<std::int64_t>(host_ns);
    evidence.programs[0].bare.push_back(call);
    call.bracket_ns = static_cast<std::int64_t>(candidate_ns) + 1000 - jitter;
    evidence.programs[1].bare.push_back(call);
  }
}

}  // namespace cupel::judge::synthetic
