// Loops over places that a program writes out: what each place gives alone is done for all at once,
// before the loop or after it.
#include <algorithm>

#include "rewrite/facts/places.h"
#include "rewrite/facts/reductions.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

// Nodes that do the same at places of one tensor, in the graph's order.
struct Alike {
  const GraphNode* node = nullptr;
  Place place;
};

bool is_first(const std::vector<Alike>& all, const GraphNode& node) {
  return all.size() >= 2 && all.front().node->name == node.name;
}

// W x[:, 0], W x[:, 1], ..
Found same_at_places(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "linear") return std::nullopt;
  const auto first = place_of(index, operand(node, "input"));
  if (!first || first->dim + 1 >= rank_of(index.node(first->of))) return std::nullopt;
  const std::string& weight = operand(node, "weight");
  const std::string& bias = operand(node, "bias");
  std::vector<Alike> all;
  for (const std::string& user : index.users(weight)) {
    const GraphNode& other = index.node(user);
    if (kind_of(other) != "linear" || operand(other, "weight") != weight) continue;
    const auto place = place_of(index, operand(other, "input"));
    if (operand(other, "bias") == bias && place && place->is_like(*first)) {
      all.push_back({&other, *place});
    }
  }
  if (!is_first(all, node)) return std::nullopt;
  PatchBuilder build(index);
  const std::string whole = build.linear(first->of, weight, bias);
  std::vector<std::pair<std::string, std::string>> values;
  for (const Alike& each : all) {
    values.emplace_back(each.node->name, picked(build, each.place, whole));
  }
  return std::move(build).done(std::move(values));
}

// Each element, or each row of the last dimensions, by itself: of one tensor and of constants.
bool is_by_place(const GraphIndex& index, const GraphNode& node, const Place& place) {
  if (node.is_random || node.is_effect) return false;
  if (kind_of(node) == "layer_norm") {
    const auto normalized = integers(argument(node, "normalized_shape")).value_or(Sizes{});
    return place.dim + static_cast<std::int64_t>(normalized.size()) < rank_of(index.node(place.of));
  }
  return maps_elements(node);
}

// The same but for what it is done to.
bool same_function(const GraphNode& a, const GraphNode& b) {
  return a.op == b.op &&
         std::equal(a.arguments.begin() + 1, a.arguments.end(), b.arguments.begin() + 1,
                    b.arguments.end(), [](const GraphArgument& one, const GraphArgument& other) {
                      return one.name == other.name && one.value == other.value;
                    });
}

std::vector<Alike> alike_at_places(const GraphIndex& index, const GraphNode& node,
                                   const Place& first) {
  std::vector<std::string> open = index.users(first.of);
  std::vector<Alike> all;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::string value = open[i];
    if (index.node(value).is_tuple) {
      open.insert(open.end(), index.users(value).begin(), index.users(value).end());
    }
    const auto place = place_of(index, value);
    if (!place || !place->is_like(first)) continue;
    for (const std::string& user : index.users(value)) {
      const GraphNode& other = index.node(user);
      if (inputs_of(other).front() == value && same_function(other, node)) {
        all.push_back({&other, *place});
      }
    }
  }
  std::ranges::sort(all, {}, [&](const Alike& each) { return index.position(each.node->name); });
  return all;
}

// f(x[:, 0]), f(x[:, 1]), ..
Found function_at_places(const GraphIndex& index, const GraphNode& node) {
  const auto inputs = inputs_of(node);
  if (inputs.empty() || node.arguments.front().value.kind != GraphValue::Kind::node) {
    return std::nullopt;
  }
  const auto first = place_of(index, inputs.front());
  if (!first || !is_by_place(index, node, *first)) return std::nullopt;
  if (!same_form(spec_of(node), spec_of(index.node(inputs.front())))) return std::nullopt;
  const auto all = alike_at_places(index, node, *first);
  if (!is_first(all, node)) return std::nullopt;
  PatchBuilder build(index);
  const std::string whole = build.again(node, inputs.front(), first->of);
  std::vector<std::pair<std::string, std::string>> values;
  for (const Alike& each : all) {
    values.emplace_back(each.node->name, picked(build, each.place, whole));
  }
  return std::move(build).done(std::move(values));
}

