// Parts of results: what nobody reads need not be computed.
#include <algorithm>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

// select or slice of one dimension.
struct Part {
  std::string of;
  std::int64_t dim = 0;
  std::int64_t start = 0, end = 0, step = 1;  // of the dimension, from the front
  bool selects = false;                       // the dimension goes
};

std::optional<Part> part_of(const GraphIndex& index, const GraphNode& node) {
  if (!is_kind(node, {"select", "slice"})) return std::nullopt;
  Part part;
  part.of = operand(node, "self");
  const auto dim = integer(argument(node, "dim"));
  if (part.of.empty() || !dim) return std::nullopt;
  const Sizes& shape = spec_of(index.node(part.of)).shape;
  part.dim = from_front(*dim, static_cast<std::int64_t>(shape.size()));
  const std::int64_t size = shape[static_cast<std::size_t>(part.dim)];
  part.selects = kind_of(node) == "select";
  if (part.selects) {
    part.start = from_front(integer(argument(node, "index")).value_or(0), size);
    part.end = part.start + 1;
    return part;
  }
  const auto bound = [&](const char* name, std::int64_t otherwise) {
    return std::clamp<std::int64_t>(
        from_front(integer(argument(node, name)).value_or(otherwise), size), 0, size);
  };
  part.start = bound("start", 0);
  part.end = std::max(bound("end", size), part.start);
  part.step = integer(argument(node, "step")).value_or(1);
  return part;
}

std::string sliced(PatchBuilder& build, const Part& part, const std::string& x, std::int64_t dim) {
  return build.slice(x, dim, part.start, part.end, part.step);
}

Found whole(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "slice" || operand(node, "self").empty()) return std::nullopt;
  const std::string& of = operand(node, "self");
  if (spec_of(index.node(of)).shape != spec_of(node).shape) return std::nullopt;
  return Patch{{}, {{node.name, of}}};
}

// The operator's inputs are all of its result's shape, and each element follows from its like.
bool is_elementwise(const GraphIndex& index, const GraphNode& node) {
  if (node.is_random || node.is_effect) return false;
  if (!is_kind(node, {"relu",  "gelu",     "silu", "sigmoid",   "tanh",       "exp", "neg",
                      "abs",   "sqrt",     "mish", "hardswish", "leaky_relu", "elu", "softplus",
                      "clamp", "hardtanh", "add",  "sub",       "mul",        "div", "pow"})) {
    return false;
  }
  return std::ranges::all_of(inputs_of(node), [&](const std::string& used) {
    const TensorSpec& spec = spec_of(index.node(used));
    return spec.shape == spec_of(node).shape && spec.dtype == spec_of(node).dtype;
  });
}

Found through_elementwise(const GraphIndex& index, const GraphNode& node) {
  const auto part = part_of(index, node);
  if (!part || !is_only_use(index, part->of)) return std::nullopt;
  const GraphNode& inner = index.node(part->of);
  if (!is_elementwise(index, inner)) return std::nullopt;
  PatchBuilder build(index);
  GraphNode smaller = inner;
  std::string like;
  for (GraphArgument& each : smaller.arguments) {
    if (each.value.kind != GraphValue::Kind::node) continue;
    like = sliced(build, *part, each.value.text, part->dim);
    each.value.text = like;
  }
  if (like.empty()) return std::nullopt;
  const std::string result = build.call(smaller.op, smaller.arguments, build.shape(like), like);
  return std::move(build).done_shaped(node, result);
}

Found through_linear(const GraphIndex& index, const GraphNode& node) {
  const auto part = part_of(index, node);
  if (!part || !is_only_use(index, part->of)) return std::nullopt;
  const GraphNode& inner = index.node(part->of);
  if (kind_of(inner) != "linear") return std::nullopt;
  std::string x = operand(inner, "input");
  std::string weight = operand(inner, "weight");
  std::string bias = operand(inner, "bias");
  if (rank_of(index.node(weight)) != 2) return std::nullopt;
  PatchBuilder build(index);
  if (part->dim == rank_of(inner) - 1) {
    weight = sliced(build, *part, weight, 0);
    if (!bias.empty()) bias = sliced(build, *part, bias, 0);
  } else {
    x = sliced(build, *part, x, part->dim);
  }
  const std::string product = build.linear(x, weight, bias);
  return std::move(build).done_shaped(node, product);
}

