// What the referee's checks of one program add up to. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/leaf.h"
#include "model/evidence.h"
#include "model/task.h"

namespace cupel::judge {

struct FailedCheck {
  const OutputCheck* check = nullptr;  // into the evidence summarized
  LeafFailure failure;
  bool late = false;  // the snapshot was taken before the outputs were there
};

// Checks of classes without a tolerance count nowhere: they prove nothing.
struct CheckSummary {
  std::vector<FailedCheck> failed;         // in the order of the evidence
  std::vector<std::int64_t> passed;        // inputs that only ever passed; sorted, unique
  std::optional<FailedCheck> disagreeing;  // an input that passed once and failed once
  bool nominal_passed = false;             // under the first weights, at least once
  bool other_weights_checked = false;
  std::vector<std::string> unchecked;  // classes that are relied on and were in no check
  int checked_calls = 0;
  double error_rms = 0;  // worst over checks and leaves; finite
  double error_max = 0;
  bool close_1e2 = true;
  bool close_1e4 = true;
};

// The result points into `program`, which must outlive it.
CheckSummary summarize(const ProgramEvidence& program, const TaskFacts& facts,
                       const Admission& admission);

// The code of what failed outright (not merely late): nondeterministic, nan, value, structure,
// range or weights, and the check that shows it; nothing if all passed.
struct WrongCheck {
  std::string code;
  FailedCheck shown;
};
std::optional<WrongCheck> wrong_check(const CheckSummary& summary);

bool is_nominal(const OutputCheck& check);

}  // namespace cupel::judge
