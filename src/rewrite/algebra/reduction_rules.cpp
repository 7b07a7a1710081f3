// Sums and means moved to where less is left to compute: before products, not after them.
#include <algorithm>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

bool contains(const Sizes& dims, std::int64_t dim) {
  return std::ranges::find(dims, dim) != dims.end();
}

Sizes without(const Sizes& dims, std::int64_t dim) {
  Sizes rest;
  std::ranges::copy_if(dims, std::back_inserter(rest), [=](std::int64_t d) { return d != dim; });
  return rest;
}

std::int64_t count_over(const Sizes& shape, const Sizes& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= shape[static_cast<std::size_t>(dim)];
  return count;
}

// What the reduction's producer is, if nobody else needs it. A product may be needed by others too:
// to read the whole of it again costs more than to reduce what it is made of.
const GraphNode* producer(const GraphIndex& index, const Reduction& reduction) {
  const GraphNode& node = index.node(reduction.of);
  const bool is_large = kind_of(node) == "linear" || is_product(node);
  return is_large || is_only_use(index, reduction.of) ? &node : nullptr;
}

std::string reduced(PatchBuilder& build, const Reduction& reduction, const std::string& x,
                    const Sizes& dims) {
  return dims.empty() ? x : build.reduce(reduction.mean, x, dims);
}

// An operand of an elementwise operator, reduced over the dimensions of its result: the part of
// them along which it varies; along the others a sum is a multiple, a mean itself.
std::string reduced_operand(PatchBuilder& build, const Reduction& reduction, const std::string& x,
                            const Sizes& whole) {
  const Sizes& shape = build.shape(x);
  const auto shift = static_cast<std::int64_t>(whole.size() - shape.size());
  Sizes varying;
  std::int64_t repeated = 1;
  for (const std::int64_t dim : reduction.dims) {
    const std::int64_t size = whole[static_cast<std::size_t>(dim)];
    const bool varies = dim >= shift && shape[static_cast<std::size_t>(dim - shift)] == size;
    if (varies && size != 1) varying.push_back(dim - shift);
    if (!varies) repeated *= size;
  }
  const std::string value = reduced(build, reduction, x, varying);
  return reduction.mean || repeated == 1 ? value
                                         : build.times(value, static_cast<double>(repeated));
}

Found through_scale(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction) return std::nullopt;
  const GraphNode* const inner = producer(index, *reduction);
  if (inner == nullptr || !is_kind(*inner, {"mul", "div", "neg"})) return std::nullopt;
  const std::string& scaled = operand(*inner, "self");
  const std::string& by = operand(*inner, "other");
  if (scaled.empty() || !is_none(argument(*inner, "rounding_mode"))) return std::nullopt;
  if (!same_form(spec_of(index.node(scaled)), spec_of(*inner))) return std::nullopt;
  PatchBuilder build(index);
  if (by.empty()) {
    const std::string sum = build.reduce(reduction->mean, scaled, reduction->dims);
    return std::move(build).done_shaped(node, build.again(*inner, scaled, sum));
  }
  // A factor that is the same all along the reduced dimensions.
  const Sizes& factor = spec_of(index.node(by)).shape;
  const auto shift = rank_of(*inner) - static_cast<std::int64_t>(factor.size());
  for (const std::int64_t dim : reduction->dims) {
    if (dim >= shift && factor[static_cast<std::size_t>(dim - shift)] != 1) return std::nullopt;
  }
  if (spec_of(index.node(by)).dtype != spec_of(node).dtype) return std::nullopt;
  const std::string sum = build.reduce(reduction->mean, scaled, reduction->dims);
  const std::string result = kind_of(*inner) == "mul" ? build.times(sum, by) : build.over(sum, by);
  return std::move(build).done_shaped(node, result);
}

