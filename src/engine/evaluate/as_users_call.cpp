#include "engine/evaluate/as_users_call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/hash.h"

namespace cupel::engine {
namespace {

// Of all outputs that are told at once.
constexpr std::int64_t k_further_bytes_max = 64LL << 20;

Candidate with_line(const Candidate& program, const std::string& line) {
  return make_candidate(program.source + "\n" + line + "\n", program.label);
}

Task with_line(const Task& task, std::string_view what, const std::string& line) {
  Task other = task;
  other.id = Hasher("task as users call it").add("task", task.id).add("line", line).finish();
  other.name += fmt::format(" with {}", what);
  other.source += "\n" + line + "\n";
  other.settings.held_out.clear();
  return other;
}

std::string telling_line(const FurtherOutputs& outputs, std::string_view class_name,
                         const std::string& wanted) {
  return fmt::format("import cupel.arranged, cupel.broadcasts, cupel.options; cupel.{}({}, {})",
                     outputs.tell, class_name, wanted);
}

std::string as_dictionary(const std::vector<std::string>& entries) {
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

// Of python/cupel/trees.py: dictionaries, lists, named tuples, dataclasses.
constexpr std::string_view k_opening = "{[(<";
constexpr std::string_view k_closing = "}])>";

// The keys of a dictionary in a tree, up to where its text was cut off. `tree`: from behind its
// brace.
std::vector<std::string> keys_in(std::string_view tree) {
  std::vector<std::string> keys;
  std::string entry;
  for (int depth = 0; const char c : tree) {
    if (depth == 0 && (c == ',' || c == '}')) {
      if (!entry.empty()) keys.push_back(entry.substr(0, entry.find(':')));
      if (c == '}') break;
      entry.clear();
      continue;
    }
    if (k_opening.find(c) != std::string_view::npos) ++depth;
    if (k_closing.find(c) != std::string_view::npos) --depth;
    entry += c;
  }
  return keys;
}

}  // namespace

std::vector<InputLayout> input_layouts(const TaskFacts& facts, bool on_gpu) {
  const auto concerns = [&](const InputLayout& layout) {
    return (on_gpu || !layout.of_time) && (facts.weight_bytes > 0 || !layout.of_weights) &&
           std::ranges::any_of(facts.inputs, [&layout](const TensorSpec& input) {
             return input.shape.size() >= layout.dimensions_min;
           });
  };
  std::vector<InputLayout> layouts;
  std::ranges::copy_if(k_input_layouts, std::back_inserter(layouts), concerns);
  return layouts;
}

Candidate in_layout(const Candidate& program, std::string_view class_name,
                    const InputLayout& layout) {
  return with_line(program, fmt::format("import cupel.arranged; cupel.arranged.arrange({}, \"{}\")",
                                        class_name, layout.name));
}

std::vector<std::string> told_by(const FurtherOutputs& outputs, const TaskFacts& facts) {
  const std::string begin = fmt::format("{{{}:{{", outputs.key);
  if (!facts.output_tree.starts_with(begin)) return {};
  const auto keys = keys_in(std::string_view(facts.output_tree).substr(begin.size()));
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < std::min(keys.size(), facts.outputs.size()); ++i) {
    const TensorSpec& spec = facts.outputs[i];
    entries.push_back(outputs.have_types ? fmt::format("\"{}\": (\"{}\", [{}])", keys[i],
                                                       spec.dtype, fmt::join(spec.shape, ", "))
                                         : fmt::format("\"{}\": None", keys[i]));
  }
  return entries;
}

std::vector<std::string> part_of(const std::vector<std::string>& wanted,
                                 const ProgramEvidence& program) {
  if (!tells_a_part(program)) return {};
  const std::string_view tree = program.mismatches.front().got;
  std::vector<std::string> part;
  for (const std::string& number : keys_in(tree.substr(k_partial_tree.size()))) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (number == std::to_string(i)) part.push_back(wanted[i]);
    }
  }
  return part;
}

std::string described(const FurtherOutputs& outputs, const std::vector<std::string>& wanted) {
  if (outputs.names.empty() || wanted.empty()) return std::string(outputs.what);
  std::vector<std::string> names;
  for (const std::string& entry : wanted) {
    names.push_back(entry.substr(1, entry.find('"', 1) - 1));  // a key of Python's, in quotes
  }
  return fmt::format("{} ({}: {})", outputs.what, outputs.names, fmt::join(names, ", "));
}

Task telling(const Task& task, const FurtherOutputs& outputs, const TaskFacts& facts) {
  const std::int64_t fitting = k_further_bytes_max / std::max<std::int64_t>(facts.output_bytes, 1);
  const std::string limit =
      outputs.most ? fmt::format(", most={}", std::clamp<std::int64_t>(fitting, 1, outputs.most))
                   : "";
  return with_line(task, outputs.what, telling_line(outputs, "Model", "None" + limit));
}

Task telling(const Task& task, const FurtherOutputs& outputs,
             const std::vector<std::string>& wanted) {
  return with_line(task, outputs.what, telling_line(outputs, "Model", as_dictionary(wanted)));
}

Candidate telling(const Candidate& program, const FurtherOutputs& outputs,
                  const std::vector<std::string>& wanted) {
  return with_line(program, telling_line(outputs, "ModelNew", as_dictionary(wanted)));
}

}  // namespace cupel::engine