// y + W h for each place, as one operator where it has one.
class StateProduct {
 public:
  // Made before the loop: `rank` is that of h.
  StateProduct(PatchBuilder& build, const std::string& weight, std::int64_t rank)
      : build_(&build), is_matrix_(rank == 2) {
    weight_ = is_matrix_ ? build.permute(weight, {1, 0}) : weight;
  }

  std::string plus(const std::string& y, const std::string& h) const {
    if (!is_matrix_) return build_->plus(y, build_->linear(h, weight_, ""));
    return build_->call("aten.addmm.default",
                        {given("self", y), given("mat1", h), given("mat2", weight_)},
                        build_->shape(y), y);
  }

 private:
  PatchBuilder* build_;
  bool is_matrix_;
  std::string weight_;
};

// --- W [x_t; h]

// Features laid side by side, one of them at a place.
struct Joined {
  std::vector<std::string> members;
  std::size_t placed = 0;  // which member
  Place place;
};

std::optional<Joined> joined_at(const GraphIndex& index, const std::string& value,
                                const Place* like) {
  const GraphNode* const node = index.find(value);
  if (node == nullptr || kind_of(*node) != "cat" || !is_only_use(index, value)) return std::nullopt;
  const auto dim = integer(argument(*node, "dim"));
  if (!dim || from_front(*dim, rank_of(*node)) != rank_of(*node) - 1) return std::nullopt;
  Joined found;
  collect_nodes(argument(*node, "tensors"), found.members);
  const auto is_of_dtype = [&](const std::string& member) {
    return spec_of(index.node(member)).dtype == spec_of(*node).dtype;
  };
  if (!std::ranges::all_of(found.members, is_of_dtype)) return std::nullopt;
  for (std::size_t i = 0; i < found.members.size(); ++i) {
    const auto place = place_of(index, found.members[i]);
    if (!place || (like != nullptr && !place->is_like(*like))) continue;
    if (place->dim + 1 >= rank_of(index.node(place->of))) continue;
    found.placed = i;
    found.place = *place;
    return found;
  }
  return std::nullopt;
}

std::int64_t width_of(const GraphIndex& index, const std::string& value) {
  return spec_of(index.node(value)).shape.back();
}

struct JoinedProduct {
  const GraphNode* node = nullptr;
  Joined input;
};

bool same_widths(const GraphIndex& index, const Joined& a, const Joined& b) {
  return a.placed == b.placed &&
         std::ranges::equal(a.members, b.members, [&](const auto& one, const auto& other) {
           return same_form(spec_of(index.node(one)), spec_of(index.node(other)));
         });
}

std::vector<JoinedProduct> joined_products(const GraphIndex& index, const GraphNode& node,
                                           const Joined& first) {
  std::vector<JoinedProduct> all;
  for (const std::string& user : index.users(operand(node, "weight"))) {
    const GraphNode& other = index.node(user);
    if (kind_of(other) != "linear" || operand(other, "weight") != operand(node, "weight") ||
        operand(other, "bias") != operand(node, "bias")) {
      continue;
    }
    auto joined = joined_at(index, operand(other, "input"), &first.place);
    if (joined && same_widths(index, *joined, first)) all.push_back({&other, std::move(*joined)});
  }
  return all;
}