Found through_sum(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction) return std::nullopt;
  const GraphNode* const inner = producer(index, *reduction);
  if (inner == nullptr || !is_kind(*inner, {"add", "sub"})) return std::nullopt;
  if (number(argument(*inner, "alpha")).value_or(1) != 1) return std::nullopt;
  const std::string& a = operand(*inner, "self");
  const std::string& b = operand(*inner, "other");
  const Sizes& whole = spec_of(*inner).shape;
  const auto constant = number(argument(*inner, "other"));
  const auto fits = [&](const std::string& x) {
    return !x.empty() && spec_of(index.node(x)).dtype == spec_of(node).dtype;
  };
  if (!fits(a) || (b.empty() ? !constant : !fits(b))) return std::nullopt;
  const bool minus = kind_of(*inner) == "sub";
  PatchBuilder build(index);
  const std::string left = reduced_operand(build, *reduction, a, whole);
  std::string result;
  if (b.empty()) {
    const double terms =
        reduction->mean ? 1 : static_cast<double>(count_over(whole, reduction->dims));
    result = build.plus(left, (minus ? -1 : 1) * *constant * terms);
  } else {
    const std::string right = reduced_operand(build, *reduction, b, whole);
    result = minus ? build.minus(left, right) : build.plus(left, right);
  }
  if (element_count(build.shape(result)) != element_count(spec_of(node).shape)) return std::nullopt;
  return std::move(build).done_shaped(node, result);
}

Found through_linear(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction) return std::nullopt;
  const GraphNode* const inner = producer(index, *reduction);
  if (inner == nullptr || kind_of(*inner) != "linear") return std::nullopt;
  const std::int64_t last = rank_of(*inner) - 1;
  const std::string& input = operand(*inner, "input");
  std::string bias = operand(*inner, "bias");
  std::string weight = operand(*inner, "weight");
  if (rank_of(index.node(weight)) != 2) return std::nullopt;
  const Sizes rows = without(reduction->dims, last);
  PatchBuilder build(index);
  const std::string x = reduced(build, *reduction, input, rows);
  if (contains(reduction->dims, last)) {
    weight = build.reduce(reduction->mean, weight, {0});
    if (!bias.empty()) bias = build.reduce(reduction->mean, bias, {0});
  }
  const auto terms = static_cast<double>(count_over(spec_of(*inner).shape, rows));
  if (!bias.empty() && !reduction->mean && terms != 1) bias = build.times(bias, terms);
  const std::string product = build.linear(x, weight, bias);
  return std::move(build).done_shaped(node, product);
}

Found through_matmul(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction) return std::nullopt;
  const GraphNode* const inner = producer(index, *reduction);
  if (inner == nullptr || !is_product(*inner)) return std::nullopt;
  std::string a = operand(*inner, "self");
  std::string b = right_factor(*inner);
  const std::int64_t rank = rank_of(*inner);
  if (a.empty() || b.empty()) return std::nullopt;
  const std::int64_t rank_a = rank_of(index.node(a));
  const std::int64_t rank_b = rank_of(index.node(b));
  if (rank_a < 2 || rank_b < 2) return std::nullopt;
  PatchBuilder build(index);
  for (const std::int64_t dim : reduction->dims) {
    if (dim == rank - 1) {
      b = build.reduce(reduction->mean, b, {rank_b - 1});
    } else if (dim == rank - 2) {
      a = build.reduce(reduction->mean, a, {rank_a - 2});
    } else if (rank_b == 2 && rank_a == rank) {
      a = build.reduce(reduction->mean, a, {dim});  // the other factor is the same for each
    } else {
      return std::nullopt;
    }
  }
  const std::string product = build.matmul(a, b);
  return std::move(build).done_shaped(node, product);
}

