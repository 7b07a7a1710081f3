#include "judge/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "judge/leaf.h"
#include "judge/leaf_rule.h"
#include "judge/limits.h"
#include "model/samples.h"

namespace cupel::judge {
namespace {

constexpr std::string_view k_float64 = "float64";

bool low_precision(Policy policy) {
  return policy == Policy::half || policy == Policy::tf32;
}

Tolerance tolerance_of(const ClassReport& report, const Admission& admission,
                       const TaskFacts& facts) {
  Tolerance tolerance;
  tolerance.value_class = report.name;
  for (std::size_t leaf = 0; leaf < report.outputs.size(); ++leaf) {
    const OutputError& own = report.outputs[leaf];
    const LeafRule rule = leaf_rule(admission, facts, leaf, report.name);
    tolerance.rms_max.push_back(rule.rms(own));
    tolerance.error_max.push_back(rule.max(own));
    tolerance.group_max.push_back(rule.group());
    tolerance.mismatched_max.push_back(
        static_cast<std::int64_t>(rule.k * static_cast<double>(own.mismatched)));
  }
  return tolerance;
}

// Why a class cannot be relied upon; empty if it can.
std::string unusable(const ClassReport& report, const Tolerance& tolerance,
                     const Admission& admission, const TaskFacts& facts) {
  for (std::size_t leaf = 0; leaf < report.outputs.size(); ++leaf) {
    if (report.outputs[leaf].nonfinite > 0) {
      return fmt::format("the reference is not finite on output {}", leaf);
    }
    if (tolerance.rms_max[leaf] > k_tolerance_rms_usable ||
        tolerance.error_max[leaf] > leaf_rule(admission, facts, leaf, report.name).max_usable) {
      return fmt::format(
          "the reference's own error on output {} is {:.2g} spreads (rms {:.2g}), so that errors "
          "of {:.2g} would have to be allowed",
          leaf, finite_error(report.outputs[leaf].max), finite_error(report.outputs[leaf].rms),
          tolerance.error_max[leaf]);
    }
    if (tolerance.mismatched_max[leaf] * 2 > report.outputs[leaf].elements) {
      return fmt::format("the reference misses {} of {} elements of output {}",
                         report.outputs[leaf].mismatched, report.outputs[leaf].elements, leaf);
    }
  }
  return report.outputs.empty() ? "no output was compared" : "";
}

// A few samples of a wild class may all show the reference at its luckiest, exact where everything
// saturates; no class demands more, in its own spreads, than the task's own inputs do.
void raise_to(const Tolerance& floor, Tolerance& tolerance) {
  for (std::size_t leaf = 0; leaf < tolerance.rms_max.size(); ++leaf) {
    if (leaf >= floor.rms_max.size()) return;
    tolerance.rms_max[leaf] = std::max(tolerance.rms_max[leaf], floor.rms_max[leaf]);
    tolerance.error_max[leaf] = std::max(tolerance.error_max[leaf], floor.error_max[leaf]);
  }
}

Tolerance nominal_tolerance(const Admission& admission, const TaskFacts& facts) {
  for (const ClassReport& report : admission.evidence.classes) {
    if (report.name == k_nominal_class) return tolerance_of(report, admission, facts);
  }
  return {};
}

void add_tolerances(Admission& admission, const TaskFacts& facts) {
  const Tolerance floor = nominal_tolerance(admission, facts);
  bool nominal_seen = false;
  for (const ClassReport& report : admission.evidence.classes) {
    const bool nominal = report.name == k_nominal_class;
    nominal_seen |= nominal;
    std::string reason = report.reason;
    if (report.kept) {
      Tolerance tolerance = tolerance_of(report, admission, facts);
      raise_to(floor, tolerance);
      reason = unusable(report, tolerance, admission, facts);
      if (reason.empty()) {
        admission.tolerances.push_back(std::move(tolerance));
        continue;
      }
      admission.evidence.notes.push_back("class '" + report.name + "' is not relied on: " + reason);
    }
    if (nominal) admission.degenerate.push_back("ill-conditioned: on its own inputs, " + reason);
  }
  if (!nominal_seen)
    admission.degenerate.push_back("ill-conditioned: no nominal inputs were tried");
}

struct MutantText {
  std::string_view name;  // of the mutant
  std::string_view sentence;
};
constexpr MutantText k_mutant_texts[] = {
    {"zeros", "zeros are accepted: the output is zero, or as good as zero, on every input"},
    {"constant", "a constant is accepted: the output hardly varies"},
    {"mean", "the mean is accepted: the output hardly varies around it"},
    {"identity", "the input itself is accepted as the output: `return x` would pass"},
    {"other_input",
     "outputs of other inputs are accepted: the output does not depend on the input"},
    {"stale", "outputs of the call before are accepted: the output does not depend on the input"},
    {"perturbed_weights",
     "perturbed weights are accepted: the output does not depend on the weights"},
    {"skipped_tail",
     "a result without its last eighth is accepted: that is zero, or as good as zero"},
    {"first_rows_only", "half of the rows are enough: the others are zero, or as good as zero"},
    {"some_rows_only", "every other row is enough: the others are zero, or as good as zero"},
    {"largest_only", "the largest elements are enough: what is smaller cannot be told from zero"},
    {"larger_half_only",
     "half of the elements, the larger ones, are enough: the others cannot be told "
     "from zero"},
    {"rescale_1.01",
     "a rescale by one per cent is accepted: the output does not depend on its scale"},
};

std::string mutant_sentence(const std::string& name) {
  for (const MutantText& entry : k_mutant_texts) {
    if (name == entry.name) return std::string(entry.sentence);
  }
  return "the mutant '" + name + "' is accepted: the outputs cannot tell it from the reference";
}

// Per mutant: was it rejected on a class that is relied on? Mutants tried on none are absent.
std::map<std::string, bool> rejections(const Admission& admission) {
  std::map<std::string, bool> rejected;
  for (const MutantReport& mutant : admission.evidence.mutants) {
    const Tolerance* tolerance = find_tolerance(admission, mutant.value_class);
    if (tolerance == nullptr) continue;
    rejected[mutant.name] |= first_failure(mutant.outputs, *tolerance).has_value();
  }
  return rejected;
}

bool is_accepted_on_own_inputs(const Admission& admission, std::string_view mutant) {
  const Tolerance* tolerance = find_tolerance(admission, k_nominal_class);
  if (tolerance == nullptr) return false;
  bool tried = false;
  for (const MutantReport& report : admission.evidence.mutants) {
    if (report.name != mutant || report.value_class != k_nominal_class) continue;
    if (first_failure(report.outputs, *tolerance)) return false;
    tried = true;
  }
  return tried;
}

// Low precision is allowed what it costs on the task's own inputs. Of outputs that are constant
// there it costs nothing, until one input gives another value: these inputs are not relied on.
void drop_constant_outputs(Admission& admission) {
  const auto accepted = [&admission](std::string_view mutant) {
    return is_accepted_on_own_inputs(admission, mutant);
  };
  const auto mutants = {"zeros", "constant", "mean"};
  if (!admission.low_precision || std::ranges::none_of(mutants, accepted)) return;
  admission.degenerate.emplace_back(
      "ill-conditioned: on its own inputs the output hardly varies, so that nothing tells what "
      "lower precision costs");
  std::erase_if(admission.tolerances, [](const Tolerance& tolerance) {
    return tolerance.value_class == k_nominal_class;
  });
}

void add_mutants(Admission& admission, Policy policy) {
  for (const auto& [name, rejected] : rejections(admission)) {
    if (rejected) continue;
    // One per cent is of the order of low precision's own rounding: nothing can tell them apart,
    // and nothing else about the task is in doubt for that.
    if (admission.low_precision && name.starts_with("rescale")) {
      admission.evidence.notes.push_back(fmt::format(
          "a rescale by one per cent is within what {} does",
          low_precision(policy) ? fmt::format("'{}'", to_string(policy)) : "its own arithmetic"));
    } else {
      admission.degenerate.push_back(mutant_sentence(name));
    }
  }
}

void add_weak_at_1e2(Admission& admission) {
  std::map<std::string, bool> accepted;
  for (const MutantReport& mutant : admission.evidence.mutants) {
    if (mutant.value_class != k_nominal_class || mutant.outputs.empty()) continue;
    const bool close = std::all_of(mutant.outputs.begin(), mutant.outputs.end(),
                                   [](const OutputError& error) { return error.close_1e2; });
    accepted.try_emplace(mutant.name, true).first->second &= close;
  }
  for (const auto& [name, everywhere] : accepted) {
    if (everywhere) admission.weak_at_1e2.push_back(name);
  }
}

// The first of the reasons: an error of its own is large where a reference differs from itself.
void add_nondeterminism(Admission& admission) {
  if (admission.evidence.deterministic) return;
  const std::string why =
      admission.evidence.changes_state
          ? "calls write to its buffers, which may be what it returns hangs on; or it draws random "
            "numbers"
          : "it draws random numbers, or reads what changes";
  admission.degenerate.push_back("two runs of the reference on one input differ: " + why +
                                 ". A dropout in training does (--mode inference calls eval())");
}

void add_notes(Admission& admission) {
  auto& evidence = admission.evidence;
  if (evidence.uses_tf32) {
    evidence.notes.push_back("the reference computes in TF32, as torch has it by default");
  }
  if (evidence.oracle != k_float64) {
    evidence.notes.push_back("no float64 oracle: tolerances rest on an assumed rounding error");
  }
  for (std::size_t leaf = 0; leaf < evidence.input_fully_read.size(); ++leaf) {
    if (!evidence.input_fully_read[leaf]) {
      evidence.notes.push_back(fmt::format("input {} is not fully read by the reference", leaf));
    }
  }
}

}  // namespace

double tolerance_multiple(Policy policy) {
  return low_precision(policy) ? k_multiple_low_precision : k_multiple_fp32;
}

double rms_multiple(Policy policy) {
  return policy == Policy::exact ? k_multiple_exact : tolerance_multiple(policy);
}

const Tolerance* find_tolerance(const Admission& admission, std::string_view value_class) {
  for (const Tolerance& tolerance : admission.tolerances) {
    if (tolerance.value_class == value_class) return &tolerance;
  }
  return nullptr;
}

Admission admit(AdmissionEvidence evidence, Policy policy, const TaskFacts& facts) {
  Admission admission;
  admission.low_precision = low_precision(policy) || evidence.uses_tf32 || evidence.in_half;
  admission.k = evidence.uses_tf32 ? k_multiple_low_precision : tolerance_multiple(policy);
  // An oracle in float32 hides the reference's own error.
  const bool known = !evidence.uses_tf32 && evidence.oracle == k_float64;
  admission.k_rms = known ? rms_multiple(policy) : admission.k;
  admission.evidence = std::move(evidence);
  add_nondeterminism(admission);
  add_tolerances(admission, facts);
  add_mutants(admission, policy);
  drop_constant_outputs(admission);
  add_weak_at_1e2(admission);
  add_notes(admission);
  return admission;
}

}  // namespace cupel::judge
