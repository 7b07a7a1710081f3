#include "judge/leaf_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "judge/leaf.h"
#include "judge/limits.h"

namespace cupel::judge {
namespace {

// Equal terms are rounded alike: a sum in order is off by an eighth of a unit a term on average, by
// half a unit at most (Higham, Accuracy and Stability, 4.2), the reference's by next to nothing. So
// are terms that a shift or an outlier makes all but equal: what they differ by is lost beside the
// sum. Means in order of 4,096 and 8,836 places behind convolutions, the largest rms in spreads of
// twelve draws, where it is 7e-7 to 2e-6 on other classes:
//   zeros 1e-5 (where an image is zero, each term is the bias), extremes 1.3e-5, shifted 5e-6
// Under other weights a row of them may be zero, so that all terms are a bias on any input.
// More terms than the most are not counted: TF32 is off by 3e-4, and these by 1e-3 already.
constexpr double k_terms_per_unit = 8;
constexpr double k_equal_terms_max = 65'536;

bool makes_terms_equal(const CalledOn& called_on) {
  const std::string_view name = called_on.value_class;
  return called_on.other_weights || name == "repeated_rows" || name == "zeros" ||
         name == "extremes" || name == "shifted";
}

// What computes in another domain rounds the neighbours of an outlier by its size: Winograd's
// F(4x4, 3x3) is off in one element by up to 8 times what is allowed elsewhere. Lower precision is
// told apart by the rms. No more than this error (spreads) is allowed for it.
constexpr double k_outlier_multiple = 16;
constexpr double k_outlier_error_max = 0.01;

// Terms of one sign, added up in order: every partial sum is rounded, and most are as large as the
// sum. The reference adds up in pairs. Multiples of its error, uniform on [0, 1):
//   terms     in order, rms   largest   sqrt(terms) / 3   TF32 operands, rms
//     1,024    8.4             8         11                117
//     4,096   17              30         21                 70
//    16,384   32              36         43                 30
//    65,536   70                         85                 17
//   262,144  137                        171                  8
// Of terms of both signs TF32 operands make 1,400 times and more at any length; there the error
// that is hidden is most of what is allowed, and these multiples, which leave it out, add little.
// A policy that holds the rms to less than the largest error (exact) would rather refuse an order
// than take lower precision: no sum is longer there than 4,096 terms, of which TF32 makes 70 times.
constexpr double k_in_order_rms_divisor = 3;
constexpr double k_in_order_exact_terms_max = 4096;

// exact: operands that are sums of two bfloat16, all four products, are what is just refused; three
// products, torch's `high`, are off by a third more. Over 4,096 terms of both signs, rms in
// spreads:
//   2.9e-6 and 3.9e-6; adding up in order 7.5e-7; 32,768 terms: 2.8e-6
// The reference may add up as badly (a GPU's product: 2e-7, a CPU's 1e-7), so that 12 times its
// error is as much. A task that its operands' last bits make no difference to tells nothing of
// them.
constexpr double k_two_terms_share = 0.8;
constexpr double k_two_terms_multiple_min = 4;

constexpr std::string_view k_nominal_class = "nominal";

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

}  // namespace

double LeafRule::rms(const OutputError& own) const {
  const double error = finite_error(own.rms);
  return std::max({floor, k_rms * (error + hidden_rms), equal_terms * hidden_rms,
                   in_order_rms * std::max(0.0, error - hidden_max)});
}

double LeafRule::max(const OutputError& own) const {
  const double error = finite_error(own.max);
  const double usual =
      std::max({floor, k * (error + hidden_max), equal_terms * hidden_max, in_order_max * error});
  if (!outliers) return usual;
  return std::max(usual, std::min(k_outlier_multiple * usual, k_outlier_error_max));
}

double LeafRule::group() const {
  return std::max(k, equal_terms);
}

LeafRule leaf_rule(const Admission& admission, const TaskFacts& facts, std::size_t leaf,
                   const CalledOn& called_on) {
  LeafRule rule;
  rule.k = admission.k;
  rule.k_rms = admission.k_rms;
  rule.hidden_rms = k_hidden_rms;
  rule.hidden_max = k_hidden_max;
  rule.max_usable = k_tolerance_max_usable_fp32;
  const std::string dtype = leaf < facts.outputs.size() ? facts.outputs[leaf].dtype : "float32";
  const auto terms = static_cast<double>(admission.evidence.reduction_length);
  const bool exact = admission.k_rms < admission.k;
  // A leaf that is itself of low precision has a reference whose error is low precision's.
  const bool low = admission.low_precision || dtype == "float16" || dtype == "bfloat16";
  rule.outliers = !low && holds_outliers(called_on.value_class);
  if (low) {
    rule.k = std::min(rule.k, k_multiple_low_precision);
    rule.k_rms = std::min(rule.k_rms, rule.k);
    rule.max_usable = k_tolerance_max_usable_low_precision;
  } else if (makes_terms_equal(called_on)) {
    const double most = exact ? k_in_order_exact_terms_max : k_equal_terms_max;
    rule.equal_terms = std::min(terms, most) / k_terms_per_unit;
  } else if (called_on.value_class == k_nominal_class) {
    rule.k_rms = std::min(rule.k_rms, multiple_of_two_terms(admission.evidence, leaf));
  }
  if (!low) {
    const double added_up = exact ? std::min(terms, k_in_order_exact_terms_max) : terms;
    rule.in_order_max = std::min(std::sqrt(terms), k_multiple_fp32_max);
    rule.in_order_rms = std::min(std::sqrt(added_up) / k_in_order_rms_divisor, k_multiple_fp32_max);
  }
  const bool wide = dtype == "float64" || dtype == "complex128";
  if (wide && admission.evidence.oracle == "float64") {
    rule.hidden_rms = rule.hidden_max = 0;
    rule.floor = k_floor_float64;
  }
  return rule;
}

}  // namespace cupel::judge
