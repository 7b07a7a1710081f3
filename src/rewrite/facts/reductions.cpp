#include "rewrite/facts/reductions.h"

#include <fmt/format.h>

#include <algorithm>

namespace cupel::rewrite {
namespace {

bool keeps_dtype(const GraphIndex& index, const GraphNode& node, const std::string& of) {
  const TensorSpec& from = spec_of(index.node(of));
  return is_floating(from) && from.dtype == spec_of(node).dtype;
}

Sizes all_dims(std::int64_t rank) {
  Sizes dims;
  for (std::int64_t i = 0; i < rank; ++i) dims.push_back(i);
  return dims;
}

Sizes last_dims(std::int64_t rank, std::size_t count) {
  Sizes dims;
  for (std::int64_t i = rank - static_cast<std::int64_t>(count); i < rank; ++i) dims.push_back(i);
  return dims;
}

std::optional<Reduction> plain_reduction(const GraphIndex& index, const GraphNode& node) {
  Reduction found;
  found.of = operand(node, "self");
  if (found.of.empty() || !keeps_dtype(index, node, found.of)) return std::nullopt;
  const std::int64_t rank = rank_of(index.node(found.of));
  const auto dims = integers(argument(node, "dim"));
  for (const std::int64_t dim : dims.value_or(Sizes{})) found.dims.push_back(from_front(dim, rank));
  if (found.dims.empty()) found.dims = all_dims(rank);
  std::ranges::sort(found.dims);
  found.keeps = is_true(argument(node, "keepdim"));
  found.mean = kind_of(node) == "mean";
  if (rank == 0) return std::nullopt;
  return found;
}

std::optional<Reduction> global_pool(const GraphIndex& index, const GraphNode& node) {
  const auto pool = average_pool_of(index, node);
  if (!pool) return std::nullopt;
  const Sizes& shape = spec_of(index.node(pool->of)).shape;
  for (std::size_t i = 0; i < pool->window.size(); ++i) {
    if (pool->window[i] != shape[shape.size() - pool->window.size() + i]) return std::nullopt;
  }
  const auto rank = static_cast<std::int64_t>(shape.size());
  return Reduction{pool->of, last_dims(rank, pool->window.size()), true, true};
}

// An adaptive pool whose windows are all of one size and do not overlap.
std::optional<AveragePool> adaptive_pool(const GraphIndex& index, const GraphNode& node) {
  AveragePool pool{operand(node, "self"), {}, {}};
  const auto wanted = integers(argument(node, "output_size"));
  if (pool.of.empty() || !wanted) return std::nullopt;
  const Sizes& from = spec_of(index.node(pool.of)).shape;
  const Sizes& to = spec_of(node).shape;
  for (std::size_t i = from.size() - wanted->size(); i < from.size(); ++i) {
    if (to[i] == 0 || from[i] % to[i] != 0) return std::nullopt;
    pool.window.push_back(from[i] / to[i]);
  }
  pool.stride = pool.window;
  return pool;
}

bool all_equal(const Sizes& values, std::int64_t wanted) {
  return std::ranges::all_of(values, [=](std::int64_t value) { return value == wanted; });
}

// A list given for all dimensions at once has one entry.
Sizes widened(Sizes values, std::size_t count) {
  if (values.size() == 1) values.resize(count, values.front());
  return values;
}

std::optional<Sizes> listed(const GraphNode& node, std::string_view name, std::size_t count,
                            std::int64_t otherwise) {
  const GraphValue& value = argument(node, name);
  if (is_none(value)) return Sizes(count, otherwise);
  auto found = integers(value);
  if (!found) return std::nullopt;
  if (found->empty()) return Sizes(count, otherwise);
  Sizes wide = widened(*found, count);
  if (wide.size() != count) return std::nullopt;
  return wide;
}

// padding="same" and "valid" as numbers, where both sides get the same.
std::optional<Sizes> named_padding(const std::string& name, const Sizes& kernel,
                                   const Sizes& dilation) {
  if (name == "valid") return Sizes(kernel.size(), 0);
  if (name != "same") return std::nullopt;
  Sizes padding;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const std::int64_t total = dilation[i] * (kernel[i] - 1);
    if (total % 2 != 0) return std::nullopt;
    padding.push_back(total / 2);
  }
  return padding;
}

std::size_t spatial_rank(std::string_view kind) {
  if (kind.ends_with("1d")) return 1;
  if (kind.ends_with("2d")) return 2;
  return kind.ends_with("3d") ? 3 : 0;
}

}  // namespace

