// Means behind a norm: they follow from the moments that the norm takes anyway.
#include <algorithm>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

// A group norm of (batch, channels, places..).
struct GroupNorm {
  std::string of, weight, bias;
  std::int64_t groups = 1;
  double eps = 0;
};

std::optional<GroupNorm> group_norm_of(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "group_norm" || rank_of(node) < 3) return std::nullopt;
  GroupNorm norm{operand(node, "input"), operand(node, "weight"), operand(node, "bias"),
                 integer(argument(node, "num_groups")).value_or(0),
                 number(argument(node, "eps")).value_or(0)};
  for (const std::string& each : {norm.of, norm.weight, norm.bias}) {
    const bool fits = each.empty() || spec_of(index.node(each)).dtype == spec_of(node).dtype;
    if (!fits) return std::nullopt;
  }
  if (norm.of.empty() || norm.groups < 1 || !is_floating(spec_of(node))) return std::nullopt;
  return norm;
}

// Dimensions from the third on.
Sizes places_of(const GraphNode& node) {
  Sizes dims;
  for (std::int64_t dim = 2; dim < rank_of(node); ++dim) dims.push_back(dim);
  return dims;
}

// (batch, channels): the mean over all places of what the norm makes of each channel. A group's
// mean is that of its channels' means; its variance the mean of theirs, and that of their means.
std::string mean_behind(PatchBuilder& build, const GroupNorm& norm, const GraphNode& node) {
  const Sizes& shape = spec_of(node).shape;
  Sizes each = shape;
  std::fill(each.begin() + 2, each.end(), 1);
  GraphArgument correction = given("correction", GraphValue::of(std::int64_t{0}));
  GraphArgument keeps = given("keepdim", GraphValue::of(true));
  correction.is_keyword = keeps.is_keyword = true;
  const std::string moments =
      build.calls("aten.var_mean.correction",
                  {given("self", norm.of), given("dim", places_of(node)), correction, keeps},
                  {each, each}, norm.of);
  const Sizes grouped{shape[0], norm.groups, shape[1] / norm.groups};
  const std::string variances = build.reshape(build.piece(moments, 0), grouped);
  const std::string means = build.reshape(build.piece(moments, 1), grouped);
  const std::string apart = build.minus(means, build.reduce(true, means, {2}));
  const std::string variance =
      build.reduce(true, build.plus(variances, build.times(apart, apart)), {2});
  std::string mean = build.reshape(
      build.times(apart, build.unary("rsqrt", build.plus(variance, norm.eps))),
      {shape[0], shape[1]});
  if (!norm.weight.empty()) mean = build.times(mean, norm.weight);
  return norm.bias.empty() ? mean : build.plus(mean, norm.bias);
}

Found through_group_norm(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction || !is_only_use(index, reduction->of)) return std::nullopt;
  const GraphNode& inner = index.node(reduction->of);
  const auto norm = group_norm_of(index, inner);
  if (!norm) return std::nullopt;
  const Sizes places = places_of(inner);
  Sizes rest = reduction->dims;
  std::erase_if(rest, [](std::int64_t dim) { return dim > 1; });
  if (rest.size() + places.size() != reduction->dims.size()) return std::nullopt;
  const Sizes& shape = spec_of(inner).shape;
  PatchBuilder build(index);
  std::string result = mean_behind(build, *norm, inner);
  if (!reduction->mean) {
    const Sizes counted(shape.begin() + 2, shape.end());
    result = build.times(result, static_cast<double>(element_count(counted)));
  }
  if (!rest.empty()) result = build.reduce(reduction->mean, result, rest);
  return std::move(build).done_shaped(node, result);
}

// On a CPU var_mean takes ten times as long as the norm.
constexpr Rule k_rules[] = {
    {"mean through a group norm",
     "the mean of (x - m) / s is (mean of x - m) / s; the group's m and s follow from the mean and "
     "variance of each channel",
     Rounding::reorders, Kept::cheaper, through_group_norm, Tf32::same_switch, true},
};

}  // namespace

std::span<const Rule> moment_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
