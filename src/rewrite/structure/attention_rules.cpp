// Attention that a program writes out: one operator of torch.
#include <limits>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"
#include "rewrite/facts/weighted.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

// Operators from the softmax back: a mask and two scales, in any order, then the product.
constexpr int k_scores_depth = 4;

// What may stand between the product of queries and keys and the softmax.
struct Scores {
  std::string query, key_transposed;
  double scale = 1;
  std::string factor;  // a tensor that scales rows
  std::string mask;    // added
  std::string hidden;  // true where a score is -inf
  bool understood = false;
};

// What queries are multiplied by before the product is as good behind it.
void take_scale_of_query(const GraphIndex& index, Scores& scores) {
  const GraphNode& node = index.node(scores.query);
  const auto scale = scaled_of(index, node);
  if (!scale || scale->factor == 0 || !is_only_use(index, node.name)) return;
  if (!same_form(spec_of(index.node(scale->of)), spec_of(node))) return;
  scores.scale *= scale->factor;
  scores.query = scale->of;
}

// A tensor that is the same for all scores of a row, so that it may as well scale the query.
bool scales_rows(const GraphIndex& index, const GraphNode& product, const std::string& factor) {
  if (factor.empty()) return false;
  const TensorSpec& by = spec_of(index.node(factor));
  const TensorSpec& scores = spec_of(index.node(operand(product, "self")));
  return by.dtype == scores.dtype && scores.shape == spec_of(product).shape &&
         (by.shape.empty() || by.shape.back() == 1);
}

// Follows the chain from the softmax's input back to the product.
Scores scores_of(const GraphIndex& index, std::string value) {
  Scores scores;
  for (int i = 0; i < k_scores_depth; ++i) {
    if (value.empty() || !is_only_use(index, value)) return scores;
    const GraphNode& node = index.node(value);
    const auto scale = scaled_of(index, node);
    if (is_product(node)) {
      scores.query = operand(node, "self");
      scores.key_transposed = right_factor(node);
      scores.understood = !scores.query.empty() && !scores.key_transposed.empty();
      if (scores.understood) take_scale_of_query(index, scores);
      return scores;
    }
    const bool masked = !scores.mask.empty() || !scores.hidden.empty();
    const bool scaled = scores.scale != 1 || !scores.factor.empty();
    if (scale && scale->factor != 0) {
      scores.scale *= scale->factor;
    } else if (kind_of(node) == "mul" && scores.factor.empty() &&
               scales_rows(index, node, operand(node, "other"))) {
      scores.factor = operand(node, "other");
    } else if (kind_of(node) == "masked_fill" && !masked && !scaled &&
               index.is_static(operand(node, "mask")) &&
               number(argument(node, "value")) == -std::numeric_limits<double>::infinity()) {
      scores.hidden = operand(node, "mask");
    } else if (kind_of(node) == "add" && !operand(node, "other").empty() && !masked &&
               !scaled &&  // a mask from before the scale would be scaled too
               number(argument(node, "alpha")).value_or(1) == 1) {
      scores.mask = operand(node, "other");
    } else {
      return scores;
    }
    value = operand(node, "self");
  }
  return scores;
}

// The keys themselves, of their transpose.
std::string keys_of(PatchBuilder& build, const GraphIndex& index, const std::string& transposed) {
  const GraphNode& node = index.node(transposed);
  const std::int64_t rank = rank_of(node);
  if (kind_of(node) == "transpose") {
    const std::int64_t a = from_front(integer(argument(node, "dim0")).value_or(0), rank);
    const std::int64_t b = from_front(integer(argument(node, "dim1")).value_or(0), rank);
    if (a + b == 2 * rank - 3 && a != b) return operand(node, "self");
  }
  Sizes dims;
  for (std::int64_t i = 0; i < rank; ++i) dims.push_back(i);
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return build.permute(transposed, dims);
}

bool are_alike(const GraphIndex& index, const std::string& a, const std::string& b) {
  const TensorSpec& first = spec_of(index.node(a));
  const TensorSpec& second = spec_of(index.node(b));
  if (first.dtype != second.dtype || first.shape.size() != second.shape.size()) return false;
  return std::equal(first.shape.begin(), first.shape.end() - 2, second.shape.begin());
}

