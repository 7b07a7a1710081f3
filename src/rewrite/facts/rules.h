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
  splits,    // of each operand of a product 22 bits are left, in two numbers of lower precision
};

// When a rule's change is kept.
enum class Kept {
  always,   // it never costs
  cheaper,  // where the graph's cost falls
  form,     // an equivalent form that may suit a library better: a program of its own
};

// Two switches of torch say whether float32 products may be TF32 on a GPU. One is of products of
// matrices, torch.backends.cuda.matmul.allow_tf32, off by default; the other of what cuDNN does,
// convolutions and recurrent layers, torch.backends.cudnn.allow_tf32, on by default. Sums,
// elementwise operators, norms and pools are float32 under both. What a rule does to the switch
// that its products obey; never may they obey a looser one.
enum class Tf32 {
  same_switch,      // no product, or that of before
  stricter_switch,  // what cuDNN does becomes products of matrices, or these no product at all
  held,             // the other way: the program holds cuDNN to the switch of products
  no_switch,        // becomes products of operands that are split in two numbers, whatever is set
};

struct Rule {
  std::string_view name;    // "sum through linear"
  std::string_view reason;  // why both sides are equal: one sentence
  Rounding rounding = Rounding::reorders;
  Kept kept = Kept::cheaper;
  // Nothing where the rule does not apply at this node. Pure.
  std::optional<Patch> (*match)(const GraphIndex& index, const GraphNode& node) = nullptr;
  Tf32 tf32 = Tf32::same_switch;
  bool is_for_gpus = false;  // on a CPU torch's own operators for it are slower than the others
};

// All rules, in the order in which they are tried: one before the others that it makes way for,
// and last what joins values, since parts of them are hard to find then.
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
std::span<const Rule> joining_rules();
std::span<const Rule> structure_rules();
std::span<const Rule> composing_rules();
std::span<const Rule> moment_rules();
std::span<const Rule> einsum_rules();
std::span<const Rule> concatenation_rules();
std::span<const Rule> cell_rules();
std::span<const Rule> loop_rules();
std::span<const Rule> slicing_rules();
std::span<const Rule> activation_rules();
std::span<const Rule> attention_rules();
std::span<const Rule> mask_rules();  // of attention of which nobody wants a part
std::span<const Rule> form_rules();
std::span<const Rule> split_rules();  // forms, too

}  // namespace cupel::rewrite