// --- past views

// What computes the elements of a part, past views that leave the part's dimension whole.
struct Source {
  const GraphNode* node = nullptr;
  std::int64_t dim = 0;                 // of the part, in the node's result
  std::vector<const GraphNode*> views;  // from the node on
};

// Which dimension of its operand a view's dimension is; -1: none, or one that it cuts or joins.
std::int64_t dim_before(const GraphIndex& index, const GraphNode& view, std::int64_t dim) {
  const Sizes& to = spec_of(view).shape;
  const Sizes& from = spec_of(index.node(operand(view, "self"))).shape;
  if (is_reshape(view)) {
    const auto count = static_cast<std::ptrdiff_t>(dim) + 1;
    const bool same = from.size() >= static_cast<std::size_t>(count) &&
                      std::equal(to.begin(), to.begin() + count, from.begin());
    return same ? dim : -1;
  }
  const auto rank = static_cast<std::int64_t>(to.size());
  if (kind_of(view) == "permute") {
    const auto dims = integers(argument(view, "dims"));
    return dims ? from_front((*dims)[static_cast<std::size_t>(dim)], rank) : -1;
  }
  const std::int64_t a = from_front(integer(argument(view, "dim0")).value_or(0), rank);
  const std::int64_t b = from_front(integer(argument(view, "dim1")).value_or(0), rank);
  if (dim == a) return b;
  return dim == b ? a : dim;
}

std::optional<Source> source_of(const GraphIndex& index, const Part& part) {
  Source found{&index.node(part.of), part.dim, {}};
  while (is_only_use(index, found.node->name)) {
    const GraphNode& node = *found.node;
    if (!is_reshape(node) && !is_kind(node, {"transpose", "permute"})) return found;
    if (operand(node, "self").empty()) return std::nullopt;
    found.dim = dim_before(index, node, found.dim);
    if (found.dim < 0) return std::nullopt;
    found.views.insert(found.views.begin(), &node);
    found.node = &index.node(operand(node, "self"));
  }
  return std::nullopt;
}

// The views again, of a value with fewer places.
std::string viewed(PatchBuilder& build, const GraphIndex& index, const Source& source,
                   std::string value) {
  std::int64_t dim = source.dim;
  for (const GraphNode* view : source.views) {
    const std::int64_t places = build.shape(value)[static_cast<std::size_t>(dim)];
    if (is_reshape(*view)) {
      Sizes shape = spec_of(*view).shape;
      shape[static_cast<std::size_t>(dim)] = places;
      value = build.reshape(value, shape);
      continue;
    }
    Sizes dims;
    for (std::int64_t i = 0; i < rank_of(*view); ++i) dims.push_back(dim_before(index, *view, i));
    value = build.permute(value, dims);
    dim = std::ranges::find(dims, dim) - dims.begin();
  }
  return value;
}

// Each row of queries has a result of its own.
Found through_attention(const GraphIndex& index, const GraphNode& node) {
  const auto part = part_of(index, node);
  const auto source = part ? source_of(index, *part) : std::nullopt;
  if (!source || kind_of(*source->node) != "scaled_dot_product_attention") return std::nullopt;
  const GraphNode& inner = *source->node;
  const std::int64_t rows = rank_of(inner) - 2;
  const bool causal = is_true(argument(inner, "is_causal"));
  if (source->dim != rows || causal || number(argument(inner, "dropout_p")).value_or(0) != 0) {
    return std::nullopt;
  }
  PatchBuilder build(index);
  GraphNode fewer = inner;
  for (GraphArgument& each : fewer.arguments) {
    if (each.value.kind != GraphValue::Kind::node) continue;
    const Sizes& shape = spec_of(index.node(each.value.text)).shape;
    const auto dim = static_cast<std::int64_t>(shape.size()) - 2;
    const bool varies = each.name == "query" || (each.name == "attn_mask" && dim >= 0 &&
                                                 shape[static_cast<std::size_t>(dim)] != 1);
    if (varies) each.value.text = sliced(build, *part, each.value.text, dim);
  }
  Sizes shape = spec_of(inner).shape;
  shape[static_cast<std::size_t>(rows)] =
      build.shape(operand(fewer, "query"))[static_cast<std::size_t>(rows)];
  const std::string result =
      build.call(fewer.op, fewer.arguments, std::move(shape), operand(fewer, "query"));
  return std::move(build).done_shaped(node, viewed(build, index, *source, result));
}

