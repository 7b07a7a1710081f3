#include "judge/checks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "judge/admission.h"
#include "judge/leaf_rule.h"
#include "judge/limits.h"
#include "model/samples.h"

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

// On an input that is harder than the class's samples were, the multiple counts from what the
// reference is off by on that very input, or by what it is off by with its sums in order. Over all
// elements that tells nothing beyond a limit; a single element may be off by whatever the multiple
// allows, since two large values that cancel leave an error of many spreads in it: all elements
// together, and groups, still tell.
Tolerance tolerance_on(const OutputCheck& check, const Tolerance& of_class, const TaskFacts& facts,
                       const Admission& admission) {
  Tolerance tolerance = of_class;
  for (std::size_t leaf = 0; leaf < std::min(check.own.size(), tolerance.rms_max.size()); ++leaf) {
    const LeafRule rule = leaf_rule(admission, facts, leaf, check.value_class);
    const OutputError& own = check.own[leaf];
    const OutputError in_order =
        leaf < check.in_order.size() ? check.in_order[leaf] : OutputError{};
    double& rms_max = tolerance.rms_max[leaf];
    const double told = check.instance == 0 ? rule.rms_told : k_tolerance_rms_usable;
    rms_max = std::max(rms_max, std::min(rule.rms(own, in_order), told));
    tolerance.error_max[leaf] = std::max(tolerance.error_max[leaf], rule.max(own, in_order));
    tolerance.group_max[leaf] = std::max(tolerance.group_max[leaf], rule.group(in_order));
  }
  return tolerance;
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

std::vector<std::string> unchecked_classes(const ProgramEvidence& program,
                                           const Admission& admission) {
  std::vector<std::string> unchecked;
  for (const Tolerance& tolerance : admission.tolerances) {
    const auto is_of_class = [&](const OutputCheck& check) {
      return check.value_class == tolerance.value_class;
    };
    if (std::ranges::none_of(program.checks, is_of_class)) {
      unchecked.push_back(tolerance.value_class);
    }
  }
  return unchecked;
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
  return check.value_class == k_nominal_class;
}

CheckSummary summarize(const ProgramEvidence& program, const TaskFacts& facts,
                       const Admission& admission) {
  CheckSummary summary;
  std::map<Key, Tally> tallies;
  for (const OutputCheck& check : program.checks) {
    const Tolerance* tolerance = find_tolerance(admission, check.value_class);
    if (tolerance == nullptr) continue;
    add_errors(summary, check);
    summary.other_weights_checked |= check.instance > 0;
    Tally& tally = tallies[{check.input, check.instance}];
    const Tolerance allowed = tolerance_on(check, *tolerance, facts, admission);
    if (const auto failure = first_failure(check.outputs, allowed)) {
      summary.failed.push_back({&check, *failure, is_late(program, facts, check, *failure)});
      if (!summary.failed.back().late) tally.failed = summary.failed.back();
    } else {
      ++tally.passed;
      summary.nominal_passed |= is_nominal(check) && check.instance == 0;
    }
  }
  add_tallies(summary, tallies);
  summary.unchecked = unchecked_classes(program, admission);
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
