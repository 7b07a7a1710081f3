#include "rewrite/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "rewrite/emit.h"
#include "rewrite/facts/rules.h"
#include "rewrite/ranges.h"
#include "rewrite/spell.h"

namespace cupel::rewrite {
namespace {

constexpr int k_steps_max = 2000;           // far above what a graph of 4000 nodes takes
constexpr const char* k_plain = "rewrite";  // the cheapest program, in no other form
constexpr int k_shown_depth = 3;            // of expressions in steps
constexpr double k_gain_min = 1e-9;         // of the cost: rounding of sums is no gain

// A graph and its index, which stay as they are.
struct Indexed {
  explicit Indexed(Graph given) : graph(std::move(given)), index(graph) {}
  const Graph graph;
  const GraphIndex index;
};

// The expression at the end of a patch, with what led to it.
std::string after_text(const GraphIndex& index, const Patch& patch) {
  const GraphNode* const node = index.find(patch.values.front().second);
  return node == nullptr || node->arguments.empty() ? patch.values.front().second
                                                    : expression(*node, index, k_shown_depth);
}

// cuDNN's recurrent layers round otherwise than loops of products even where neither is TF32:
// torch's LSTM by three times what `exact` allows, and by 5 % more than `eager` does. Split
// numbers are no float32 rounding, and whoever may use TF32 needs none.
bool is_offered(const Rule& rule, const Setting& setting) {
  const bool on_gpu = setting.device.starts_with("cuda");
  const bool lenient = setting.policy == Policy::tf32 || setting.policy == Policy::half;
  if (rule.rounding == Rounding::splits) return on_gpu && setting.policy == Policy::eager;
  return on_gpu ? rule.tf32 != Tf32::held || lenient : !rule.is_for_gpus;
}

bool worth_it(const Rule& rule, double cost_before, double cost_after) {
  if (rule.kept == Kept::form) return true;
  if (rule.kept == Kept::always) return cost_after <= cost_before;
  return cost_after < cost_before * (1 - k_gain_min);
}

bool is_complex(const TensorSpec& spec) {
  return spec.dtype.starts_with("complex");
}

// Rules speak of real numbers and of integers.
bool is_real(const GraphIndex& index, const GraphNode& node) {
  return !is_complex(spec_of(node)) &&
         std::ranges::none_of(inputs_of(node), [&](const std::string& used) {
           return is_complex(spec_of(index.node(used)));
         });
}

// Whether a number is none of this dtype: infinite, or zero, in its place. torch refuses some such.
bool is_beyond(const std::string& dtype, double value) {
  const double size = std::abs(value);
  return std::isfinite(value) && value != 0 && !Interval{size, size}.is_within(sizes_in(dtype));
}

// Whether a patch has numbers that are none in the dtype in which they are used.
bool overflows(const Patch& patch) {
  return std::ranges::any_of(patch.nodes, [](const GraphNode& node) {
    return std::ranges::any_of(node.arguments, [&](const GraphArgument& each) {
      return each.value.kind == GraphValue::Kind::real &&
             is_beyond(spec_of(node).dtype, each.value.real);
    });
  });
}

// Whether a patch reads a buffer that a call writes, or makes somebody else read it: at another
// time, perhaps. One that takes the write itself along knows about it.
bool moves_reads(const GraphIndex& index, const Patch& patch) {
  if (!patch.removed.empty()) return false;
  const bool reads_anew = std::ranges::any_of(patch.nodes, [&](const GraphNode& node) {
    return std::ranges::any_of(
        inputs_of(node), [&](const std::string& used) { return index.lies_in_written(used); });
  });
  return reads_anew || std::ranges::any_of(patch.values, [&](const auto& value) {
           return index.reads_written(value.first) || index.lies_in_written(value.second);
         });
}

// One program on its way: a graph, its cost, and how it came about.
class Search {
 public:
  Search(const Graph& graph, const Setting& setting)
      : setting_(setting), now_(std::make_shared<const Indexed>(without_dead_nodes(graph))) {
    found_.before = cost_as_written(now_->index);
    cost_ = cost_of(now_->index).weight();
    if (cost_ < found_.before.weight() * (1 - k_gain_min)) found_.steps.push_back(derived_once());
  }

