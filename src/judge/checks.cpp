#include "judge/checks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "judge/admission.h"
#include "judge/leaf_rule.h"
#include "judge/limits.h"

namespace cupel::judge {
namespace {

using Key = std::pair<std::int64_t, int>;  // input, instance
struct Tally {
  int passed = 0;
  std::optional<FailedCheck> failed;
};

// One-byte elements equal a random poison byte by chance too often to tell anything.
bool poison_tells(const TaskFacts& facts, std::size_t leaf) {
  if (leaf >= facts.outputs.size()) return true;
  const std::string& dtype = facts.outputs[leaf].dtype;
  return dtype != "bool" && dtype != "uint8" && dtype != "int8";
}

bool is_late(const ProgramEvidence& program, const TaskFacts& facts, const OutputCheck& check,
             const LeafFailure& failure) {
  const bool written_later = std::find(program.late_writes.begin(), program.late_writes.end(),
                                       check.input) != program.late_writes.end();
  if (written_later) return true;
  return failure.leaf < check.outputs.size() && check.outputs[failure.leaf].poison > 0 &&
         poison_tells(facts, failure.leaf);
}

void add_errors(CheckSummary& summary, const OutputCheck& check) {
  ++summary.checked_calls;
  summary.close_1e2 &= !check.outputs.empty();
  summary.close_1e4 &= !check.outputs.empty();
  for (const OutputError& output : check.outputs) {
    summary.error_rms = std::max(summary.error_rms, finite_error(output.rms));
    summary.error_max = std::max(summary.error_max, finite_error(output.max));
    summary.close_1e2 &= output.close_1e2;
    summary.close_1e4 &= output.close_1e4;
  }
}

void add_tallies(CheckSummary& summary, const std::map<Key, Tally>& tallies) {
  std::map<std::int64_t, bool> clean;
  for (const auto& [key, tally] : tallies) {
    clean.try_emplace(key.first, true).first->second &= !tally.failed.has_value();
    if (tally.passed > 0 && tally.failed && !summary.disagreeing) {
      summary.disagreeing = tally.failed;
    }
  }
  for (const auto& [input, passed] : clean) {
    if (passed) summary.passed.push_back(input);
  }
}

using Checks = std::map<Key, const OutputCheck*>;

Checks checks_by_input(const ProgramEvidence& program) {
  Checks checks;
  for (const OutputCheck& check : program.checks) checks[{check.input, check.instance}] = &check;
  return checks;
}

// 0 stands for "not relied on", on either side.
double raised_slice(double tolerance, double own) {
  return tolerance <= 0 || own <= 0 ? 0 : std::max(tolerance, own);
}

enum class Elements {
  usable,  // an error up to where the tolerance of a class would tell nothing
  any,     // whatever error, where what is allowed of slices and over all elements still tells
};

void raise_to(const std::vector<OutputError>& own, Elements elements, const TaskFacts& facts,
              const Admission& admission, Tolerance& tolerance) {
  for (std::size_t leaf = 0; leaf < std::min(own.size(), tolerance.rms_max.size()); ++leaf) {
    const LeafRule rule = leaf_rule(admission, facts, leaf);
    double& rms_max = tolerance.rms_max[leaf];
    double& error_max = tolerance.error_max[leaf];
    rms_max = std::max(rms_max, std::min(rule.rms(own[leaf]), k_tolerance_rms_usable));
    if (leaf < tolerance.slice_max.size()) {
      tolerance.slice_max[leaf] = raised_slice(tolerance.slice_max[leaf], rule.slice(own[leaf]));
    }
    const bool sliced = leaf < tolerance.slice_max.size() && tolerance.slice_max[leaf] > 0;
    const bool any = elements == Elements::any && sliced && own[leaf].nonfinite == 0;
    const double element = rule.max(own[leaf]);
    error_max = std::max(error_max, any ? element : std::min(element, rule.max_usable));
  }
}

// What the reference's own error on the very input allows: the baseline's as it was called, and
// what the policy's arithmetic makes of it.
Tolerance tolerance_on(const OutputCheck& check, const Tolerance& of_class, const Checks& baseline,
                       const TaskFacts& facts, const Admission& admission) {
  Tolerance tolerance = of_class;
  const auto found = baseline.find({check.input, check.instance});
  if (found != baseline.end()) {
    raise_to(found->second->outputs, Elements::usable, facts, admission, tolerance);
  }
  raise_to(check.own, Elements::any, facts, admission, tolerance);
  return tolerance;
}

bool is_of_size(const LeafFailure& failure) {
  using Kind = LeafFailure::Kind;
  return failure.kind == Kind::error_max || failure.kind == Kind::error_rms ||
         failure.kind == Kind::slice;
}

std::string plain_code(const FailedCheck& failed) {
  switch (failed.failure.kind) {
    case LeafFailure::Kind::missing:
      return "structure";
    case LeafFailure::Kind::nonfinite:
      return "nan";
    default:
      return "value";
  }
}

template <class Predicate>
const FailedCheck* find_failed(const CheckSummary& summary, Predicate wanted) {
  for (const FailedCheck& failed : summary.failed) {
    if (!failed.late && wanted(failed)) return &failed;
  }
  return nullptr;
}

}  // namespace

bool is_nominal(const OutputCheck& check) {
  return check.value_class == "nominal";
}

bool wants_own_error(const OutputCheck& check, const Admission& admission) {
  if (!admission.low_precision || admission.evidence.uses_tf32) return false;
  const Tolerance* tolerance = find_tolerance(admission, check.value_class);
  if (tolerance == nullptr) return false;
  const auto failure = first_failure(check.outputs, *tolerance);
  return failure && is_of_size(*failure);
}

CheckSummary summarize(const ProgramEvidence& program, const ProgramEvidence& baseline,
                       const TaskFacts& facts, const Admission& admission) {
  CheckSummary summary;
  const Checks own = checks_by_input(baseline);
  std::map<Key, Tally> tallies;
  for (const OutputCheck& check : program.checks) {
    const Tolerance* tolerance = find_tolerance(admission, check.value_class);
    if (tolerance == nullptr) continue;
    add_errors(summary, check);
    summary.other_weights_checked |= check.instance > 0;
    Tally& tally = tallies[{check.input, check.instance}];
    if (const auto failure =
            first_failure(check.outputs, tolerance_on(check, *tolerance, own, facts, admission))) {
      summary.failed.push_back({&check, *failure, is_late(program, facts, check, *failure)});
      if (!summary.failed.back().late) tally.failed = summary.failed.back();
    } else {
      ++tally.passed;
      summary.nominal_passed |= is_nominal(check) && check.instance == 0;
    }
  }
  add_tallies(summary, tallies);
  summary.close_1e2 &= summary.checked_calls > 0;
  summary.close_1e4 &= summary.checked_calls > 0;
  return summary;
}

std::optional<WrongCheck> wrong_check(const CheckSummary& summary) {
  if (summary.disagreeing) return WrongCheck{"nondeterministic", *summary.disagreeing};
  const FailedCheck* nominal = find_failed(summary, [](const FailedCheck& failed) {
    return is_nominal(*failed.check) && failed.check->instance == 0;
  });
  if (nominal != nullptr) return WrongCheck{plain_code(*nominal), *nominal};
  const FailedCheck* other_class =
      find_failed(summary, [](const FailedCheck& failed) { return failed.check->instance == 0; });
  if (other_class != nullptr) {
    return WrongCheck{summary.nominal_passed ? "range" : plain_code(*other_class), *other_class};
  }
  const FailedCheck* any = find_failed(summary, [](const FailedCheck&) { return true; });
  if (any == nullptr) return std::nullopt;
  return WrongCheck{summary.nominal_passed ? "weights" : plain_code(*any), *any};
}

}  // namespace cupel::judge