Found joined_at_places(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "linear" || !index.is_static(operand(node, "weight"))) return std::nullopt;
  const auto first = joined_at(index, operand(node, "input"), nullptr);
  if (!first || first->members.size() < 2) return std::nullopt;
  const auto all = joined_products(index, node, *first);
  if (all.size() < 2 || all.front().node->name != node.name) return std::nullopt;
  PatchBuilder build(index);
  const std::string& weight = operand(node, "weight");
  std::vector<std::string> weights;  // of the other members
  std::string placed_weight;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < first->members.size(); ++i) {
    const std::int64_t end = begin + width_of(index, first->members[i]);
    const std::string part = build.slice(weight, 1, begin, end, 1);
    if (i == first->placed) placed_weight = part;
    if (i != first->placed) weights.push_back(part);
    begin = end;
  }
  const std::string rest_weight = weights.size() == 1 ? weights.front() : build.cat(weights, 1);
  const std::string whole = build.linear(first->place.of, placed_weight, operand(node, "bias"));
  const StateProduct product(build, rest_weight, rank_of(node));
  std::vector<std::pair<std::string, std::string>> values;
  for (const JoinedProduct& each : all) {
    build.stand_before(each.node->name);
    std::vector<std::string> rest = each.input.members;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(each.input.placed));
    const std::string h =
        rest.size() == 1 ? rest.front() : build.cat(rest, rank_of(*each.node) - 1);
    const std::string y = picked(build, each.input.place, whole);
    values.emplace_back(each.node->name, product.plus(y, h));
  }
  return std::move(build).done(std::move(values));
}

// --- p_t + (W h + b)

struct PlacedSum {
  const GraphNode* node = nullptr;
  Place place;
  const GraphNode* product = nullptr;
};

std::optional<PlacedSum> placed_sum(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "add" || number(argument(node, "alpha")).value_or(1) != 1) {
    return std::nullopt;
  }
  const std::string& a = operand(node, "self");
  const std::string& b = operand(node, "other");
  if (a.empty() || b.empty()) return std::nullopt;
  for (const auto& [left, right] : {std::pair(a, b), std::pair(b, a)}) {
    const auto place = place_of(index, left);
    const GraphNode& product = index.node(right);
    if (!place || kind_of(product) != "linear" || !is_only_use(index, right)) continue;
    const bool fits = same_form(spec_of(index.node(left)), spec_of(product)) &&
                      rank_of(product) == 2 && index.is_static(operand(product, "weight"));
    if (fits) return PlacedSum{&node, *place, &product};
  }
  return std::nullopt;
}

Found product_added_at_places(const GraphIndex& index, const GraphNode& node) {
  const auto first = placed_sum(index, node);
  if (!first || first->place.dim + 1 >= rank_of(index.node(first->place.of))) return std::nullopt;
  const std::string& weight = operand(*first->product, "weight");
  const std::string& bias = operand(*first->product, "bias");
  std::vector<PlacedSum> all;
  for (const std::string& user : index.users(weight)) {
    if (operand(index.node(user), "bias") != bias) continue;
    for (const std::string& sum : index.users(user)) {
      const auto found = placed_sum(index, index.node(sum));
      const bool alike = found && operand(*found->product, "weight") == weight &&
                         operand(*found->product, "bias") == bias &&
                         found->place.is_like(first->place);
      if (alike) all.push_back(*found);
    }
  }
  std::ranges::sort(all, {},
                    [&](const PlacedSum& each) { return index.position(each.node->name); });
  if (all.size() < 2 || all.front().node->name != node.name) return std::nullopt;
  PatchBuilder build(index);
  const std::string& of = first->place.of;
  const std::string whole = bias.empty() ? of : build.plus(of, bias);
  const StateProduct product(build, weight, rank_of(node));
  std::vector<std::pair<std::string, std::string>> values;
  for (const PlacedSum& each : all) {
    build.stand_before(each.node->name);
    const std::string y = picked(build, each.place, whole);
    values.emplace_back(each.node->name, product.plus(y, operand(*each.product, "input")));
  }
  return std::move(build).done(std::move(values));
}

// --- behind a loop

std::string stacked_again(PatchBuilder& build, const GraphNode& node, const Stacked& stacked,
                          const std::vector<std::string>& members) {
  Sizes shape = spec_of(node).shape;
  shape.back() = build.shape(members.front()).back();
  return build.call(node.op, {given("tensors", members), given("dim", GraphValue::of(stacked.dim))},
                    std::move(shape), members.front());
}

