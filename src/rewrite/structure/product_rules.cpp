// Products of matrices: diagonal and triangular factors that the program makes itself, chains,
// siblings.
#include <algorithm>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"
#include "rewrite/facts/weighted.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

// Below this a half of a triangular product is cheaper whole, on the machines that we know.
constexpr std::int64_t k_triangle_size_min = 256;
// Strips of a triangular product: 8 leave 9/16 of the work, and are large enough to be fast.
constexpr std::int64_t k_strips = 8;

// diag_embed(v) and diag(v), on the main diagonal of the last two dimensions.
std::string embedded_diagonal(const GraphIndex& index, const GraphNode& node) {
  if (!is_kind(node, {"diag", "diag_embed"})) return "";
  const std::string& vector = operand(node, "self");
  if (vector.empty() || rank_of(index.node(vector)) != rank_of(node) - 1) return "";
  for (const char* shift : {"diagonal", "offset"}) {
    if (integer(argument(node, shift)).value_or(0) != 0) return "";
  }
  const std::int64_t rank = rank_of(node);
  const auto rows = integer(argument(node, "dim1")).value_or(-2);
  const auto columns = integer(argument(node, "dim2")).value_or(-1);
  return from_front(rows, rank) + from_front(columns, rank) == 2 * rank - 3 ? vector : "";
}

// eye(n) * v, v along the rows or the columns.
std::string scaled_identity(PatchBuilder& build, const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "mul" || rank_of(node) != 2) return "";
  for (const auto& [eye, other] : {std::pair("self", "other"), std::pair("other", "self")}) {
    const std::string& matrix = operand(node, eye);
    const std::string& vector = operand(node, other);
    if (matrix.empty() || vector.empty() || kind_of(index.node(matrix)) != "eye") continue;
    const Sizes& shape = spec_of(index.node(matrix)).shape;
    if (shape != spec_of(node).shape || shape[0] != shape[1]) continue;
    const TensorSpec& spec = spec_of(index.node(vector));
    if (element_count(spec.shape) != shape[0] || spec.dtype != spec_of(node).dtype) continue;
    return build.reshape(vector, {shape[0]});
  }
  return "";
}

// The vector, or for each matrix of a batch the vector, whose diagonal matrix a value is; "" where
// it is none.
std::string diagonal_of(PatchBuilder& build, const GraphIndex& index, const std::string& value) {
  const GraphNode& node = index.node(value);
  const std::string embedded = embedded_diagonal(index, node);
  return embedded.empty() ? scaled_identity(build, index, node) : embedded;
}

Found diagonal_factor(const GraphIndex& index, const GraphNode& node) {
  if (!is_product(node)) return std::nullopt;
  const std::string& a = operand(node, "self");
  const std::string& b = right_factor(node);
  if (a.empty() || b.empty() || rank_of(node) < 2) return std::nullopt;
  if (rank_of(index.node(a)) < 2 || rank_of(index.node(b)) < 2) return std::nullopt;
  PatchBuilder build(index);
  const auto beside = [&](const std::string& vector, std::size_t from_back) {
    Sizes shape = build.shape(vector);
    shape.insert(shape.end() - static_cast<std::ptrdiff_t>(from_back), 1);
    return build.reshape(vector, shape);
  };
  const std::string rows = diagonal_of(build, index, a);
  if (!rows.empty()) {
    return std::move(build).done(node.name, build.times(beside(rows, 0), b));
  }
  const std::string columns = diagonal_of(build, index, b);
  if (columns.empty()) return std::nullopt;
  return std::move(build).done(node.name, build.times(a, beside(columns, 1)));
}

