#include "propose/seeds/traits.h"

#include <initializer_list>
#include <string_view>

namespace cupel::propose {
namespace {

// One thread moves this much in some 0.1 ms, about what waking a second one is worth.
constexpr std::int64_t k_small_bytes_max = 2 << 20;

bool mentions(std::string_view source, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (source.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool has_rank(const TaskFacts& facts, std::size_t rank) {
  for (const TensorSpec& input : facts.inputs) {
    if (input.shape.size() == rank) return true;
  }
  return false;
}

bool is_plain(const std::vector<TensorSpec>& leaves) {
  for (const TensorSpec& leaf : leaves) {
    const bool floating = leaf.dtype.find("float") != std::string::npos;
    if (leaf.dtype.starts_with("complex") || (floating && leaf.dtype != "float32")) return false;
  }
  return true;
}

}  // namespace

Traits traits_of(const Task& task, const TaskFacts& facts) {
  const bool hidden = task.kind == Task::Kind::module;
  const std::string_view source = task.source;
  Traits traits;
  traits.images = has_rank(facts, 4);
  traits.volumes = has_rank(facts, 5);
  const bool spatial = traits.images || traits.volumes;
  const bool conv = (hidden && spatial) || mentions(source, {"Conv", "conv"});
  traits.convolves = conv || mentions(source, {"Pool", "pool"});
  // In training mode a norm depends on the batch and cannot be folded.
  const bool inference =
      task.settings.mode == Mode::inference || mentions(source, {".eval()", ".train(False)"});
  traits.folds_norms = conv && inference && (hidden || mentions(source, {"BatchNorm"}));
  traits.has_weights = facts.weight_bytes > 0;
  traits.multiplies = hidden || conv ||
                      mentions(source, {"Linear", "matmul", "bmm", "einsum", " @ ", ".mm(",
                                        "Attention", "attention", "LSTM", "GRU", "RNN"});
  traits.attends = hidden || mentions(source, {"MultiheadAttention"}) ||
                   (mentions(source, {"softmax", "Softmax"}) &&
                    mentions(source, {"matmul", "bmm", "einsum", " @ "}));
  traits.views = hidden || mentions(source, {".view("});
  traits.plain_floats = is_plain(facts.inputs) && is_plain(facts.outputs);
  traits.small = facts.input_bytes + facts.output_bytes + facts.weight_bytes <= k_small_bytes_max;
  traits.strict_strides = task.settings.strict_strides;
  return traits;
}

}  // namespace cupel::propose