// Which dimension of the producer's operand a dimension of its result is; -1: a new one of size 1.
std::optional<Sizes> moved_dims(const GraphIndex& index, const GraphNode& inner) {
  const std::int64_t rank = rank_of(index.node(operand(inner, "self")));
  Sizes dims;
  for (std::int64_t i = 0; i < rank; ++i) dims.push_back(i);
  if (kind_of(inner) == "unsqueeze") {
    const std::int64_t at = from_front(*integer(argument(inner, "dim")), rank + 1);
    dims.insert(dims.begin() + at, -1);
  } else if (kind_of(inner) == "transpose") {
    const std::int64_t a = from_front(*integer(argument(inner, "dim0")), rank);
    const std::int64_t b = from_front(*integer(argument(inner, "dim1")), rank);
    std::swap(dims[static_cast<std::size_t>(a)], dims[static_cast<std::size_t>(b)]);
  } else if (kind_of(inner) == "permute") {
    dims = *integers(argument(inner, "dims"));
    for (std::int64_t& dim : dims) dim = from_front(dim, rank);
  } else {
    return std::nullopt;
  }
  return dims;
}

Found through_moved(const GraphIndex& index, const GraphNode& node) {
  const auto reduction = reduction_of(index, node);
  if (!reduction) return std::nullopt;
  const GraphNode* const inner = producer(index, *reduction);
  if (inner == nullptr || !is_kind(*inner, {"unsqueeze", "transpose", "permute"}))
    return std::nullopt;
  const auto moved = moved_dims(index, *inner);
  if (!moved) return std::nullopt;
  Sizes dims, kept_order;
  for (std::size_t i = 0; i < moved->size(); ++i) {
    const bool gone = contains(reduction->dims, static_cast<std::int64_t>(i));
    if (gone && (*moved)[i] >= 0) dims.push_back((*moved)[i]);
    if (!gone && (*moved)[i] >= 0) kept_order.push_back((*moved)[i]);
  }
  // The dimensions that stay must stay in their order, so that a reshape puts them right.
  if (!std::ranges::is_sorted(kept_order) || dims.empty()) return std::nullopt;
  std::ranges::sort(dims);
  PatchBuilder build(index);
  const std::string sum = build.reduce(reduction->mean, operand(*inner, "self"), dims);
  return std::move(build).done_shaped(node, sum);
}

Found merged(const GraphIndex& index, const GraphNode& node) {
  const auto outer = reduction_of(index, node);
  if (!outer || !is_only_use(index, outer->of)) return std::nullopt;
  const auto inner = reduction_of(index, index.node(outer->of));
  if (!inner || inner->mean != outer->mean) return std::nullopt;
  const std::int64_t rank = rank_of(index.node(inner->of));
  Sizes dims = inner->dims;
  std::int64_t seen = -1;
  for (std::int64_t dim = 0; dim < rank; ++dim) {
    const bool gone = contains(inner->dims, dim);
    if (!gone || inner->keeps) ++seen;
    if (!gone && contains(outer->dims, seen)) dims.push_back(dim);
  }
  std::ranges::sort(dims);
  PatchBuilder build(index);
  const std::string sum = build.reduce(outer->mean, inner->of, dims);
  return std::move(build).done_shaped(node, sum);
}

constexpr Rule k_rules[] = {
    {"reduction of a reduction",
     "the sum of sums over different axes is the sum over all of "
     "them; so with means, since every row has the same length",
     Rounding::reorders, Kept::cheaper, merged},
    {"reduction through a scale", "a factor that is the same for all terms leaves the sum",
     Rounding::reorders, Kept::cheaper, through_scale},
    {"reduction through a sum",
     "the sum of a sum is the sum of both sums; what does not vary along the "
     "axis counts as often as the axis is long, and a mean of it is itself",
     Rounding::reorders, Kept::cheaper, through_sum},
    {"reduction through linear",
     "sum_o (W x + b)_o = (sum_o W_o) x + sum_o b_o, and "
     "over rows sum_n (W x_n + b) = W (sum_n x_n) + N b",
     Rounding::reorders, Kept::cheaper, through_linear},
    {"reduction through a product",
     "sum_n (A B)_mn = A (sum_n B_n), and sum_m (A B)_mn = (sum_m A_m) B", Rounding::reorders,
     Kept::cheaper, through_matmul},
    {"reduction through moved axes", "moving axes moves no element into another sum",
     Rounding::reorders, Kept::always, through_moved},
};

}  // namespace

std::span<const Rule> reduction_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