  // Every rule that gains, until none does; after each from the first again, so that the later
  // ones find nothing left to do for those before.
  void lower_cost() {
    const auto rules = all_rules();
    for (auto rule = rules.begin(); rule != rules.end() && may_go_on();) {
      const bool tried = rule->kept != Kept::form && is_offered(*rule, setting_);
      rule = tried && apply_everywhere(*rule) ? rules.begin() : rule + 1;
    }
  }

  // Whether it fits anywhere. A form is kept wherever it fits.
  bool apply_everywhere(const Rule& rule) {
    bool changed = false;
    while (may_go_on() && apply_once(rule)) changed = true;
    return changed;
  }

  Rewriting done(std::string name) && {
    found_.name = std::move(name);
    found_.after = cost_of(now_->index);
    found_.graph = now_->graph;
    return std::move(found_);
  }

 private:
  // Told by the last operator that takes no input.
  Step derived_once() const {
    const GraphNode* last = nullptr;
    for (const GraphNode& node : now_->graph.nodes) {
      const bool computed = !node.arguments.empty() && !node.is_view;
      if (computed && now_->index.is_static(node.name)) last = &node;
    }
    return {"derived once",
            "what follows from weights and constants alone is the same in every call: prepare() "
            "computes it",
            true, expression(*last, now_->index, k_shown_depth), "what prepare() keeps"};
  }

  bool may_go_on() const { return static_cast<int>(found_.steps.size()) < k_steps_max; }

  bool apply_once(const Rule& rule) {
    const GraphIndex& index = now_->index;
    for (const GraphNode& node : now_->graph.nodes) {
      if (index.is_static(node.name) || !is_real(index, node)) continue;
      const auto patch = rule.match(index, node);
      if (patch && take(rule, node, *patch)) return true;
    }
    return false;
  }

  bool take(const Rule& rule, const GraphNode& node, const Patch& patch) {
    if (overflows(patch) || moves_reads(now_->index, patch)) return false;
    auto changed = std::make_shared<const Indexed>(patched(now_->graph, node.name, patch));
    const double cost = cost_of(changed->index).weight();
    if (!worth_it(rule, cost_, cost)) return false;
    found_.steps.push_back(
        {std::string(rule.name), std::string(rule.reason), rule.rounding == Rounding::none,
         expression(node, now_->index, k_shown_depth), after_text(changed->index, patch)});
    now_ = std::move(changed);
    cost_ = cost;
    return true;
  }

