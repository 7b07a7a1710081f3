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

// The mean and the variance over all places of each channel, with places of size one.
struct Moments {
  std::string mean, variance;
};

Moments moments_of(PatchBuilder& build, const std::string& of, const GraphNode& norm) {
  Sizes each = spec_of(norm).shape;
  std::fill(each.begin() + 2, each.end(), 1);
  GraphArgument correction = given("correction", GraphValue::of(std::int64_t{0}));
  GraphArgument keeps = given("keepdim", GraphValue::of(true));
  correction.is_keyword = keeps.is_keyword = true;
  const std::string both = build.calls(
      "aten.var_mean.correction",
      {given("self", of), given("dim", places_of(norm)), correction, keeps}, {each, each}, of);
  return {build.piece(both, 1), build.piece(both, 0)};
}

// Of all that lie along a dimension together: the mean of the means, and how far each is from it;
// the variance is the mean of the variances and of the squares of that.
struct Together {
  std::string mean, apart, variance;
};

Together together(PatchBuilder& build, const Moments& each, std::int64_t dim) {
  const std::string mean = build.reduce(true, each.mean, {dim});
  const std::string apart = build.minus(each.mean, mean);
  const std::string squares = build.plus(each.variance, build.times(apart, apart));
  return {mean, apart, build.reduce(true, squares, {dim})};
}

std::string deviation_inverse(PatchBuilder& build, const std::string& variance, double eps) {
  return build.unary("rsqrt", build.plus(variance, eps));
}

// (batch, channels): the mean over all places of what the norm makes of each channel.
std::string mean_behind(PatchBuilder& build, const GroupNorm& norm, const GraphNode& node) {
  const Sizes& shape = spec_of(node).shape;
  const Moments each = moments_of(build, norm.of, node);
  const Sizes grouped{shape[0], norm.groups, shape[1] / norm.groups};
  const Together group = together(
      build, {build.reshape(each.mean, grouped), build.reshape(each.variance, grouped)}, 2);
  std::string mean =
      build.reshape(build.times(group.apart, deviation_inverse(build, group.variance, norm.eps)),
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

// A batch norm of (batch, channels, places..) by the statistics of the batch.
struct BatchNorm {
  std::string of, weight, bias, running_mean, running_var;
  double eps = 0, momentum = 0;
};

std::optional<BatchNorm> batch_norm_of(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "batch_norm" || rank_of(node) < 3) return std::nullopt;
  if (!is_true(argument(node, "training")) || !is_floating(spec_of(node))) return std::nullopt;
  BatchNorm norm{operand(node, "input"),
                 operand(node, "weight"),
                 operand(node, "bias"),
                 operand(node, "running_mean"),
                 operand(node, "running_var"),
                 number(argument(node, "eps")).value_or(0),
                 number(argument(node, "momentum")).value_or(0)};
  for (const std::string& each :
       {norm.of, norm.weight, norm.bias, norm.running_mean, norm.running_var}) {
    const bool fits = each.empty() || spec_of(index.node(each)).dtype == spec_of(node).dtype;
    if (!fits) return std::nullopt;
  }
  return norm.of.empty() ? std::nullopt : std::optional(norm);
}

// running = (1 - momentum) running + momentum now, in place.
void keep_running(PatchBuilder& build, const std::string& running, const std::string& now,
                  double momentum) {
  if (running.empty()) return;
  const Sizes shape = build.shape(running);
  const std::string part = build.times(build.reshape(now, shape), momentum);
  const std::string values = build.view("aten.detach.default", {given("self", part)}, shape, part);
  build.write("aten.mul_.Tensor",
              {given("self", running), given("other", GraphValue::of(1 - momentum))}, shape);
  build.write("aten.add_.Tensor", {given("self", running), given("other", values)}, shape);
}

// A channel's, beside (batch, channels, places..).
std::string beside_places(PatchBuilder& build, const std::string& of_channel, std::int64_t rank) {
  Sizes shape(static_cast<std::size_t>(rank), 1);
  shape[1] = build.shape(of_channel)[0];
  return build.reshape(of_channel, shape);
}

// The norm of what is averaged over places, by the statistics of what it was averaged from.
std::string norm_behind(PatchBuilder& build, const BatchNorm& norm, const GraphNode& node,
                        const Moments& each, const std::string& averaged) {
  const Sizes& shape = spec_of(node).shape;
  const Together batch = together(build, each, 0);
  const auto count = static_cast<double>(element_count(shape) / shape[1]);
  keep_running(build, norm.running_mean, batch.mean, norm.momentum);
  keep_running(build, norm.running_var, build.times(batch.variance, count / (count - 1)),
               norm.momentum);
  std::string factor = deviation_inverse(build, batch.variance, norm.eps);
  if (!norm.weight.empty()) {
    factor = build.times(factor, beside_places(build, norm.weight, rank_of(node)));
  }
  const std::string apart = averaged == each.mean ? batch.apart : build.minus(averaged, batch.mean);
  const std::string result = build.times(apart, factor);
  return norm.bias.empty() ? result
                           : build.plus(result, beside_places(build, norm.bias, rank_of(node)));
}

// The same operator of what the norm is given.
std::string pooled_before(PatchBuilder& build, const GraphNode& pool, const std::string& old,
                          const std::string& now) {
  GraphNode first = pool;
  for (GraphArgument& each : first.arguments) rename_uses(each.value, old, now);
  return build.call(first.op, first.arguments, spec_of(pool).shape, now);
}

Found through_batch_norm(const GraphIndex& index, const GraphNode& node) {
  const auto mean = reduction_of(index, node);
  const auto pool = average_pool_of(index, node);
  if (!pool && (!mean || !mean->mean)) return std::nullopt;
  const std::string& of = mean ? mean->of : pool->of;
  const GraphNode& inner = index.node(of);
  const auto norm = batch_norm_of(index, inner);
  if (!norm || !is_only_use(index, of) || !index.may_wait(of, node.name)) return std::nullopt;
  const Sizes& shape = spec_of(inner).shape;
  const bool all_places = mean && mean->dims == places_of(inner);
  if (element_count(shape) / std::max<std::int64_t>(shape[1], 1) < 2) return std::nullopt;
  if (!all_places && (!pool || pool->window.size() + 2 != shape.size())) return std::nullopt;
  PatchBuilder build(index);
  const Moments each = moments_of(build, norm->of, inner);
  const std::string averaged = all_places ? each.mean : pooled_before(build, node, of, norm->of);
  const std::string result = norm_behind(build, *norm, inner, each, averaged);
  Patch patch = std::move(build).done_shaped(node, result);
  if (inner.is_effect) patch.removed.push_back(of);
  return patch;
}

// On a CPU var_mean takes ten times as long as the norm.
constexpr Rule k_rules[] = {
    {"mean through a group norm",
     "the mean of (x - m) / s is (mean of x - m) / s; the group's m and s follow from the mean and "
     "variance of each channel",
     Rounding::reorders, Kept::cheaper, through_group_norm, Tf32::same_switch, true},
    {"average through a batch norm of the batch",
     "the mean of w (x - m) / s + b is w (mean of x - m) / s + b; m and s, which the running ones "
     "need too, follow from the mean and variance of each channel of each sample",
     Rounding::reorders, Kept::cheaper, through_batch_norm, Tf32::same_switch, true},
};

}  // namespace

std::span<const Rule> moment_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
