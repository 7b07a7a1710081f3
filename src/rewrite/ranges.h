// Interval arithmetic over a graph.
#pragma once

#include <string>
#include <unordered_map>

#include "rewrite/graph_index.h"

namespace cupel::rewrite {

// Of every node, by interval arithmetic.
std::unordered_map<std::string, Interval> ranges_of(const GraphIndex& index);

// From the smallest to the largest number of a floating dtype (float64's, of any other), signs and
// zero aside. Smaller ones exist in all but float16 and are flushed to zero where a process asks
// for that.
Interval sizes_in(const std::string& dtype);

// From the smallest to the largest number of a floating dtype (float64's, of any other), zero and
// signs aside. What is smaller in another than float16 is flushed to zero where a process wants it.
Interval sizes_in(const std::string& dtype);

// What an operator of one operand lets through unchanged: relu [0, inf], clamp, leaky_relu, abs.
// False for others.
bool passes_unchanged(const GraphNode& node, Interval& passed);

}  // namespace cupel::rewrite
