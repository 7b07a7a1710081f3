#include "judge/leaf_rule.h"

#include <algorithm>
#include <limits>

#include "judge/leaf.h"
#include "judge/limits.h"
#include "model/samples.h"

namespace cupel::judge {
namespace {

// What computes in another domain rounds the neighbours of an outlier by its size: Winograd's
// F(4x4, 3x3) is off in one element by up to 8 times what is allowed elsewhere. Lower precision is
// told apart by the rms. No more than this error (spreads) is allowed for it.
constexpr double k_outlier_multiple = 16;
constexpr double k_outlier_error_max = 0.01;

// exact: operands that are sums of two bfloat16, all four products, are what is just refused; three
// products, torch's `high`, are off by a third more. Over 4,096 terms of both signs, rms in
// spreads:
//   2.9e-6 and 3.9e-6; adding up in order 7.5e-7; 32,768 terms: 2.8e-6
// The reference may add up as badly (a GPU's product: 2e-7, a CPU's 1e-7), so that 12 times its
// error is as much. A task that its operands' last bits make no difference to tells nothing of
// them.
constexpr double k_two_terms_share = 0.8;
constexpr double k_two_terms_multiple_min = 4;

bool holds_outliers(std::string_view value_class) {
  return value_class == "spikes" || value_class == "extremes";
}

// The multiple of the reference's error, on the task's own inputs, that is a little less than what
// operands of two terms make; infinite where these cannot be told apart.
double multiple_of_two_terms(const AdmissionEvidence& lint, std::size_t leaf) {
  const double found = leaf < lint.in_two_terms.size() ? lint.in_two_terms[leaf] : 0;
  const double multiple = k_two_terms_share * found;
  return multiple < k_two_terms_multiple_min ? std::numeric_limits<double>::infinity() : multiple;
}

// `usual` is allowed anyway, `most` at most.
double of_order(double usual, double in_order, double most) {
  return std::max(usual, std::min(k_multiple_in_order * in_order, most));
}

}  // namespace

double LeafRule::rms(const OutputError& own, const OutputError& in_order) const {
  const double unit = finite_error(own.rms) + hidden_rms;
  return of_order(std::max(floor, k_rms * unit), in_order.rms, k_multiple_in_order_max * unit);
}

double LeafRule::max(const OutputError& own, const OutputError& in_order) const {
  const double unit = finite_error(own.max) + hidden_max;
  double usual = std::max(floor, k * unit);
  if (outliers) {
    usual = std::max(usual, std::min(k_outlier_multiple * usual, k_outlier_error_max));
  }
  return of_order(usual, in_order.max, k_multiple_in_order_max * unit);
}

double LeafRule::group(const OutputError& in_order) const {
  return of_order(k, in_order.group, k_multiple_in_order_group_max);
}

LeafRule leaf_rule(const Admission& admission, const TaskFacts& facts, std::size_t leaf,
                   std::string_view value_class) {
  LeafRule rule;
  rule.k = admission.k;
  rule.k_rms = admission.k_rms;
  rule.hidden_rms = k_hidden_rms;
  rule.hidden_max = k_hidden_max;
  rule.max_usable = k_tolerance_max_usable_fp32;
  rule.rms_told = k_tolerance_rms_usable;
  const std::string dtype = leaf < facts.outputs.size() ? facts.outputs[leaf].dtype : "float32";
  // A leaf that is itself of low precision has a reference whose error is low precision's.
  const bool low = admission.low_precision || dtype == "float16" || dtype == "bfloat16";
  rule.outliers = !low && holds_outliers(value_class);
  if (low) {
    rule.k = std::min(rule.k, k_multiple_low_precision);
    rule.k_rms = std::min(rule.k_rms, rule.k);
    rule.max_usable = k_tolerance_max_usable_low_precision;
    rule.rms_told = k_tolerance_rms_told_low_precision;
  } else if (value_class == k_nominal_class) {
    rule.k_rms = std::min(rule.k_rms, multiple_of_two_terms(admission.evidence, leaf));
  }
  const bool wide = dtype == "float64" || dtype == "complex128";
  if (wide && admission.evidence.oracle == "float64") {
    rule.hidden_rms = rule.hidden_max = 0;
    rule.floor = k_floor_float64;
  }
  return rule;
}

}  // namespace cupel::judge
