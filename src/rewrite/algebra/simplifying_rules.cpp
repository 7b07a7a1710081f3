// Operators that do nothing, or nothing more than another one.
#include <algorithm>
#include <cmath>

#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

Found is_operand(const GraphIndex& index, const GraphNode& node, const std::string& of) {
  if (of.empty() || !same_form(spec_of(index.node(of)), spec_of(node))) return std::nullopt;
  return Patch{{}, {{node.name, of}}};
}

bool has_other(const GraphNode& node, double wanted) {
  const auto other = number(argument(node, "other"));
  return other && *other == wanted;
}

// x - 0, x * 1, x / 1, x ** 1; x + 0 of integers: -0.0 + 0 is 0.0.
Found neutral(const GraphIndex& index, const GraphNode& node) {
  const bool keeps_zeros = kind_of(node) == "sub" || !is_floating(spec_of(node));
  const bool sum = is_kind(node, {"add", "sub"}) && keeps_zeros && has_other(node, 0);
  const bool product = is_kind(node, {"mul", "div"}) && has_other(node, 1) &&
                       is_none(argument(node, "rounding_mode"));
  const bool power = kind_of(node) == "pow" && number(argument(node, "exponent")) == 1.0;
  if (!sum && !product && !power) return std::nullopt;
  return is_operand(index, node, operand(node, "self"));
}

Found dropout(const GraphIndex& index, const GraphNode& node) {
  if (!is_kind(node, {"dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"})) {
    return std::nullopt;
  }
  const bool drops = is_true(argument(node, "train")) && number(argument(node, "p")) != 0.0;
  return drops ? std::nullopt : is_operand(index, node, operand(node, "input"));
}

// What only shows a tensor as it is already.
Found same_view(const GraphIndex& index, const GraphNode& node) {
  const bool copies = kind_of(node) == "clone";
  if (!copies && !is_kind(node, {"detach", "alias", "lift_fresh_copy", "view", "reshape",
                                 "_unsafe_view", "flatten", "squeeze", "expand", "to", "type_as",
                                 "view_as", "expand_as", "reshape_as"})) {
    return std::nullopt;
  }
  if (is_true(argument(node, "copy"))) return std::nullopt;
  const GraphValue& device = argument(node, "device");
  const GraphValue& format = argument(node, "memory_format");
  if (!is_none(device)) return std::nullopt;
  if (!is_none(format) && format.text != "preserve_format") return std::nullopt;
  const std::string& of = operand(node, "self");
  if (copies && (of.empty() || spec_of(index.node(of)).strides != spec_of(node).strides)) {
    return std::nullopt;
  }
  return is_operand(index, node, of);
}

Found reshape_of_reshape(const GraphIndex& index, const GraphNode& node) {
  if (!is_reshape(node) || operand(node, "self").empty()) return std::nullopt;
  const GraphNode& inner = index.node(operand(node, "self"));
  if (!is_reshape(inner)) return std::nullopt;
  const std::string& source = operand(inner, "self");
  if (spec_of(index.node(source)).shape == spec_of(node).shape) {
    return is_operand(index, node, source);
  }
  if (index.uses(inner.name) > 1) return std::nullopt;
  PatchBuilder build(index);
  return std::move(build).done_shaped(node, source);
}

// Permutations whose product is none.
std::optional<Sizes> permutation_of(const GraphNode& node) {
  const std::int64_t rank = rank_of(node);
  Sizes dims;
  for (std::int64_t i = 0; i < rank; ++i) dims.push_back(i);
  if (kind_of(node) == "transpose") {
    const std::int64_t a = from_front(integer(argument(node, "dim0")).value_or(0), rank);
    const std::int64_t b = from_front(integer(argument(node, "dim1")).value_or(0), rank);
    if (rank == 0) return std::nullopt;
    std::swap(dims[static_cast<std::size_t>(a)], dims[static_cast<std::size_t>(b)]);
    return dims;
  }
  if (is_kind(node, {"t", "numpy_T", "mT"})) {
    if (rank != 2) return std::nullopt;
    return Sizes{1, 0};
  }
  if (kind_of(node) != "permute") return std::nullopt;
  auto given_dims = integers(argument(node, "dims"));
  if (!given_dims) return std::nullopt;
  for (std::int64_t& dim : *given_dims) dim = from_front(dim, rank);
  return given_dims;
}