Found through_views(const GraphIndex& index, const GraphNode& node) {
  const auto part = part_of(index, node);
  const auto source = part ? source_of(index, *part) : std::nullopt;
  if (!source || source->views.empty() || kind_of(*source->node) != "linear") return std::nullopt;
  const GraphNode& inner = *source->node;
  if (source->dim == rank_of(inner) - 1 || rank_of(index.node(operand(inner, "weight"))) != 2) {
    return std::nullopt;
  }
  PatchBuilder build(index);
  const std::string fewer = build.linear(sliced(build, *part, operand(inner, "input"), source->dim),
                                         operand(inner, "weight"), operand(inner, "bias"));
  return std::move(build).done_shaped(node, viewed(build, index, *source, fewer));
}

// Norms over the last dimensions treat each row by itself.
Found through_rows(const GraphIndex& index, const GraphNode& node) {
  const auto part = part_of(index, node);
  if (!part || !is_only_use(index, part->of)) return std::nullopt;
  const GraphNode& inner = index.node(part->of);
  std::int64_t rows = 0;
  std::string of;
  if (kind_of(inner) == "layer_norm") {
    of = operand(inner, "input");
    const auto normalized = integers(argument(inner, "normalized_shape")).value_or(Sizes{});
    rows = rank_of(inner) - static_cast<std::int64_t>(normalized.size());
  } else if (is_kind(inner, {"softmax", "log_softmax"})) {
    of = operand(inner, "self");
    const auto dim = integer(argument(inner, "dim"));
    if (!dim || from_front(*dim, rank_of(inner)) != rank_of(inner) - 1) return std::nullopt;
    rows = rank_of(inner) - 1;
  }
  if (of.empty() || part->dim >= rows) return std::nullopt;
  if (spec_of(index.node(of)).dtype != spec_of(inner).dtype) return std::nullopt;
  PatchBuilder build(index);
  const std::string fewer = sliced(build, *part, of, part->dim);
  const std::string result = build.again(inner, of, fewer);
  return std::move(build).done_shaped(node, result);
}

Found through_matmul(const GraphIndex& index, const GraphNode& node) {
  const auto part = part_of(index, node);
  if (!part || !is_only_use(index, part->of)) return std::nullopt;
  const GraphNode& inner = index.node(part->of);
  if (!is_product(inner)) return std::nullopt;
  std::string a = operand(inner, "self");
  std::string b = right_factor(inner);
  const std::int64_t rank = rank_of(inner);
  if (a.empty() || b.empty() || rank < 2) return std::nullopt;
  const std::int64_t rank_a = rank_of(index.node(a));
  const std::int64_t rank_b = rank_of(index.node(b));
  if (rank_a < 2 || rank_b < 2) return std::nullopt;
  PatchBuilder build(index);
  if (part->dim == rank - 1) {
    b = sliced(build, *part, b, rank_b - 1);
  } else if (part->dim == rank - 2) {
    a = sliced(build, *part, a, rank_a - 2);
  } else {
    return std::nullopt;
  }
  const std::string product = build.matmul(a, b);
  return std::move(build).done_shaped(node, product);
}