std::optional<Reduction> reduction_of(const GraphIndex& index, const GraphNode& node) {
  if (is_kind(node, {"sum", "mean"})) return plain_reduction(index, node);
  return global_pool(index, node);
}

std::optional<AveragePool> average_pool_of(const GraphIndex& index, const GraphNode& node) {
  const std::string_view kind = kind_of(node);
  const std::size_t count = spatial_rank(kind);
  if (kind.starts_with("adaptive_avg_pool")) return adaptive_pool(index, node);
  if (!kind.starts_with("avg_pool") || count == 0) return std::nullopt;
  AveragePool pool{operand(node, "self"), {}, {}};
  const auto window = listed(node, "kernel_size", count, 1);
  const auto padding = listed(node, "padding", count, 0);
  if (!window || !padding || pool.of.empty() || !all_equal(*padding, 0)) return std::nullopt;
  if (is_true(argument(node, "ceil_mode"))) return std::nullopt;
  if (!is_none(argument(node, "divisor_override"))) return std::nullopt;
  pool.window = *window;
  const GraphValue& stride = argument(node, "stride");
  const auto given_stride = integers(stride);
  pool.stride = given_stride && !given_stride->empty() ? widened(*given_stride, count) : *window;
  if (!is_floating(spec_of(index.node(pool.of)))) return std::nullopt;
  return pool;
}

std::optional<Convolution> convolution_of(const GraphIndex& index, const GraphNode& node) {
  const std::string_view kind = kind_of(node);
  const std::size_t count = spatial_rank(kind);
  if (!kind.starts_with("conv") || count == 0) return std::nullopt;
  Convolution found;
  found.transposed = kind.starts_with("conv_transpose");
  found.input = operand(node, "input");
  found.weight = operand(node, "weight");
  found.bias = operand(node, "bias");
  if (found.input.empty() || found.weight.empty() || !is_floating(spec_of(node))) {
    return std::nullopt;
  }
  if (rank_of(index.node(found.input)) != static_cast<std::int64_t>(count) + 2) return std::nullopt;
  const auto stride = listed(node, "stride", count, 1);
  const auto dilation = listed(node, "dilation", count, 1);
  const auto extra = listed(node, "output_padding", count, 0);
  if (!stride || !dilation || !extra) return std::nullopt;
  const Sizes& shape = spec_of(index.node(found.weight)).shape;
  const GraphValue& given_padding = argument(node, "padding");
  const auto padding =
      given_padding.kind == GraphValue::Kind::text
          ? named_padding(given_padding.text, Sizes(shape.begin() + 2, shape.end()), *dilation)
          : listed(node, "padding", count, 0);
  if (!padding) return std::nullopt;
  found.stride = *stride;
  found.dilation = *dilation;
  found.output_padding = *extra;
  found.padding = *padding;
  found.groups = integer(argument(node, "groups")).value_or(1);
  return found;
}

bool is_only_use(const GraphIndex& index, const std::string& value) {
  return index.uses(value) == 1;
}

std::string convolve(PatchBuilder& build, const Convolution& convolution, Sizes shape) {
  std::vector<GraphArgument> arguments{
      given("input", convolution.input), given("weight", convolution.weight),
      given("bias", convolution.bias), given("stride", convolution.stride),
      given("padding", convolution.padding)};
  const auto groups = given("groups", GraphValue::of(convolution.groups));
  const auto dilation = given("dilation", convolution.dilation);
  if (convolution.transposed) {
    arguments.push_back(given("output_padding", convolution.output_padding));
    arguments.push_back(groups);
    arguments.push_back(dilation);
  } else {
    arguments.push_back(dilation);
    arguments.push_back(groups);
  }
  const std::string op = fmt::format(
      "aten.conv{}{}d.{}", convolution.transposed ? "_transpose" : "", convolution.spatial(),
      convolution.transposed && convolution.spatial() > 1 ? "input" : "default");
  return build.call(op, std::move(arguments), std::move(shape), convolution.input);
}

}  // namespace cupel::rewrite
