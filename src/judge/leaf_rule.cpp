#include "judge/leaf_rule.h"

#include <algorithm>

#include "judge/leaf.h"
#include "judge/limits.h"

namespace cupel::judge {

double LeafRule::rms(const OutputError& own) const {
  return std::max(floor, k_rms * (finite_error(own.rms) + hidden_rms));
}

double LeafRule::max(const OutputError& own) const {
  return std::max(floor, k * (finite_error(own.max) + hidden_max));
}

double LeafRule::slice(const OutputError& own) const {
  const double most = std::max(floor, k * (finite_error(own.slice) + hidden_rms));
  return most > k_tolerance_rms_usable ? 0 : most;
}

LeafRule leaf_rule(const Admission& admission, const TaskFacts& facts, std::size_t leaf) {
  // Journals of before had one multiple for everything.
  const double k_rms = admission.k_rms > 0 ? admission.k_rms : admission.k;
  LeafRule rule{admission.k, k_rms, k_hidden_rms, k_hidden_max, 0, k_tolerance_max_usable_fp32};
  const std::string dtype = leaf < facts.outputs.size() ? facts.outputs[leaf].dtype : "float32";
  // A leaf that is itself of low precision has a reference whose error is low precision's.
  if (admission.low_precision || dtype == "float16" || dtype == "bfloat16") {
    rule.k = std::min(rule.k, k_multiple_low_precision);
    rule.k_rms = std::min(rule.k_rms, rule.k);
    rule.max_usable = k_tolerance_max_usable_low_precision;
  }
  const bool wide = dtype == "float64" || dtype == "complex128";
  if (wide && admission.evidence.oracle == "float64") {
    rule.hidden_rms = rule.hidden_max = 0;
    rule.floor = k_floor_float64;
  }
  return rule;
}

}  // namespace cupel::judge
