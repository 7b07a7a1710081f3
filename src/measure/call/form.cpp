#include "measure/call/form.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "measure/call/result_tree.h"

namespace cupel::measure {
namespace {

// Of a tree or a shape that a host claims; an honest one is shorter.
constexpr std::size_t k_form_text_bytes_max = 512;

std::string shown(const std::vector<std::int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

FormMismatch mismatch(const char* kind, const std::string& got, std::string want) {
  return {kind, plain_text(got, k_form_text_bytes_max), std::move(want)};
}

// What ties a tensor to others, in words; as the host tells it where there is no such tie.
std::string_view described(const std::string& tie) {
  if (tie == k_tie_input) return "memory of an input";
  if (tie == "output") return "memory of another output";
  if (tie == "itself") return "one place in memory for several elements";
  if (tie == "gradients") return "a tensor that requires gradients";
  if (tie == "inference") return "an inference tensor";
  return tie;
}

// Of ties that the reference's output has not.
std::optional<FormMismatch> find_tie(const LeafForm& got, const TensorSpec& want) {
  for (const std::string& tie : got.ties) {
    if (std::find(want.ties.begin(), want.ties.end(), tie) != want.ties.end()) continue;
    return mismatch("tied_output", std::string(described(tie)), "a tensor of its own");
  }
  return std::nullopt;
}

std::optional<FormMismatch> find_in_leaf(const LeafForm& got, const TensorSpec& want,
                                         bool strict_strides) {
  if (got.shape != want.shape) return mismatch("shape", shown(got.shape), shown(want.shape));
  if (got.dtype != want.dtype) return mismatch("dtype", got.dtype, want.dtype);
  if (strict_strides && got.strides != want.strides) {
    return mismatch("strides", shown(got.strides), shown(want.strides));
  }
  return find_tie(got, want);
}

}  // namespace

std::optional<FormMismatch> find_form_mismatch(const ResultForm& form, const TaskFacts& facts,
                                               bool strict_strides) {
  if (!serves_as(form.tree, facts.output_tree) || form.leaves.size() != facts.outputs.size()) {
    return mismatch("structure", form.tree, facts.output_tree);
  }
  for (std::size_t i = 0; i < form.leaves.size(); ++i) {
    auto found = find_in_leaf(form.leaves[i], facts.outputs[i], strict_strides);
    if (found) return found;
  }
  return std::nullopt;
}

FormMismatch no_plain_tensor(const std::string& said) {
  return mismatch("type", said, "a plain torch.Tensor");
}

bool differs_in_strides(const ResultForm& form, const TaskFacts& facts) {
  for (std::size_t i = 0; i < form.leaves.size(); ++i) {
    if (form.leaves[i].strides != facts.outputs[i].strides) return true;
  }
  return false;
}

}  // namespace cupel::measure