// Rows [i s, (i + 1) s) of an upper triangle begin at column i s; of a lower one they end at (i+1)
// s.
Found triangle_of_product(const GraphIndex& index, const GraphNode& node) {
  const bool upper = kind_of(node) == "triu";
  if (!upper && kind_of(node) != "tril") return std::nullopt;
  if (integer(argument(node, "diagonal")).value_or(0) != 0) return std::nullopt;
  const std::string& of = operand(node, "self");
  if (of.empty() || !is_only_use(index, of) || !is_product(index.node(of))) return std::nullopt;
  const GraphNode& product = index.node(of);
  const std::string& a = operand(product, "self");
  const std::string& b = right_factor(product);
  const Sizes& shape = spec_of(product).shape;
  if (shape.size() != 2 || shape[0] != shape[1] || shape[0] < k_triangle_size_min) {
    return std::nullopt;
  }
  if (rank_of(index.node(a)) != 2 || rank_of(index.node(b)) != 2) return std::nullopt;
  const std::int64_t size = shape[0];
  const std::int64_t strip = (size + k_strips - 1) / k_strips;
  PatchBuilder build(index);
  std::vector<std::string> rows;
  for (std::int64_t begin = 0; begin < size; begin += strip) {
    const std::int64_t end = std::min(begin + strip, size);
    const std::int64_t left = upper ? begin : 0;
    const std::int64_t right = upper ? size : end;
    const std::string part =
        build.matmul(build.slice(a, 0, begin, end, 1), build.slice(b, 1, left, right, 1));
    rows.push_back(build.pad(part, {left, size - right}));
  }
  const std::string whole = build.cat(rows, 0);
  return std::move(build).done(node.name, build.again(node, of, whole));
}

Found linear_of_linear(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "linear" || !is_only_use(index, operand(node, "input"))) return std::nullopt;
  const GraphNode& inner = index.node(operand(node, "input"));
  if (kind_of(inner) != "linear") return std::nullopt;
  const std::string& first = operand(inner, "weight");
  const std::string& second = operand(node, "weight");
  if (!index.is_static(first) || !index.is_static(second)) return std::nullopt;
  PatchBuilder build(index);
  const std::string weight = build.matmul(second, first);
  const std::string& inner_bias = operand(inner, "bias");
  std::string bias = operand(node, "bias");
  if (!inner_bias.empty()) bias = build.linear(inner_bias, second, bias);
  return std::move(build).done(node.name, build.linear(operand(inner, "input"), weight, bias));
}

// (A B) C = A (B C).
Found other_order(const GraphIndex& index, const GraphNode& node) {
  if (!is_product(node)) return std::nullopt;
  const std::string& left = operand(node, "self");
  const std::string& right = right_factor(node);
  if (left.empty() || right.empty()) return std::nullopt;
  const auto is_matrix = [&](const std::string& value) {
    return !value.empty() && rank_of(index.node(value)) == 2;
  };
  if (!is_matrix(left) || !is_matrix(right)) return std::nullopt;
  PatchBuilder build(index);
  const GraphNode& first = index.node(left);
  if (is_product(first) && is_only_use(index, left) && is_matrix(operand(first, "self")) &&
      is_matrix(right_factor(first))) {
    const std::string inner = build.matmul(right_factor(first), right);
    return std::move(build).done(node.name, build.matmul(operand(first, "self"), inner));
  }
  const GraphNode& second = index.node(right);
  if (is_product(second) && is_only_use(index, right) && is_matrix(operand(second, "self")) &&
      is_matrix(right_factor(second))) {
    const std::string inner = build.matmul(left, operand(second, "self"));
    return std::move(build).done(node.name, build.matmul(inner, right_factor(second)));
  }
  return std::nullopt;
}

// (A B) c = (c A) B, where A or B has fewer elements than their product.
Found scale_of_product(const GraphIndex& index, const GraphNode& node) {
  const auto scale = scaled_of(index, node);
  if (!scale || !is_only_use(index, scale->of) || !is_product(index.node(scale->of))) {
    return std::nullopt;
  }
  const GraphNode& product = index.node(scale->of);
  std::string a = operand(product, "self");
  std::string b = right_factor(product);
  if (a.empty() || b.empty()) return std::nullopt;
  if (rank_of(index.node(a)) < 2 || rank_of(index.node(b)) < 2) return std::nullopt;
  PatchBuilder build(index);
  const auto work = [&](const std::string& value) {
    return index.is_static(value) ? 0 : element_count(build.shape(value));
  };
  std::string& smaller = work(b) < work(a) ? b : a;
  smaller = build.times(smaller, scale->factor);
  return std::move(build).done(node.name, build.matmul(a, b));
}

