// What channels show, made up: batches.
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
    program.batches.push_back({calls, total});
  }
}

// Batches in which both programs are as fast.
inline void deny_in_batches(Evidence& evidence) {
  for (ProgramEvidence& program : evidence.programs) add_batches(program, 1.0e6);
}

}  // namespace cupel::judge::synthetic