Found permutes_nothing(const GraphIndex& index, const GraphNode& node) {
  const auto outer = permutation_of(node);
  if (!outer || operand(node, "self").empty()) return std::nullopt;
  if (std::ranges::is_sorted(*outer)) return is_operand(index, node, operand(node, "self"));
  const GraphNode& before = index.node(operand(node, "self"));
  const auto inner = permutation_of(before);
  if (!inner) return std::nullopt;
  Sizes both;
  for (const std::int64_t dim : *outer) both.push_back((*inner)[static_cast<std::size_t>(dim)]);
  if (!std::ranges::is_sorted(both)) return std::nullopt;
  return is_operand(index, node, operand(before, "self"));
}

// Whether a reduction of these dims leaves every element to itself.
bool reduces_nothing(const GraphIndex& index, const GraphNode& node) {
  const std::string& of = operand(node, "self");
  if (of.empty()) return false;
  const Sizes& shape = spec_of(index.node(of)).shape;
  const std::int64_t rank = rank_of(index.node(of));
  const auto dims = integers(argument(node, "dim"));
  if (!dims || dims->empty()) return element_count(shape) == 1;
  return std::ranges::all_of(*dims, [&](std::int64_t dim) {
    return rank == 0 || shape[static_cast<std::size_t>(from_front(dim, rank))] == 1;
  });
}

Found reduces_one_element(const GraphIndex& index, const GraphNode& node) {
  if (!is_kind(node, {"sum", "mean", "amax", "amin", "logsumexp", "prod"})) return std::nullopt;
  if (!reduces_nothing(index, node) || !is_floating(spec_of(node))) return std::nullopt;
  const std::string& of = operand(node, "self");
  if (spec_of(index.node(of)).dtype != spec_of(node).dtype) return std::nullopt;
  PatchBuilder build(index);
  return std::move(build).done_shaped(node, of);
}

// max(x, dim) and min(x, dim) give values and places; of one element the value is itself.
Found picks_one_element(const GraphIndex& index, const GraphNode& node) {
  if (node.op != "getitem" || argument(node, "index").integer != 0) return std::nullopt;
  const GraphNode& pair = index.node(operand(node, "self"));
  if (!is_kind(pair, {"max", "min", "median", "mode"}) || !reduces_nothing(index, pair)) {
    return std::nullopt;
  }
  PatchBuilder build(index);
  return std::move(build).done_shaped(node, operand(pair, "self"));
}

// f(f(x)) = f(x).
Found idempotent(const GraphIndex& index, const GraphNode& node) {
  if (!is_kind(node, {"relu", "abs", "floor", "ceil", "round", "sign", "relu6", "triu", "tril",
                      "contiguous"})) {
    return std::nullopt;
  }
  const std::string& of = operand(node, "self");
  if (of.empty()) return std::nullopt;
  const GraphNode& inner = index.node(of);
  if (inner.op != node.op || inner.arguments.size() != node.arguments.size()) return std::nullopt;
  for (std::size_t i = 1; i < node.arguments.size(); ++i) {
    if (!(node.arguments[i].value == inner.arguments[i].value)) return std::nullopt;
  }
  return is_operand(index, node, of);
}

// A bias that is the same all over what an instance norm takes the mean of is subtracted again.
Found dead_bias(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "instance_norm" || !is_true(argument(node, "use_input_stats"))) {
    return std::nullopt;
  }
  if (!is_none(argument(node, "running_mean"))) return std::nullopt;
  const std::string& of = operand(node, "input");
  if (of.empty() || !is_only_use(index, of)) return std::nullopt;
  auto conv = convolution_of(index, index.node(of));
  if (!conv || conv->bias.empty()) return std::nullopt;
  conv->bias.clear();
  PatchBuilder build(index);
  const std::string plain = convolve(build, *conv, spec_of(index.node(of)).shape);
  return std::move(build).done(of, plain);
}

// Whether a value is the same all along a dimension of a tensor of this rank, as it is broadcast.
bool is_even_along(const GraphIndex& index, const std::string& value, std::int64_t dim,
                   std::int64_t rank) {
  const Sizes& shape = spec_of(index.node(value)).shape;
  const std::int64_t place = dim - (rank - static_cast<std::int64_t>(shape.size()));
  return place < 0 || shape[static_cast<std::size_t>(place)] == 1;
}

