#include "rewrite/facts/places.h"

#include <algorithm>

namespace cupel::rewrite {
namespace {

std::int64_t dim_of(const GraphIndex& index, const GraphNode& node) {
  return from_front(integer(argument(node, "dim")).value_or(0),
                    rank_of(index.node(operand(node, "self"))));
}

std::optional<Place> piece_place(const GraphIndex& index, const GraphNode& piece) {
  const GraphNode& several = index.node(operand(piece, "self"));
  if (!is_kind(several, {"unbind", "split", "chunk"}) || operand(several, "self").empty()) {
    return std::nullopt;
  }
  const std::int64_t dim = dim_of(index, several);
  const bool keeps = kind_of(several) != "unbind";
  if (keeps && std::ranges::any_of(several.outputs, [=](const TensorSpec& spec) {
        return spec.shape[static_cast<std::size_t>(dim)] != 1;
      })) {
    return std::nullopt;
  }
  return Place{operand(several, "self"), dim, argument(piece, "index").integer, keeps};
}

}  // namespace

std::optional<Place> place_of(const GraphIndex& index, const std::string& value) {
  const GraphNode* const node = index.find(value);
  if (node == nullptr) return std::nullopt;
  if (node->op == "getitem") return piece_place(index, *node);
  const bool keeps = kind_of(*node) == "slice";
  const std::string& of = operand(*node, "self");
  if ((!keeps && kind_of(*node) != "select") || of.empty()) return std::nullopt;
  const std::int64_t dim = dim_of(index, *node);
  if (keeps && spec_of(*node).shape[static_cast<std::size_t>(dim)] != 1) return std::nullopt;
  const auto at = integer(argument(*node, keeps ? "start" : "index"));
  if (!at) return std::nullopt;
  const std::int64_t size = spec_of(index.node(of)).shape[static_cast<std::size_t>(dim)];
  return Place{of, dim, std::max<std::int64_t>(from_front(*at, size), 0), keeps};
}

std::string picked(PatchBuilder& build, const Place& place, const std::string& whole) {
  return place.keeps ? build.slice(whole, place.dim, place.index, place.index + 1, 1)
                     : build.select(whole, place.dim, place.index);
}

std::optional<Stacked> stacked_of(const GraphNode& node) {
  if (!is_kind(node, {"stack", "cat"})) return std::nullopt;
  Stacked found;
  collect_nodes(argument(node, "tensors"), found.members);
  found.dim = from_front(integer(argument(node, "dim")).value_or(0), rank_of(node));
  if (found.members.size() < 2) return std::nullopt;
  return found;
}

}  // namespace cupel::rewrite
