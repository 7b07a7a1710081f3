// The rules: each says when it holds, what it puts in whose place, and why that is the same.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "rewrite/patch.h"

namespace cupel::rewrite {

// How far what a rule writes may be from what stood there, on a machine.
enum class Rounding {
  none,      // the same bits, NaN and infinity included
  reorders,  // equal over the reals; sums and products are rounded in another order
};

// When a rule's change is kept.
enum class Kept {
  always,   // it never costs
  cheaper,  // where the graph's cost falls
  form,     // an equivalent form that may suit a library better: a program of its own
};

struct Rule {
  std::string_view name;    // "sum through linear"
  std::string_view reason;  // why both sides are equal: one sentence
  Rounding rounding = Rounding::reorders;
  Kept kept = Kept::cheaper;
  // Nothing where the rule does not apply at this node. Pure.
  std::optional<Patch> (*match)(const GraphIndex& index, const GraphNode& node) = nullptr;
};

// All rules, in the order in which they are tried.
std::span<const Rule> all_rules();

// By subject, one file each.
std::span<const Rule> simplifying_rules();
std::span<const Rule> range_rules();
std::span<const Rule> folding_rules();
std::span<const Rule> passing_rules();
std::span<const Rule> reduction_rules();
std::span<const Rule> convolution_rules();
std::span<const Rule> pooling_rules();
std::span<const Rule> product_rules();
std::span<const Rule> cell_rules();
std::span<const Rule> loop_rules();
std::span<const Rule> slicing_rules();
std::span<const Rule> activation_rules();
std::span<const Rule> attention_rules();
std::span<const Rule> form_rules();

}  // namespace cupel::rewrite