// softmax(x + c), c the same for all that is divided by one sum. A NaN in it would be lost, so that
// it may not come of the inputs.
Found shift_before_softmax(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "softmax" && kind_of(node) != "log_softmax") return std::nullopt;
  const std::string& of = operand(node, "self");
  const auto dim = integer(argument(node, "dim"));
  if (of.empty() || !dim || !is_only_use(index, of)) return std::nullopt;
  const GraphNode& inner = index.node(of);
  if (!is_kind(inner, {"add", "sub"}) || !is_floating(spec_of(inner))) return std::nullopt;
  const std::int64_t rank = rank_of(node);
  const auto is_moved = [&](const char* kept, const char* shift) {
    const std::string& x = operand(inner, kept);
    if (x.empty() || !same_form(spec_of(index.node(x)), spec_of(inner))) return false;
    const std::string& by = operand(inner, shift);
    const auto constant = number(argument(inner, shift));
    return by.empty()
               ? constant && std::isfinite(*constant)
               : index.is_static(by) && is_even_along(index, by, from_front(*dim, rank), rank);
  };
  PatchBuilder build(index);
  if (is_moved("self", "other")) {
    return std::move(build).done(node.name, build.again(node, of, operand(inner, "self")));
  }
  const bool adds = kind_of(inner) == "add" && number(argument(inner, "alpha")).value_or(1) == 1;
  if (!adds || !is_moved("other", "self")) return std::nullopt;
  return std::move(build).done(node.name, build.again(node, of, operand(inner, "other")));
}

bool same_call(const GraphNode& a, const GraphNode& b) {
  if (a.op != b.op || a.arguments.size() != b.arguments.size()) return false;
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    if (a.arguments[i].name != b.arguments[i].name) return false;
    if (!(a.arguments[i].value == b.arguments[i].value)) return false;
  }
  return true;
}

Found computed_before(const GraphIndex& index, const GraphNode& node) {
  if (node.is_effect || node.is_random || node.arguments.empty() || node.is_tuple) {
    return std::nullopt;
  }
  const auto inputs = inputs_of(node);
  if (inputs.empty()) return std::nullopt;
  for (const std::string& user : index.users(inputs.front())) {
    const GraphNode& other = index.node(user);
    if (other.name == node.name) return std::nullopt;  // users come in order: none before
    if (!other.is_effect && !other.is_random && same_call(other, node)) {
      return is_operand(index, node, other.name);
    }
  }
  return std::nullopt;
}

Found reshape_behind_map(const GraphIndex& index, const GraphNode& node) {
  if (!maps_elements(node)) return std::nullopt;
  const std::string of = inputs_of(node).front();
  const GraphNode& shaped = index.node(of);
  if (!is_reshape(shaped) || index.uses(of) != 1 || operand(node, "self") != of)
    return std::nullopt;
  const std::string& source = operand(shaped, "self");
  if (source.empty() || spec_of(shaped).dtype != spec_of(node).dtype) return std::nullopt;
  PatchBuilder build(index);
  const std::string mapped = build.again(node, of, source);
  return std::move(build).done_shaped(node, mapped);
}

constexpr Rule k_rules[] = {
    {"neutral operand", "adding zero, multiplying by one and their kin change nothing",
     Rounding::none, Kept::always, neutral},
    {"dropout in inference", "dropout that drops nothing hands on what it is given", Rounding::none,
     Kept::always, dropout},
    {"view of the same", "the tensor has this shape, dtype and order already", Rounding::none,
     Kept::always, same_view},
    {"reshape of a reshape", "only the last shape counts: both keep the order of the elements",
     Rounding::none, Kept::always, reshape_of_reshape},
    {"reshape behind a map",
     "a function of each element by itself does not ask how the elements are laid out",
     Rounding::none, Kept::always, reshape_behind_map},
    {"permutations that cancel", "together they put every axis back where it was", Rounding::none,
     Kept::always, permutes_nothing},
    {"reduction of one element", "the sum, mean, extreme or log-sum-exp of one element is itself",
     Rounding::reorders, Kept::always, reduces_one_element},
    {"extreme of one element", "the largest of one element is itself", Rounding::none, Kept::always,
     picks_one_element},
    {"idempotent operator", "f(f(x)) = f(x)", Rounding::none, Kept::always, idempotent},
    {"bias before an instance norm",
     "the norm subtracts the mean of each channel, "
     "and with it what was added to the whole channel",
     Rounding::reorders, Kept::always, dead_bias},
    {"shift before a softmax",
     "what is added to all that one sum divides is a factor of both, and cancels",
     Rounding::reorders, Kept::always, shift_before_softmax},
    {"computed before", "the same operator of the same values gives the same result",
     Rounding::none, Kept::always, computed_before},
};

}  // namespace

std::span<const Rule> simplifying_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