// x W^T, written out, is linear(x, W): so that rules of linear know it.
Found product_as_linear(const GraphIndex& index, const GraphNode& node) {
  if (!is_kind(node, {"matmul", "mm", "addmm"})) return std::nullopt;
  const bool with_bias = kind_of(node) == "addmm";
  const std::string& x = operand(node, with_bias ? "mat1" : "self");
  const std::string& other = with_bias ? operand(node, "mat2") : right_factor(node);
  if (x.empty() || other.empty() || !index.is_static(other) || index.is_static(x)) {
    return std::nullopt;
  }
  if (rank_of(index.node(other)) != 2 || rank_of(index.node(x)) < 2) return std::nullopt;
  std::string bias;
  if (with_bias) {
    const bool scaled = number(argument(node, "beta")).value_or(1) != 1 ||
                        number(argument(node, "alpha")).value_or(1) != 1;
    bias = operand(node, "self");
    if (scaled || bias.empty() || !index.is_static(bias) || rank_of(index.node(bias)) != 1) {
      return std::nullopt;
    }
    if (spec_of(index.node(bias)).shape.back() != spec_of(node).shape.back()) return std::nullopt;
  }
  PatchBuilder build(index);
  const GraphNode& moved = index.node(other);
  const bool is_transposed = is_kind(moved, {"t", "numpy_T", "mT"}) ||
                             (kind_of(moved) == "transpose" && rank_of(moved) == 2);
  const std::string weight = is_transposed ? operand(moved, "self") : build.permute(other, {1, 0});
  return std::move(build).done(node.name, build.linear(x, weight, bias));
}

// Two products of the same input as one.
Found siblings(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "linear" || !index.is_static(operand(node, "weight"))) return std::nullopt;
  const std::string& x = operand(node, "input");
  std::vector<const GraphNode*> all;
  for (const std::string& user : index.users(x)) {
    const GraphNode& other = index.node(user);
    const bool alike = kind_of(other) == "linear" && operand(other, "input") == x &&
                       index.is_static(operand(other, "weight")) &&
                       operand(other, "bias").empty() == operand(node, "bias").empty();
    if (alike) all.push_back(&other);
  }
  if (all.size() < 2 || all.front()->name != node.name) return std::nullopt;
  std::vector<std::string> weights, biases;
  for (const GraphNode* each : all) {
    if (!operand(*each, "bias").empty() && !index.is_static(operand(*each, "bias"))) {
      return std::nullopt;
    }
    weights.push_back(operand(*each, "weight"));
    biases.push_back(operand(*each, "bias"));
  }
  PatchBuilder build(index);
  const std::string bias = biases.front().empty() ? "" : build.cat(biases, 0);
  const std::string whole = build.linear(x, build.cat(weights, 0), bias);
  std::vector<std::pair<std::string, std::string>> values;
  std::int64_t begin = 0;
  for (const GraphNode* each : all) {
    const std::int64_t size = spec_of(*each).shape.back();
    values.emplace_back(each->name, build.slice(whole, rank_of(*each) - 1, begin, begin + size, 1));
    begin += size;
  }
  return std::move(build).done(std::move(values));
}

constexpr Rule k_rules[] = {
    {"diagonal factor", "diag(d) B scales the rows of B, and A diag(d) the columns of A",
     Rounding::reorders, Kept::cheaper, diagonal_factor, Tf32::stricter_switch},
    {"triangle of a product",
     "what triu or tril sets to zero need not be computed: "
     "each strip of rows begins or ends at its diagonal",
     Rounding::reorders, Kept::cheaper, triangle_of_product},
    {"product with weights as linear", "x M = linear(x, M^T)", Rounding::reorders, Kept::always,
     product_as_linear},
    {"scale of a product", "(A B) c = (c A) B, where there are fewer elements to scale",
     Rounding::reorders, Kept::cheaper, scale_of_product},
    {"linear after linear", "W2 (W1 x + b1) + b2 = (W2 W1) x + (W2 b1 + b2)", Rounding::reorders,
     Kept::cheaper, linear_of_linear},
    {"products in another order", "(A B) C = A (B C)", Rounding::reorders, Kept::cheaper,
     other_order},
};

constexpr Rule k_joining_rules[] = {
    {"products of one input", "rows of one larger weight give the outputs of all",
     Rounding::reorders, Kept::cheaper, siblings},
};

}  // namespace

std::span<const Rule> product_rules() {
  return k_rules;
}

std::span<const Rule> joining_rules() {
  return k_joining_rules;
}

}  // namespace cupel::rewrite
