#include "judge/leaf_rule.h"

#include <algorithm>
#include <cmath>

#include "judge/leaf.h"
#include "judge/limits.h"

namespace cupel::judge {
namespace {

// Terms that repeat are rounded alike: a sum in order is off by an eighth of a unit a term on
// average, the reference's by next to nothing. The least multiple on that class is the terms over
// this.
constexpr double k_repeated_terms_per_multiple = 8;
constexpr std::string_view k_repeated_class = "repeated_rows";
// What computes in another domain rounds the neighbours of an outlier by its size: Winograd's
// F(4x4, 3x3) is off in one element by up to 8 times what is allowed elsewhere. Lower precision is
// told apart by the rms. No more than this error (spreads) is allowed for it.
constexpr double k_outlier_multiple = 16;
constexpr double k_outlier_error_max = 0.01;

// Terms of one sign, added up in order: of the largest error of many elements, as a multiple of the
// reference's, which adds up in pairs. Uniform on [0, 1), units in the last place of the sum:
//   terms    in order, largest   the reference's   sqrt(terms)   TF32 operands, rms over rms
//    1,024   14                  1.7               32            144
//    4,096   30, of 1,000: 47    1.2 to 1.8        64             66
//   16,384   61                  1.7               128            32
// Lower precision is told by the rms, as far as it can be.
double largest_multiple(double terms) {
  return std::min(std::sqrt(terms), k_multiple_fp32_max);
}

bool holds_outliers(std::string_view value_class) {
  return value_class == "spikes" || value_class == "extremes";
}

}  // namespace

double LeafRule::rms(const OutputError& own) const {
  return std::max(floor, k_rms * (finite_error(own.rms) + hidden_rms));
}

double LeafRule::max(const OutputError& own) const {
  const double usual = std::max(floor, k_max * (finite_error(own.max) + hidden_max));
  if (!outliers) return usual;
  return std::max(usual, std::min(k_outlier_multiple * usual, k_outlier_error_max));
}

LeafRule leaf_rule(const Admission& admission, const TaskFacts& facts, std::size_t leaf,
                   std::string_view value_class) {
  LeafRule rule;
  rule.k = admission.k;
  rule.k_rms = admission.k_rms;
  rule.hidden_rms = k_hidden_rms;
  rule.hidden_max = k_hidden_max;
  rule.max_usable = k_tolerance_max_usable_fp32;
  const std::string dtype = leaf < facts.outputs.size() ? facts.outputs[leaf].dtype : "float32";
  const auto terms = static_cast<double>(admission.evidence.reduction_length);
  // A leaf that is itself of low precision has a reference whose error is low precision's.
  const bool low = admission.low_precision || dtype == "float16" || dtype == "bfloat16";
  rule.outliers = !low && holds_outliers(value_class);
  if (low) {
    rule.k = std::min(rule.k, k_multiple_low_precision);
    rule.k_rms = std::min(rule.k_rms, rule.k);
    rule.max_usable = k_tolerance_max_usable_low_precision;
  } else if (value_class == k_repeated_class) {
    rule.k = std::max(rule.k, terms / k_repeated_terms_per_multiple);
    rule.k_rms = std::max(rule.k_rms, terms / k_repeated_terms_per_multiple);
  }
  rule.k_max = low ? rule.k : std::max(rule.k, largest_multiple(terms));
  const bool wide = dtype == "float64" || dtype == "complex128";
  if (wide && admission.evidence.oracle == "float64") {
    rule.hidden_rms = rule.hidden_max = 0;
    rule.floor = k_floor_float64;
  }
  return rule;
}

}  // namespace cupel::judge