Found written_out(const GraphIndex& index, const GraphNode& node) {
  if (!is_product(node)) return std::nullopt;
  const std::string& weights = operand(node, "self");
  const std::string& value = right_factor(node);
  if (weights.empty() || value.empty() || !is_only_use(index, weights)) return std::nullopt;
  const GraphNode& softmax = index.node(weights);
  const auto dim = integer(argument(softmax, "dim"));
  if (kind_of(softmax) != "softmax" || !dim || rank_of(softmax) < 3) return std::nullopt;
  if (from_front(*dim, rank_of(softmax)) != rank_of(softmax) - 1) return std::nullopt;
  if (!is_none(argument(softmax, "dtype"))) return std::nullopt;
  const Scores scores = scores_of(index, operand(softmax, "self"));
  if (!scores.understood || !are_alike(index, scores.query, value) ||
      !are_alike(index, scores.query, scores.key_transposed) || !is_floating(spec_of(node)) ||
      !are_alike(index, scores.query, weights)) {  // which a larger mask would repeat
    return std::nullopt;
  }
  // Some kernels take the largest score before they scale it.
  if (scores.scale <= 0) return std::nullopt;
  PatchBuilder build(index);
  std::string mask = scores.mask;
  if (!mask.empty() && spec_of(index.node(mask)).dtype != spec_of(node).dtype) return std::nullopt;
  if (!scores.hidden.empty()) {
    const GraphNode& hidden = index.node(scores.hidden);
    if (spec_of(hidden).dtype != "bool") return std::nullopt;
    mask = build.unary("logical_not", scores.hidden);
  }
  // torch asks for rows and columns.
  if (!mask.empty() && build.shape(mask).size() < 2) {
    Sizes shape = build.shape(mask);
    while (shape.size() < 2) shape.insert(shape.begin(), 1);
    mask = build.reshape(mask, shape);
  }
  const std::string query =
      scores.factor.empty() ? scores.query : build.times(scores.query, scores.factor);
  std::vector<GraphArgument> arguments{given("query", query),
                                       given("key", keys_of(build, index, scores.key_transposed)),
                                       given("value", value)};
  if (!mask.empty()) arguments.push_back(given("attn_mask", mask));
  GraphArgument scale = given("scale", GraphValue::of(scores.scale));
  scale.is_keyword = true;
  arguments.push_back(scale);
  const std::string result = build.call("aten.scaled_dot_product_attention.default",
                                        std::move(arguments), spec_of(node).shape, value);
  return std::move(build).done(node.name, result);
}

// With a mask that is no input. Whether it is causal is seen when weights are loaded.
Found mask_perhaps_causal(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "scaled_dot_product_attention") return std::nullopt;
  const std::string& mask = operand(node, "attn_mask");
  if (mask.empty() || !index.is_static(mask) || rank_of(index.node(mask)) < 2) return std::nullopt;
  const bool plain = number(argument(node, "dropout_p")).value_or(0) == 0 &&
                     !is_true(argument(node, "is_causal")) &&
                     !is_true(argument(node, "enable_gqa"));
  const Sizes& shape = spec_of(index.node(mask)).shape;
  const std::int64_t places = spec_of(node).shape[static_cast<std::size_t>(rank_of(node) - 2)];
  const bool one_for_all = element_count(shape) == places * places;
  if (!plain || !one_for_all || shape.back() != places) return std::nullopt;
  PatchBuilder build(index);
  const std::string causal = build.call(std::string(k_is_causal), {given("mask", mask)}, {}, mask);
  const std::string result =
      build.call(std::string(k_masked_attention),
                 {given("query", operand(node, "query")), given("key", operand(node, "key")),
                  given("value", operand(node, "value")), given("mask", mask),
                  given("causal", causal), given("scale", argument(node, "scale"))},
                 spec_of(node).shape, operand(node, "value"));
  return std::move(build).done(node.name, result);
}

// In float32 torch takes its memory-efficient kernel, which adds up products of numbers split in
// two (22 bits), or plain products under their switch.
constexpr Rule k_rules[] = {
    {"attention written out",
     "softmax(c Q K^T + mask) V is what torch calls scaled dot-product attention",
     Rounding::reorders, Kept::cheaper, written_out, Tf32::no_switch},
};

// On a CPU torch's attention gains nothing by it.
constexpr Rule k_mask_rules[] = {
    {"mask that may be causal",
     "a mask that shows each place to those behind it and to itself is what torch calls causal: "
     "prepare() sees whether the loaded one is",
     Rounding::reorders, Kept::cheaper, mask_perhaps_causal, Tf32::no_switch, true},
};

}  // namespace

std::span<const Rule> mask_rules() {
  return k_mask_rules;
}

std::span<const Rule> attention_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
