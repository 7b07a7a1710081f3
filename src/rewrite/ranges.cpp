#include "rewrite/ranges.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace cupel::rewrite {
namespace {

using Double = std::numeric_limits<double>;
using Single = std::numeric_limits<float>;
constexpr Interval k_float64{Double::min(), Double::max()};
constexpr Interval k_float32{Single::min(), Single::max()};
constexpr Interval k_bfloat16{Single::min(), 0x1.FEp127};  // float32's exponents, 8 bits
constexpr Interval k_float16{0x1p-24, 65504};
constexpr double k_infinity = std::numeric_limits<double>::infinity();
// Computed bounds are moved outwards by this share: more than a rounding step of bfloat16.
constexpr double k_rounding = 0.01;

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// A bound that is zero is kept: sums and products of signs are exact.
Interval widened(Interval range) {
  if (std::isnan(range.low)) range.low = -k_infinity;
  if (std::isnan(range.high)) range.high = k_infinity;
  range.low -= std::abs(range.low) * k_rounding;
  range.high += std::abs(range.high) * k_rounding;
  return range;
}

// What is left of a range where values are scaled or summed by positive numbers, or become zero.
Interval signs(const Interval& range) {
  return {range.low >= 0 ? 0 : -k_infinity, range.high <= 0 ? 0 : k_infinity};
}

Interval product(const Interval& a, const Interval& b) {
  Interval range{k_infinity, -k_infinity};
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      const double value = x == 0 || y == 0 ? 0 : x * y;
      range = hull(range, {value, value});
    }
  }
  return widened(range);
}

// Whether it is log(1 + exp(x)), or x where x is large and positive.
bool is_plain_softplus(const GraphNode& node) {
  return number(argument(node, "beta")).value_or(1) > 0 &&
         number(argument(node, "threshold")).value_or(k_infinity) >= 0;
}

// Functions whose values lie in a fixed range.
Interval fixed_range(const GraphNode& node) {
  const std::string_view kind = kind_of(node);
  if (kind == "softplus" && !is_plain_softplus(node)) return {};
  if (kind == "sigmoid" || kind == "softmax" || kind == "hardsigmoid") return {0, 1};
  if (kind == "tanh" || kind == "cos" || kind == "sin" || kind == "sign") return {-1, 1};
  if (kind == "exp" || kind == "softplus" || kind == "square") return {0, k_infinity};
  if (kind == "log_softmax" || kind == "logsigmoid") return {-k_infinity, 0};
  if (kind == "silu") return {-0.28, k_infinity};
  if (kind == "gelu") return {-0.18, k_infinity};
  if (kind == "mish") return {-0.32, k_infinity};
  if (kind == "hardswish") return {-0.38, k_infinity};
  return {};
}

Interval clamped(const Interval& range, double low, double high) {
  return {std::min(std::max(range.low, low), high), std::min(std::max(range.high, low), high)};
}

// The bounds of clamp and its kin; nothing where a bound is a tensor.
bool bounds_of(const GraphNode& node, Interval& bounds) {
  const std::string_view kind = kind_of(node);
  if (kind == "relu") bounds = {0, k_infinity};
  if (kind == "relu6") bounds = {0, 6};
  if (kind == "hardtanh") {
    bounds = {number(argument(node, "min_val")).value_or(-1),
              number(argument(node, "max_val")).value_or(1)};
  }
  const bool low_only = kind == "clamp_min";
  const bool high_only = kind == "clamp_max";
  if (kind == "clamp" || low_only || high_only) {
    if (!operand(node, "min").empty() || !operand(node, "max").empty()) return false;
    bounds.low = number(argument(node, "min")).value_or(-k_infinity);
    bounds.high = number(argument(node, "max")).value_or(k_infinity);
  }
  return bounds.low > -k_infinity || bounds.high < k_infinity;
}

// "torch.tensor(0.0, dtype=..)".
Interval constant_range(const std::string& source) {
  constexpr std::string_view k_prefix = "torch.tensor(";
  if (!source.starts_with(k_prefix)) return {};
  double value = 0;
  const char* const begin = source.data() + k_prefix.size();
  const auto read = std::from_chars(begin, source.data() + source.size(), value);
  if (read.ec != std::errc() || *read.ptr != ',') return {};
  return {value, value};
}

class Ranges {
 public:
  explicit Ranges(const GraphIndex& index) : index_(index) {}

