// Matrices of a structure that the program makes itself: triangles, blocks, diagonals of products.
#include <algorithm>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

// Below this half of a triangular product is cheaper whole, on the machines that we know.
constexpr std::int64_t k_triangle_size_min = 256;
// Strips of a triangular factor: 8 leave 9/16 of the work, and are large enough to be fast.
constexpr std::int64_t k_strips = 8;

bool is_matrix(const GraphIndex& index, const std::string& value) {
  return !value.empty() && rank_of(index.node(value)) == 2;
}

enum class Triangle { none, upper, lower };

// Of one square matrix that triu or tril made.
Triangle triangle_of(const GraphIndex& index, const std::string& value) {
  const GraphNode& node = index.node(value);
  if (rank_of(node) != 2) return Triangle::none;
  const bool upper = kind_of(node) == "triu";
  if (!upper && kind_of(node) != "tril") return Triangle::none;
  if (integer(argument(node, "diagonal")).value_or(0) != 0) return Triangle::none;
  const Sizes& shape = spec_of(node).shape;
  if (shape[0] != shape[1] || shape[0] < k_triangle_size_min) return Triangle::none;
  return upper ? Triangle::upper : Triangle::lower;
}

// Places [begin, end) of a dimension.
struct Strip {
  std::int64_t begin = 0, end = 0;
};

std::vector<Strip> strips_of(std::int64_t size) {
  const std::int64_t length = (size + k_strips - 1) / k_strips;
  std::vector<Strip> strips;
  for (std::int64_t begin = 0; begin < size; begin += length) {
    strips.push_back({begin, std::min(begin + length, size)});
  }
  return strips;
}

// Of the last two dimensions.
std::string block(PatchBuilder& build, const std::string& matrices, const Strip& rows,
                  const Strip& columns) {
  std::string found = matrices;
  const auto rank = static_cast<std::int64_t>(build.shape(matrices).size());
  for (const auto& [strip, dim] : {std::pair(rows, rank - 2), std::pair(columns, rank - 1)}) {
    const bool all =
        strip.begin == 0 && strip.end == build.shape(found)[static_cast<std::size_t>(dim)];
    if (!all) found = build.slice(found, dim, strip.begin, strip.end, 1);
  }
  return found;
}

// Rows [i, j) of an upper triangle are zero before column i, of a lower one from column j on; so
// are their products with a second such triangle.
std::string by_rows(PatchBuilder& build, const std::string& a, const std::string& b, bool upper,
                    bool both) {
  const std::int64_t size = build.shape(a)[0];
  const Strip all{0, build.shape(b).back()};
  std::vector<std::string> rows;
  for (const Strip& strip : strips_of(size)) {
    const Strip used = upper ? Strip{strip.begin, size} : Strip{0, strip.end};
    const std::string part =
        build.matmul(block(build, a, strip, used), block(build, b, used, both ? used : all));
    rows.push_back(both ? build.pad(part, {used.begin, size - used.end}) : part);
  }
  return build.cat(rows, static_cast<std::int64_t>(build.shape(b).size()) - 2);
}

// Columns [i, j) of an upper triangle are zero from row j on, of a lower one before row i.
std::string by_columns(PatchBuilder& build, const std::string& a, const std::string& b,
                       bool upper) {
  const std::int64_t size = build.shape(b)[0];
  const Strip all{0, build.shape(a)[build.shape(a).size() - 2]};
  std::vector<std::string> columns;
  for (const Strip& strip : strips_of(size)) {
    const Strip used = upper ? Strip{0, strip.end} : Strip{strip.begin, size};
    columns.push_back(build.matmul(block(build, a, all, used), block(build, b, used, strip)));
  }
  return build.cat(columns, static_cast<std::int64_t>(build.shape(a).size()) - 1);
}

