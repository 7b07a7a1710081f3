// Clamps and their kin that cannot act, and clamps of clamps.
#include <algorithm>
#include <cmath>

#include "rewrite/facts/rules.h"
#include "rewrite/ranges.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

bool is_like(const GraphIndex& index, const GraphNode& node, const std::string& of) {
  return !of.empty() && is_floating(spec_of(node)) &&
         same_form(spec_of(index.node(of)), spec_of(node));
}

// A number at most another one: neither NaN, nor an end at the wrong infinity.
bool is_bounds(const Interval& bounds) {
  constexpr double k_infinity = std::numeric_limits<double>::infinity();
  return bounds.low <= bounds.high && bounds.low < k_infinity && bounds.high > -k_infinity;
}

Found never_acts(const GraphIndex& index, const GraphNode& node) {
  Interval passed;
  const std::string& of = operand(node, "self");
  if (!passes_unchanged(node, passed) || !is_like(index, node, of)) return std::nullopt;
  if (!index.range(of).is_within(passed)) return std::nullopt;
  return Patch{{}, {{node.name, of}}};
}

// clamp(clamp(x, a, b), c, d) = clamp(x, clamp(a, c, d), clamp(b, c, d)) for a <= b and c <= d.
Found clamp_of_clamp(const GraphIndex& index, const GraphNode& node) {
  const std::string& of = operand(node, "self");
  if (!is_like(index, node, of) || index.uses(of) != 1) return std::nullopt;
  const GraphNode& inner = index.node(of);
  Interval first, second;
  if (!passes_unchanged(inner, first) || !passes_unchanged(node, second)) return std::nullopt;
  const auto is_clamp = [](const GraphNode& each) { return !is_kind(each, {"leaky_relu", "abs"}); };
  if (!is_clamp(inner) || !is_clamp(node) || !is_bounds(first) || !is_bounds(second)) {
    return std::nullopt;
  }
  const std::string& source = operand(inner, "self");
  if (!is_like(index, node, source)) return std::nullopt;
  const auto bound = [&](double value) {
    const double both = std::min(std::max(value, second.low), second.high);
    return std::isfinite(both) ? GraphValue::of(both) : GraphValue{};
  };
  PatchBuilder build(index);
  const std::string result = build.call(
      "aten.clamp.default",
      {given("self", source), given("min", bound(first.low)), given("max", bound(first.high))},
      spec_of(node).shape, source);
  return std::move(build).done(node.name, result);
}

constexpr Rule k_rules[] = {
    {"clamp that cannot act", "whatever the inputs are, what comes lies between its bounds already",
     Rounding::none, Kept::always, never_acts},
    {"clamp of a clamp",
     "both together are one clamp, to the first one's bounds clamped by the second one's",
     Rounding::none, Kept::cheaper, clamp_of_clamp},
};

}  // namespace

std::span<const Rule> range_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