  std::unordered_map<std::string, Interval> run() {
    for (const GraphNode& node : index_.graph().nodes) found_[node.name] = range_of(node);
    return std::move(found_);
  }

 private:
  Interval of(const std::string& name) const {
    const auto found = found_.find(name);
    return found == found_.end() ? Interval{} : found->second;
  }

  Interval operand_range(const GraphNode& node, const char* name) const {
    const auto constant = number(argument(node, name));
    if (constant) return {*constant, *constant};
    const std::string& value = operand(node, name);
    return value.empty() ? Interval{} : of(value);
  }

  // Of real numbers, computed of numbers of one dtype: another one cuts or rounds them.
  Interval range_of(const GraphNode& node) const {
    const std::string& dtype = spec_of(node).dtype;
    const bool alike = std::ranges::all_of(inputs_of(node), [&](const std::string& used) {
      return spec_of(index_.node(used)).dtype == dtype;
    });
    return alike && is_floating(spec_of(node)) ? range_within(node) : Interval{};
  }

  Interval range_within(const GraphNode& node) const {
    if (node.op == "constant") return constant_range(node.source);
    Interval bounds;
    const Interval self = operand_range(node, "self");
    if (bounds_of(node, bounds)) return clamped(self, bounds.low, bounds.high);
    const std::string_view kind = kind_of(node);
    if (is_kind(node, {"add", "sub", "mul", "div", "neg", "minimum", "maximum", "min", "max"})) {
      return arithmetic(node);
    }
    if (is_kind(node, {"dropout", "feature_dropout"})) return signs(operand_range(node, "input"));
    if (keeps_values(node)) return of(inputs_of(node).front());
    const bool divides = number(argument(node, "divisor_override")).value_or(1) > 0;
    if (divides &&
        is_kind(node, {"mean", "sum", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
                       "adaptive_avg_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d"})) {
      return signs(self);
    }
    if (is_kind(node, {"abs", "sqrt", "leaky_relu"}) && self.low >= 0) {
      return kind == "abs" ? self : Interval{0, k_infinity};
    }
    if (is_kind(node, {"abs", "sqrt", "norm", "linalg_vector_norm"})) return {0, k_infinity};
    return fixed_range(node);
  }

  // Operators whose every element is one of their first operand's, or zero where that is said.
  bool keeps_values(const GraphNode& node) const {
    if (inputs_of(node).empty()) return false;
    return (node.is_view && !node.is_random) || node.op == "getitem" ||
           is_kind(node, {"max_pool1d", "max_pool2d", "max_pool3d", "amax", "amin", "clone", "flip",
                          "contiguous", "detach", "lift_fresh_copy"});
  }

  Interval arithmetic(const GraphNode& node) const {
    const std::string_view kind = kind_of(node);
    const Interval a = operand_range(node, "self");
    if (kind == "neg") return {-a.high, -a.low};
    const bool reduces = is_kind(node, {"min", "max"}) && operand(node, "other").empty();
    if (reduces) return a;
    const Interval b = operand_range(node, "other");
    if (kind == "minimum" || kind == "min")
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    if (kind == "maximum" || kind == "max")
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    if (kind == "mul") return product(a, b);
    if (kind == "div") {
      const bool by_number = b.is_point() && b.low != 0 && is_none(argument(node, "rounding_mode"));
      return by_number ? product(a, {1 / b.low, 1 / b.low}) : Interval{};
    }
    if (number(argument(node, "alpha")).value_or(1) != 1) return {};
    const bool minus = kind == "sub";
    const bool same =
        minus && !operand(node, "self").empty() && operand(node, "self") == operand(node, "other");
    if (same) return {0, 0};
    return widened({a.low + (minus ? -b.high : b.low), a.high + (minus ? -b.low : b.high)});
  }

  const GraphIndex& index_;
  std::unordered_map<std::string, Interval> found_;
};

}  // namespace

Interval sizes_in(const std::string& dtype) {
  if (dtype == "float16") return k_float16;
  if (dtype == "bfloat16") return k_bfloat16;
  return dtype == "float32" ? k_float32 : k_float64;
}

std::unordered_map<std::string, Interval> ranges_of(const GraphIndex& index) {
  return Ranges(index).run();
}

bool passes_unchanged(const GraphNode& node, Interval& passed) {
  if (bounds_of(node, passed)) return true;
  if (!is_kind(node, {"leaky_relu", "abs"})) return false;
  passed = {0, k_infinity};
  return true;
}

}  // namespace cupel::rewrite