Found triangular_factor(const GraphIndex& index, const GraphNode& node) {
  if (!is_product(node)) return std::nullopt;
  const std::string& a = operand(node, "self");
  const std::string& b = right_factor(node);
  if (a.empty() || b.empty() || rank_of(index.node(a)) < 2 || rank_of(index.node(b)) < 2) {
    return std::nullopt;
  }
  const Triangle left = triangle_of(index, a);
  const Triangle right = triangle_of(index, b);
  PatchBuilder build(index);
  if (left != Triangle::none) {
    return std::move(build).done(node.name,
                                 by_rows(build, a, b, left == Triangle::upper, left == right));
  }
  if (right == Triangle::none) return std::nullopt;
  return std::move(build).done(node.name, by_columns(build, a, b, right == Triangle::upper));
}

// The blocks of a block diagonal matrix that the program makes; none for another value.
std::vector<std::string> blocks_of(const GraphIndex& index, const std::string& value) {
  const GraphNode& node = index.node(value);
  std::vector<std::string> blocks;
  if (kind_of(node) == "block_diag") collect_nodes(argument(node, "tensors"), blocks);
  const bool matrices = std::ranges::all_of(blocks, [&](const std::string& each) {
    return is_matrix(index, each) && spec_of(index.node(each)).dtype == spec_of(node).dtype;
  });
  return matrices ? blocks : std::vector<std::string>{};
}

Found block_factor(const GraphIndex& index, const GraphNode& node) {
  if (!is_product(node)) return std::nullopt;
  const std::string& a = operand(node, "self");
  const std::string& b = right_factor(node);
  if (!is_matrix(index, a) || !is_matrix(index, b)) return std::nullopt;
  const auto left = blocks_of(index, a);
  const auto right = left.empty() ? blocks_of(index, b) : std::vector<std::string>{};
  if (left.size() < 2 && right.size() < 2) return std::nullopt;
  PatchBuilder build(index);
  std::vector<std::string> parts;
  std::int64_t at = 0;
  for (const std::string& each : left.empty() ? right : left) {
    const std::int64_t size = build.shape(each)[left.empty() ? 0 : 1];
    const std::string part =
        build.slice(left.empty() ? a : b, left.empty() ? 1 : 0, at, at + size, 1);
    parts.push_back(left.empty() ? build.matmul(part, each) : build.matmul(each, part));
    at += size;
  }
  return std::move(build).done(node.name, build.cat(parts, left.empty() ? 1 : 0));
}

// Element i of the diagonal of A B is row i of A times column i of B.
Found diagonal_of_product(const GraphIndex& index, const GraphNode& node) {
  const bool traces = kind_of(node) == "trace";
  if (!traces && !is_kind(node, {"diagonal", "diag"})) return std::nullopt;
  const std::string& of = operand(node, "self");
  if (of.empty() || !is_only_use(index, of) || !is_product(index.node(of))) return std::nullopt;
  for (const char* shift : {"offset", "diagonal"}) {
    if (integer(argument(node, shift)).value_or(0) != 0) return std::nullopt;
  }
  const GraphNode& product = index.node(of);
  const std::string& a = operand(product, "self");
  const std::string& b = right_factor(product);
  if (!is_matrix(index, a) || !is_matrix(index, b) || !is_floating(spec_of(product))) {
    return std::nullopt;
  }
  if (spec_of(product).shape[0] != spec_of(product).shape[1]) return std::nullopt;
  PatchBuilder build(index);
  const std::string terms = build.times(a, build.permute(b, {1, 0}));
  return std::move(build).done_shaped(node,
                                      build.reduce(false, terms, traces ? Sizes{0, 1} : Sizes{1}));
}

constexpr Rule k_rules[] = {
    {"triangular factor", "what triu or tril sets to zero adds nothing: strips end at the diagonal",
     Rounding::reorders, Kept::cheaper, triangular_factor},
    {"blocks on a diagonal", "each block multiplies its own rows or columns", Rounding::reorders,
     Kept::cheaper, block_factor},
    {"diagonal of a product", "element i is row i of the first times column i of the second",
     Rounding::reorders, Kept::cheaper, diagonal_of_product, Tf32::stricter_switch},
};

}  // namespace

std::span<const Rule> structure_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
