// Products of float32 matrices as products of float16 ones, which tensor cores are made for.
#include <algorithm>

#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

// Multiplications below which splitting takes longer than it saves: on an H200 float32 takes 0.07
// ms for 2^30 of them, split ones 0.12 ms; 2.7 ms and 0.6 ms for 2^36.
constexpr std::int64_t k_multiplications_min = std::int64_t{1} << 32;
// Of fewer rows or columns float32 products, too, wait for memory and not for arithmetic.
constexpr std::int64_t k_side_min = 64;
// Times the elements of both factors and the result.
constexpr std::int64_t k_memory_max = 4;
// Terms of a sum that a tensor core makes, rounding towards zero. On an H200 a product of 8,192
// terms, in sums of 1,024, has 0.8 times float32's error where terms have both signs, 4.5 times
// where they have one; in a single sum 26 and 62 times. Shorter sums are more to move: 512 take a
// fifth longer.
constexpr std::int64_t k_terms_max = 1024;
constexpr std::int64_t k_terms_min = 128;
constexpr std::int64_t k_together = 8;  // float16 numbers that are read at once

bool is_float32(const GraphIndex& index, const std::string& value) {
  return !value.empty() && spec_of(index.node(value)).dtype == "float32";
}

// Into how many sums of the same length, in whole reads, so many terms are cut; 0: into none.
std::int64_t sums_of(std::int64_t terms) {
  for (std::int64_t sums = 1; terms / sums >= k_terms_min; ++sums) {
    const std::int64_t length = terms / sums;
    if (terms % sums == 0 && length % k_together == 0 && length <= k_terms_max) return sums;
  }
  return 0;
}

// x W^T + b, or x W.
struct Product {
  std::string x, weight, bias;
  bool is_turned = false;  // W is (columns, terms), as linear has it; else (terms, columns)
};

std::optional<Product> product_of(const GraphNode& node) {
  if (kind_of(node) == "linear") {
    return Product{operand(node, "input"), operand(node, "weight"), operand(node, "bias"), true};
  }
  if (!is_product(node)) return std::nullopt;
  return Product{operand(node, "self"), right_factor(node), "", false};
}

struct Extent {
  std::int64_t rows, terms, columns;
};

bool is_large(const Extent& of) {
  return of.rows >= k_side_min && of.columns >= k_side_min &&
         of.rows * of.columns >= k_multiplications_min / of.terms;
}

// Whether the sums that are added up take no more memory than so many times what the product does.
bool fits(const Extent& of, std::int64_t sums) {
  const std::int64_t result = of.rows * of.columns;
  return sums * result <= k_memory_max * ((of.rows + of.columns) * of.terms + result);
}

// What is made of this value already; "" for nothing. A patch may use what comes later.
template <class Wanted>  // bool(const GraphNode&)
std::string made_of(const GraphIndex& index, const std::string& value, Wanted wanted) {
  const auto& users = index.users(value);
  const auto found = std::ranges::find_if(
      users, [&](const std::string& user) { return wanted(index.node(user)); });
  return found == users.end() ? "" : *found;
}

std::string turned(PatchBuilder& build, const GraphIndex& index, const std::string& matrix) {
  const std::string known = made_of(index, matrix, [](const GraphNode& user) {
    return kind_of(user) == "permute" && integers(argument(user, "dims")) == Sizes{1, 0};
  });
  return known.empty() ? build.permute(matrix, {1, 0}) : known;
}

// A factor's numbers in two, and the scales of its rows: once, however many products it is in.
struct SplitFactor {
  std::string matrix, scales;
};

SplitFactor split_factor(PatchBuilder& build, const GraphIndex& index, const std::string& rows,
                         bool is_weight) {
  SplitFactor split;
  const auto known = [&](std::string_view op) {
    return made_of(index, rows, [op](const GraphNode& user) { return user.op == op; });
  };
  if (index.find(rows) != nullptr) split = {known(k_split_matrix), known(k_split_scales)};
  if (!split.matrix.empty()) return split;
  const Sizes shape = build.shape(rows);
  split.scales = build.call(std::string(k_split_scales), {given("x", rows)}, {shape[0]}, rows);
  split.matrix = build.half(std::string(k_split_matrix),
                            {given("factor", rows), given("scales", split.scales),
                             given("is_weight", GraphValue::of(is_weight))},
                            {shape[0], (is_weight ? 2 : 3) * shape[1]});
  return split;
}

Found split_product(const GraphIndex& index, const GraphNode& node) {
  const auto product = product_of(node);
  if (!product || !is_float32(index, product->x) || !is_float32(index, product->weight)) {
    return std::nullopt;
  }
  const std::string& weight = product->weight;
  PatchBuilder build(index);
  const Sizes& shape = build.shape(product->x);
  if (shape.size() < 2 || shape.back() == 0 || rank_of(index.node(weight)) != 2) {
    return std::nullopt;
  }
  const Extent of{element_count(shape) / shape.back(), shape.back(), spec_of(node).shape.back()};
  const std::int64_t sums = sums_of(of.terms);
  if (!is_large(of) || sums == 0 || !fits(of, sums)) return std::nullopt;
  const std::string of_columns = product->is_turned ? weight : turned(build, index, weight);
  const SplitFactor split = split_factor(build, index, of_columns, index.is_static(weight));
  std::string result =
      build.call(std::string(k_split_product),
                 {given("input", product->x), given("matrix", split.matrix),
                  given("scales", split.scales), given("sums", GraphValue::of(sums))},
                 spec_of(node).shape, product->x);
  if (!product->bias.empty()) result = build.plus(result, product->bias);
  return std::move(build).done(node.name, result);
}

constexpr Rule k_rules[] = {
    {"product of split numbers",
     "a float32 number is the sum of two float16 ones, but for 2^-23 of it: tensor cores multiply "
     "these, and sums of at most 1,024 products are added up in float32",
     Rounding::splits, Kept::form, split_product, Tf32::no_switch, true},
};

}  // namespace

std::span<const Rule> split_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