// A part of a concatenation that lies within one of its members.
Found of_concatenation(const GraphIndex& index, const GraphNode& node) {
  const auto part = part_of(index, node);
  if (!part) return std::nullopt;
  const GraphNode& inner = index.node(part->of);
  if (kind_of(inner) != "cat") return std::nullopt;
  const auto dim = integer(argument(inner, "dim"));
  if (!dim || from_front(*dim, rank_of(inner)) != part->dim) return std::nullopt;
  std::int64_t begin = 0;
  for (const GraphValue& member : argument(inner, "tensors").items) {
    const TensorSpec& spec = spec_of(index.node(member.text));
    if (spec.shape.size() != spec_of(inner).shape.size()) return std::nullopt;
    const std::int64_t size = spec.shape[static_cast<std::size_t>(part->dim)];
    if (part->start >= begin && part->end <= begin + size) {
      if (spec.dtype != spec_of(node).dtype) return std::nullopt;
      Part within = *part;
      within.start -= begin;
      within.end -= begin;
      PatchBuilder build(index);
      const std::string result = within.start == 0 && within.end == size && within.step == 1
                                     ? member.text
                                     : sliced(build, within, member.text, part->dim);
      return std::move(build).done_shaped(node, result);
    }
    begin += size;
  }
  return std::nullopt;
}

// A piece of split() or chunk() as a slice.
std::optional<Part> piece_of(const GraphIndex& index, const GraphNode& node) {
  const GraphNode& several = index.node(operand(node, "self"));
  if (!is_kind(several, {"split", "split_with_sizes", "chunk"})) return std::nullopt;
  Part part;
  part.of = operand(several, "self");
  if (part.of.empty()) return std::nullopt;
  part.dim = from_front(integer(argument(several, "dim")).value_or(0), rank_of(node));
  const auto size_of = [&](std::size_t i) {
    return several.outputs[i].shape[static_cast<std::size_t>(part.dim)];
  };
  const auto at = static_cast<std::size_t>(argument(node, "index").integer);
  for (std::size_t i = 0; i < at; ++i) part.start += size_of(i);
  part.end = part.start + size_of(at);
  return part;
}

std::optional<Part> slice_or_piece(const GraphIndex& index, const std::string& value) {
  const GraphNode& node = index.node(value);
  if (node.op == "getitem") return piece_of(index, node);
  auto part = part_of(index, node);
  return part && !part->selects && part->step == 1 ? part : std::nullopt;
}

// cat([x[:, :a], x[:, a:b], ..], 1) is x[:, :b].
Found parts_together(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "cat") return std::nullopt;
  std::vector<std::string> members;
  collect_nodes(argument(node, "tensors"), members);
  const std::int64_t dim = from_front(integer(argument(node, "dim")).value_or(0), rank_of(node));
  std::optional<Part> all;
  for (const std::string& member : members) {
    const auto part = slice_or_piece(index, member);
    if (!part || part->dim != dim) return std::nullopt;
    if (all && (part->of != all->of || part->start != all->end)) return std::nullopt;
    if (!all) all = part;
    all->end = part->end;
  }
  if (!all || members.size() < 2) return std::nullopt;
  const TensorSpec& spec = spec_of(index.node(all->of));
  if (spec.dtype != spec_of(node).dtype) return std::nullopt;
  PatchBuilder build(index);
  const bool everything = same_form(spec, spec_of(node));
  return std::move(build).done(node.name, everything ? all->of : sliced(build, *all, all->of, dim));
}

constexpr Rule k_rules[] = {
    {"slice of everything", "it leaves nothing out", Rounding::none, Kept::always, whole},
    {"part of a concatenation", "the part lies within one of the concatenated tensors",
     Rounding::none, Kept::always, of_concatenation},
    {"parts laid together again", "what was cut apart, in its order, is what it was cut from",
     Rounding::none, Kept::always, parts_together},
    {"part of an elementwise result",
     "each element follows from its like: the others need not be computed", Rounding::none,
     Kept::cheaper, through_elementwise},
    {"part of a product", "rows and columns that nobody reads need not be computed",
     Rounding::reorders, Kept::cheaper, through_linear},
    {"part of a product of matrices", "rows and columns that nobody reads need not be computed",
     Rounding::reorders, Kept::cheaper, through_matmul},
    {"part of attention", "each row of queries has a result of its own", Rounding::reorders,
     Kept::cheaper, through_attention, Tf32::no_switch},
    {"part of a product past views",
     "views move no element into another row: rows that nobody reads need not be computed",
     Rounding::reorders, Kept::cheaper, through_views},
    {"part of a norm by rows", "each row is normalized by itself", Rounding::reorders,
     Kept::cheaper, through_rows},
};

}  // namespace

std::span<const Rule> slicing_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
