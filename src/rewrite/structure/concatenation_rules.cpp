// Concatenations that need not be made, or not again and again.
#include <algorithm>

#include "rewrite/facts/places.h"
#include "rewrite/facts/rules.h"

namespace cupel::rewrite {
namespace {

using Found = std::optional<Patch>;

// Of a cat() whose members have as many dimensions as it: torch takes empty ones of one, too.
std::optional<Stacked> concatenation_of(const GraphIndex& index, const GraphNode& node) {
  auto found = kind_of(node) == "cat" ? stacked_of(node) : std::nullopt;
  if (!found) return std::nullopt;
  const bool alike = std::ranges::all_of(found->members, [&](const std::string& each) {
    return rank_of(index.node(each)) == rank_of(node) &&
           spec_of(index.node(each)).dtype == spec_of(node).dtype;
  });
  return alike ? found : std::nullopt;
}

std::int64_t size_along(const GraphIndex& index, const std::string& value, std::int64_t dim) {
  return spec_of(index.node(value)).shape[static_cast<std::size_t>(dim)];
}

// cat([a, cat([b, c])]) = cat([a, b, c]).
Found nested(const GraphIndex& index, const GraphNode& node) {
  const auto outer = concatenation_of(index, node);
  if (!outer) return std::nullopt;
  std::vector<std::string> members;
  for (const std::string& each : outer->members) {
    const auto inner =
        index.uses(each) == 1 ? concatenation_of(index, index.node(each)) : std::nullopt;
    if (inner && inner->dim == outer->dim) {
      members.insert(members.end(), inner->members.begin(), inner->members.end());
    } else {
      members.push_back(each);
    }
  }
  if (members.size() == outer->members.size()) return std::nullopt;
  PatchBuilder build(index);
  return std::move(build).done(node.name, build.cat(members, outer->dim));
}

// What a member repeats along other dimensions than the last; else itself.
std::string unrepeated(const GraphIndex& index, const std::string& member) {
  const GraphNode& node = index.node(member);
  const std::string& source = operand(node, "self");
  if (kind_of(node) != "expand" || source.empty()) return member;
  const Sizes& from = spec_of(index.node(source)).shape;
  const bool fits = from.size() == spec_of(node).shape.size() && !from.empty() &&
                    from.back() == spec_of(node).shape.back();
  return fits ? source : member;
}

// W [x; y] = W_x x + W_y y, where what is left out of the concatenation is worth a sum.
Found linear_of_concatenation(const GraphIndex& index, const GraphNode& node) {
  if (kind_of(node) != "linear") return std::nullopt;
  const std::string& of = operand(node, "input");
  const std::string& weight = operand(node, "weight");
  const auto laid = concatenation_of(index, index.node(of));
  if (!laid || laid->dim != rank_of(index.node(of)) - 1) return std::nullopt;
  if (rank_of(index.node(weight)) != 2 || !is_floating(spec_of(node))) return std::nullopt;
  std::vector<std::string> sources;
  for (const std::string& each : laid->members) sources.push_back(unrepeated(index, each));
  const auto smallest = std::ranges::min_element(sources, {}, [&](const std::string& each) {
    return element_count(spec_of(index.node(each)).shape);
  });
  PatchBuilder build(index);
  std::string sum;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::int64_t end = begin + size_along(index, laid->members[i], laid->dim);
    const bool with_bias = sources.begin() + static_cast<std::ptrdiff_t>(i) == smallest;
    const std::string product = build.linear(sources[i], build.slice(weight, 1, begin, end, 1),
                                             with_bias ? operand(node, "bias") : std::string());
    sum = sum.empty() ? product : build.plus(sum, product);
    begin = end;
  }
  if (build.shape(sum) != spec_of(node).shape) return std::nullopt;
  return std::move(build).done(node.name, sum);
}

// --- concatenations that grow

// All members, those of members that are concatenations themselves too.
std::vector<std::string> flat_members(const GraphIndex& index, const Stacked& laid) {
  std::vector<std::string> members;
  for (const std::string& each : laid.members) {
    const auto inner = concatenation_of(index, index.node(each));
    const auto parts = inner && inner->dim == laid.dim ? flat_members(index, *inner)
                                                       : std::vector<std::string>{each};
    members.insert(members.end(), parts.begin(), parts.end());
  }
  return members;
}

struct Growth {
  const GraphNode* node = nullptr;
  std::vector<std::string> members;
};

bool goes_on(const Growth& later, const Growth& earlier) {
  return later.members.size() > earlier.members.size() &&
         std::equal(earlier.members.begin(), earlier.members.end(), later.members.begin());
}

// This concatenation and those behind it, each of which begins with the one before.
std::vector<Growth> growth_from(const GraphIndex& index, const GraphNode& first,
                                const Stacked& laid) {
  std::vector<Growth> found{{&first, flat_members(index, laid)}};
  const auto& nodes = index.graph().nodes;
  for (std::size_t i = index.position(first.name) + 1; i < nodes.size(); ++i) {
    const auto other =
        index.is_static(nodes[i].name) ? std::nullopt : concatenation_of(index, nodes[i]);
    if (!other || other->dim != laid.dim) continue;
    Growth next{&nodes[i], flat_members(index, *other)};
    if (goes_on(next, found.back())) found.push_back(std::move(next));
  }
  return found;
}

// Each new member is written behind the others, once; a concatenation is what is there so far.
Found growing(const GraphIndex& index, const GraphNode& node) {
  const auto laid = concatenation_of(index, node);
  if (!laid || index.is_static(laid->members.front())) return std::nullopt;
  const auto growth = growth_from(index, node, *laid);
  if (growth.size() < 2) return std::nullopt;
  const std::int64_t dim = laid->dim;
  const Sizes& size = spec_of(*growth.back().node).shape;
  const auto along = GraphValue::of(size[static_cast<std::size_t>(dim)]);
  PatchBuilder build(index);
  std::string whole = build.write(std::string(k_begun_with),
                                  {given("part", growth.front().members.front()),
                                   given("size", along), given("dim", GraphValue::of(dim))},
                                  size);
  std::int64_t end = size_along(index, growth.front().members.front(), dim);
  std::size_t written = 1;
  std::vector<std::pair<std::string, std::string>> values;
  for (const Growth& each : growth) {
    if (each.node != &node) build.stand_before(each.node->name);
    for (; written < each.members.size(); ++written) {
      const std::string& part = each.members[written];
      whole = build.write(std::string(k_with_part),
                          {given("whole", whole), given("part", part),
                           given("start", GraphValue::of(end)), given("dim", GraphValue::of(dim))},
                          size);
      end += size_along(index, part, dim);
    }
    values.emplace_back(each.node->name,
                        &each == &growth.back() ? whole : build.slice(whole, dim, 0, end, 1));
  }
  return std::move(build).done(std::move(values));
}

constexpr Rule k_rules[] = {
    {"concatenation of a concatenation", "laid one behind the other in two steps or in one",
     Rounding::none, Kept::cheaper, nested},
    {"linear of a concatenation",
     "W [x; y] = W_x x + W_y y, the weight cut where x ends; what is repeated is multiplied once",
     Rounding::reorders, Kept::cheaper, linear_of_concatenation},
    {"growing concatenation as stores",
     "each concatenation begins with the one before: what is new is written behind it, once",
     Rounding::none, Kept::form, growing},
};

}  // namespace

std::span<const Rule> concatenation_rules() {
  return k_rules;
}

}  // namespace cupel::rewrite