// [W a; W b; ..] is W [a; b; ..].
Found same_of_members(const GraphIndex& index, const GraphNode& node) {
  const auto stacked = stacked_of(node);
  if (!stacked || stacked->dim + 1 == rank_of(node)) return std::nullopt;
  const GraphNode& first = index.node(stacked->members.front());
  const bool linear = kind_of(first) == "linear";
  if (!linear && !maps_elements(first)) return std::nullopt;
  if (first.arguments.front().value.kind != GraphValue::Kind::node) return std::nullopt;
  std::vector<std::string> inputs;
  for (const std::string& member : stacked->members) {
    const GraphNode& each = index.node(member);
    if (!is_only_use(index, member) || index.is_static(member) || !same_function(each, first)) {
      return std::nullopt;
    }
    inputs.push_back(each.arguments.front().value.text);
    const TensorSpec& spec = spec_of(index.node(inputs.back()));
    if (!linear && !same_form(spec, spec_of(each))) return std::nullopt;
    const TensorSpec& one = spec_of(index.node(inputs.front()));
    const bool any_length = !linear && kind_of(node) == "cat" && spec.dtype == one.dtype;
    if (!any_length && !same_form(spec, one)) return std::nullopt;
  }
  PatchBuilder build(index);
  const std::string whole = stacked_again(build, node, *stacked, inputs);
  const std::string result =
      linear ? build.linear(whole, operand(first, "weight"), operand(first, "bias"))
             : build.again(first, inputs.front(), whole);
  return std::move(build).done(node.name, result);
}

// stack([x[:, 0], x[:, 1], ..], 1) is x.
Found laid_together_again(const GraphIndex& index, const GraphNode& node) {
  const auto stacked = stacked_of(node);
  if (!stacked) return std::nullopt;
  const auto first = place_of(index, stacked->members.front());
  if (!first || first->keeps != (kind_of(node) == "cat") || first->dim != stacked->dim) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < stacked->members.size(); ++i) {
    const auto place = place_of(index, stacked->members[i]);
    const auto wanted = first->index + static_cast<std::int64_t>(i);
    if (!place || !place->is_like(*first) || place->index != wanted) return std::nullopt;
  }
  PatchBuilder build(index);
  const auto count = static_cast<std::int64_t>(stacked->members.size());
  const bool all = same_form(spec_of(node), spec_of(index.node(first->of)));
  if (spec_of(node).dtype != spec_of(index.node(first->of)).dtype) return std::nullopt;
  const std::string part =
      all ? first->of : build.slice(first->of, first->dim, first->index, first->index + count, 1);
  return std::move(build).done(node.name, part);
}

// stack([a, b, ..])[i].
Found place_of_stack(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "select") return std::nullopt;
  const auto place = place_of(index, node.name);
  if (!place || kind_of(index.node(place->of)) != "stack") return std::nullopt;
  const auto stacked = stacked_of(index.node(place->of));
  if (!stacked || stacked->dim != place->dim) return std::nullopt;
  const std::string& member = stacked->members[static_cast<std::size_t>(place->index)];
  if (!same_form(spec_of(index.node(member)), spec_of(node))) return std::nullopt;
  return Patch{{}, {{node.name, member}}};
}

constexpr Rule k_rules[] = {
    {"place of a stack", "what was stacked is picked out again", Rounding::none, Kept::always,
     place_of_stack},
    {"places laid together again", "all of them in their order are what they were taken from",
     Rounding::none, Kept::always, laid_together_again},
    {"one weight at many places", "what a loop multiplies place by place is one product",
     Rounding::reorders, Kept::cheaper, same_at_places},
    {"one function at many places", "each element or row by itself, so all places at once",
     Rounding::reorders, Kept::cheaper, function_at_places},
    {"one weight at many places, beside a state",
     "W [x; h] = W_x x + W_h h, and W_x x is one product for all places before the loop",
     Rounding::reorders, Kept::cheaper, joined_at_places},
    {"product added at many places", "x + (W h + b) = (x + b) + W h, with b added before the loop",
     Rounding::reorders, Kept::cheaper, product_added_at_places},
    {"one weight behind a loop", "[W a; W b; ..] = W [a; b; ..]", Rounding::reorders, Kept::cheaper,
     same_of_members},
};

}  // namespace

std::span<const Rule> loop_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