  Setting setting_;
  std::shared_ptr<const Indexed> now_;
  double cost_ = 0;
  Rewriting found_;
};

// What no input changes: static values, points of interval arithmetic, and what follows from them.
std::unordered_set<std::string> constants_of(const GraphIndex& index) {
  std::unordered_set<std::string> constants;
  for (const GraphNode& node : index.graph().nodes) {
    const auto inputs = inputs_of(node);
    const bool follows = !inputs.empty() && !node.is_random &&
                         std::ranges::all_of(inputs, [&](const std::string& used) {
                           return constants.contains(used);
                         });
    const bool point =
        !inputs.empty() && is_floating(spec_of(node)) && index.range(node.name).is_point();
    if (index.is_static(node.name) || follows || point) constants.insert(node.name);
  }
  return constants;
}

std::vector<Finding> findings_of(const Graph& graph) {
  const GraphIndex index(graph);
  const auto constants = constants_of(index);
  std::vector<Finding> findings;
  for (const GraphNode& node : graph.nodes) {
    const Interval range = index.range(node.name);
    if (index.is_static(node.name) || !range.is_point() || !is_floating(spec_of(node))) continue;
    findings.push_back({expression(node, index, k_shown_depth),
                        fmt::format("is {} for all inputs that give numbers", range.low), false});
  }
  std::vector<std::string> leaves;
  collect_leaves(graph.result, leaves);
  const bool constant = std::ranges::all_of(
      leaves, [&](const std::string& leaf) { return constants.contains(leaf); });
  if (constant) findings.push_back({"the result", "does not depend on the inputs", true});
  return findings;
}

std::vector<std::string> unknown_operators(const Graph& graph) {
  std::vector<std::string> unknown;
  const NameOf any = [](const std::string& name) { return name; };
  for (const GraphNode& node : graph.nodes) {
    const bool generic = !node.arguments.empty() && spell(node, any).text.starts_with("torch.ops.");
    if (generic && std::ranges::find(unknown, node.op) == unknown.end()) unknown.push_back(node.op);
  }
  return unknown;
}

// Whether a program reads memory as it lies: rules keep values, and lay them out as they like.
bool reads_layout(const Graph& graph) {
  return std::ranges::any_of(
      graph.nodes, [](const GraphNode& node) { return kind_of(node).starts_with("as_strided"); });
}

std::string seed_name(const Rule& form) {
  std::string name = "rewrite ";
  name += form.name;
  std::ranges::replace(name, ' ', '_');
  return name;
}

void add_cost(Cost& sum, const Cost& cost, std::size_t times) {
  const auto count = static_cast<double>(times);
  sum.operations += count * cost.operations;
  sum.bytes += count * cost.bytes;
  sum.launches += static_cast<std::int64_t>(times) * cost.launches;
}

void add_part(Rewriting& whole, const GraphPart& part, Rewriting rewritten) {
  whole.graph.init = part.graph.init;
  whole.steps.insert(whole.steps.end(), rewritten.steps.begin(), rewritten.steps.end());
  add_cost(whole.before, rewritten.before, part.paths.size());
  add_cost(whole.after, rewritten.after, part.paths.size());
  rewritten.kind = part.kind;
  rewritten.paths = part.paths;
  whole.parts.push_back(std::move(rewritten));
}

}  // namespace

std::span<const Rule> all_rules() {
  static const std::vector<Rule> rules = [] {
    std::vector<Rule> all;
    for (const auto& group :
         {simplifying_rules(),   range_rules(),      einsum_rules(),      attention_rules(),
          cell_rules(),          loop_rules(),       slicing_rules(),     structure_rules(),
          product_rules(),       reduction_rules(),  convolution_rules(), moment_rules(),
          pooling_rules(),       composing_rules(),  folding_rules(),     passing_rules(),
          concatenation_rules(), activation_rules(), mask_rules(),        joining_rules(),
          form_rules(),          split_rules()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return rules;
}

Rewritings rewrite(const Graph& graph, const Setting& setting) {
  Rewritings found;
  if (reads_layout(graph)) return found;
  Search search(graph, setting);
  search.lower_cost();
  for (const Rule& form : all_rules()) {
    if (form.kept != Kept::form || !is_offered(form, setting)) continue;
    Search other = search;
    if (!other.apply_everywhere(form)) continue;
    other.lower_cost();  // what the form has laid side by side
    found.programs.push_back(std::move(other).done(seed_name(form)));
  }
  Rewriting best = std::move(search).done(k_plain);
  found.findings = findings_of(best.graph);
  found.left_alone = unknown_operators(graph);
  const bool gains = best.after.weight() < best.before.weight() * (1 - k_gain_min);
  if (gains) found.programs.insert(found.programs.begin(), std::move(best));
  return found;
}

Rewritings rewrite(const GraphExport& exported, const Setting& setting) {
  if (exported.refused.empty()) return rewrite(exported.graph, setting);
  Rewritings found;
  Rewriting whole;
  whole.name = "rewrite_parts";
  for (const GraphPart& part : exported.parts) {
    Rewritings of_part = rewrite(part.graph, setting);
    for (const std::string& op : of_part.left_alone) {
      if (std::ranges::find(found.left_alone, op) == found.left_alone.end()) {
        found.left_alone.push_back(op);
      }
    }
    const bool gains = !of_part.programs.empty() && of_part.programs.front().name == k_plain;
    if (gains) add_part(whole, part, std::move(of_part.programs.front()));
  }
  if (!whole.parts.empty()) found.programs.push_back(std::move(whole));
  return found;
}

}  // namespace cupel::rewrite
