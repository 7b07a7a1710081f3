// Interval arithmetic over a graph.
#pragma once

#include <string>
#include <unordered_map>

#include "rewrite/graph_index.h"

namespace cupel::rewrite {

// Of every node, by interval arithmetic.
std::unordered_map<std::string, Interval> ranges_of(const GraphIndex& index);

// What an operator of one operand lets through unchanged: relu [0, inf], clamp, leaky_relu, abs.
// False for others.
bool passes_unchanged(const GraphNode& node, Interval& passed);

}  // namespace cupel::rewrite
