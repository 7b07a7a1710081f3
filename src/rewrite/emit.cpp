#include "rewrite/emit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "rewrite/own_functions.h"
#include "rewrite/spell.h"

namespace cupel::rewrite {
namespace {

constexpr std::size_t k_columns_max = 100;
constexpr std::string_view k_own_class = "ModelNew";
constexpr std::string_view k_functional = "F";  // what programs call torch.nn.functional

// `text` in lines of at most k_columns_max, each after `indent`.
std::string wrapped(std::string_view text, const std::string& indent) {
  std::string lines, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word(text.substr(at, end - at));
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > k_columns_max) {
      lines += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return line.empty() ? lines : lines + indent + line + "\n";
}

// Whether a task gives torch.nn.functional's short name to something of its own.
bool takes_functional(std::string_view source) {
  return std::ranges::any_of(ends_of(source, k_functional), [&](std::size_t end) {
    const std::string_view before = source.substr(0, end - k_functional.size());
    const bool reads = end < source.size() && source[end] == '.';
    return !reads && !before.ends_with('.') && !before.ends_with("functional as ");
  });
}

class Emitter {
 public:
  Emitter(const Rewriting& rewriting, std::string_view task_source)
      : rewriting_(rewriting), source_(task_source), graph_(rewriting.graph), index_(graph_) {
    settle_last_uses();
    collect_roots(graph_.result);
    name_kept_values();
  }

  std::string text(std::string_view class_name) {
    const std::string prepare = prepare_lines();
    const std::string forward = forward_lines();
    return fmt::format("\n\nclass {}(Model):\n", class_name) + docstring() + constructor() +
           prepare_method(prepare, class_name) + forward_method(forward, class_name);
  }

  // The class of a part of the model. `casts`: to another floating dtype, perhaps.
  std::string part_text(std::string_view class_name, bool casts) {
    const std::string prepare = prepare_lines();
    const std::string forward = forward_lines();
    // What Python makes of it by its class, such as a slice of a Sequential, is not prepared.
    return fmt::format("\n\nclass {}({}):\n", class_name, rewriting_.kind) + docstring() +
           "    is_prepared = False\n\n"
           "    @torch.no_grad()\n    def prepare_part(self):\n        self.is_prepared = True\n" +
           prepare + "\n" + part_forward(forward, casts);
  }

 private:
  void settle_last_uses() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (index_.is_static(graph_.nodes[i].name)) continue;
      for (const std::string& used : inputs_of(graph_.nodes[i])) last_use_[used] = i;
    }
  }

  bool is_source(const GraphNode& node) const {
    return node.arguments.empty() && !node.source.empty();
  }

  // A static value that a call needs and that is more than a weight: kept from prepare() on.
  bool is_kept(const GraphNode& node) const {
    if (!index_.is_static(node.name) || node.op == "weight" || node.is_tuple) return false;
    const auto& users = index_.users(node.name);
    const bool by_calls = std::ranges::any_of(
        users, [this](const std::string& user) { return !index_.is_static(user); });
    return by_calls || static_cast<int>(users.size()) < index_.uses(node.name);
  }

  // The first weight that a static value is made of; nullptr: it is made of constants.
  const GraphNode* weight_behind(const GraphNode& node) const {
    if (node.op == "weight") return &node;
    for (const std::string& used : inputs_of(node)) {
      if (const GraphNode* const found = weight_behind(index_.node(used))) return found;
    }
    return nullptr;
  }

  // Names of kept values: "derived_fc_weight" tells more than "mul_r2".
  void name_kept_values() {
    std::set<std::string> taken;
    for (const GraphNode& node : graph_.nodes) {
      if (!is_kept(node)) continue;
      const GraphNode* const weight = weight_behind(node);
      std::string name = "derived_" + (weight == nullptr ? node.name : weight->source.substr(5));
      for (char& c : name) {
        if (!is_of_name(c)) c = '_';
      }
      std::string unique = name;
      for (int i = 2; !ends_of(source_, unique).empty() || !taken.insert(unique).second; ++i) {
        unique = fmt::format("{}_{}", name, i);
      }
      kept_names_[node.name] = unique;
    }
  }

  // Wherever a user has put the model: no program may be of one GPU alone.
  std::string device_of_state() const {
    const auto weight = std::ranges::find_if(graph_.nodes, [](const GraphNode& node) {
      return node.op == "weight" && !node.state.empty();
    });
    return (weight == graph_.nodes.end() ? "[*self.parameters(), *self.buffers()][0]"
                                         : weight->source) +
           ".device";
  }

  // A call of torch.tensor.
  std::string constant_text(const GraphNode& node) const {
    if (node.source.find("device=") != std::string::npos) return node.source;
    return node.source.substr(0, node.source.size() - 1) + ", device=" + device_of_state() + ")";
  }

  // How a static value is written in prepare().
  std::string static_name(const std::string& name) const {
    if (name == k_device_of_state) return device_of_state();
    const GraphNode& node = index_.node(name);
    if (node.op == "weight") return node.source;
    const auto kept = kept_names_.find(name);
    return kept == kept_names_.end() ? name : kept->second;
  }

  std::string prepare_lines() {
    std::string lines;
    for (const GraphNode& node : graph_.nodes) {
      if (!index_.is_static(node.name) || node.op == "weight") continue;
      const std::string value =
          node.op == "constant"
              ? constant_text(node)
              : spell(node, [this](const std::string& name) { return static_name(name); }).text;
      const std::string name = static_name(node.name);
      lines += fmt::format("        {} = {}\n", name, value);
      if (!is_kept(node)) continue;
      if (node.op == k_is_causal) {
        lines += fmt::format("        self.{0} = {0}\n", name);
        continue;
      }
      // A buffer moves with the model, and is no part of its state.
      lines += fmt::format("        self.register_buffer(\"{0}\", {0}{1}, persistent=False)\n",
                           name, node.is_view ? ".clone()" : "");
    }
    return lines;
  }

  // How a node is written in forward().
  std::string name_in_call(const std::string& name) const {
    if (name == k_device_of_state) return device_of_state();
    const GraphNode& node = index_.node(name);
    if (node.op == "weight") return node.source;
    if (index_.is_static(name)) return "self." + static_name(name);
    const auto found = variables_.find(name);
    return found == variables_.end() ? name : found->second;
  }

  // The variable of an operand that nobody uses later, so that its memory is free again.
  std::string variable_for(const GraphNode& node, std::size_t at) {
    for (const std::string& used : inputs_of(node)) {
      const auto found = variables_.find(used);
      const bool done = found != variables_.end() && last_use_.at(used) == at &&
                        index_.users(used).size() == static_cast<std::size_t>(index_.uses(used));
      if (done && !taken_at_.contains({found->second, at})) {
        taken_at_.insert({found->second, at});
        return found->second;
      }
    }
    return node.name;
  }

  std::string forward_lines() {
    std::string lines;
    for (const GraphNode& node : graph_.nodes) {
      if (node.op != "input") continue;
      variables_[node.name] = node.name;
      if (node.source != node.name)
        lines += fmt::format("        {} = {}\n", node.name, node.source);
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      if (node.arguments.empty() && node.op == "input") continue;
      if (index_.is_static(node.name) || node.op == "weight" || node.op == "constant") continue;
      const std::string value =
          spell(node, [this](const std::string& name) { return name_in_call(name); }).text;
      if (node.is_effect && index_.uses(node.name) == 0) {
        lines += fmt::format("        {}\n", value);
        continue;
      }
      const std::string variable = variable_for(node, i);
      variables_[node.name] = variable;
      lines += fmt::format("        {} = {}\n", variable, value);
    }
    return lines + fmt::format("        return {}\n", result_text(graph_.result));
  }

  // Where a leaf that was memory of its own no longer is: it is an input's, a weight's, another
  // leaf's.
  bool must_copy(const GraphResult& leaf) const {
    if (!leaf.is_fresh || leaf.value.kind != GraphValue::Kind::node) return false;
    const GraphNode& root = root_of(leaf.value.text);
    if (is_source(root) || index_.is_static(root.name)) return true;
    return std::ranges::count(leaf_roots_, root.name) > 1;
  }

  // The node whose memory a value lies in.
  const GraphNode& root_of(const std::string& name) const {
    const GraphNode* node = &index_.node(name);
    while (node->is_view && !inputs_of(*node).empty()) {
      node = &index_.node(inputs_of(*node).front());
    }
    return *node;
  }

  void collect_roots(const GraphResult& result) {
    if (result.value.kind == GraphValue::Kind::node) {
      leaf_roots_.push_back(root_of(result.value.text).name);
    }
    for (const GraphResult& item : result.items) collect_roots(item);
  }

  std::string result_text(const GraphResult& result) const {
    if (result.kind == "leaf") {
      const std::string text =
          python_of(result.value, [this](const std::string& name) { return name_in_call(name); });
      return must_copy(result) ? text + ".clone()" : text;
    }
    std::vector<std::string> items;
    for (std::size_t i = 0; i < result.items.size(); ++i) {
      const std::string item = result_text(result.items[i]);
      items.push_back(result.kind == "dict" ? fmt::format("{}: {}", quoted(result.keys[i]), item)
                                            : item);
    }
    const std::string joined = fmt::format("{}", fmt::join(items, ", "));
    if (result.kind == "dict") return "{" + joined + "}";
    if (result.kind == "list") return "[" + joined + "]";
    return "(" + joined + (items.size() == 1 ? ",)" : ")");
  }

  std::string docstring() const {
    std::string text = fmt::format("    \"\"\"{}\n", k_docstring);
    std::map<std::string, std::pair<int, const Step*>> counted;
    std::vector<std::string> order;
    for (const Step& step : rewriting_.steps) {
      auto& [count, first] = counted[step.rule];
      if (count++ == 0) order.push_back(step.rule);
      if (first == nullptr) first = &step;
    }
    for (const std::string& rule : order) {
      const auto& [count, step] = counted[rule];
      text +=
          "\n" + wrapped(fmt::format("{}{}:", rule,
                                     count > 1 ? fmt::format(" ({} times)", count) : std::string()),
                         "    ");
      text += wrapped(step->reason, "        ");
    }
    return text + "    \"\"\"\n\n";
  }

  std::string constructor() const {
    return fmt::format(
        "    def __init__(self, *arguments):\n"
        "        super().__init__(*arguments)\n"
        "        self.is_as_derived = list(arguments) == {}\n\n",
        graph_.init);
  }

  std::string prepare_method(const std::string& lines, std::string_view class_name) const {
    if (lines.empty()) {
      return class_name == k_own_class ? "" : "    def prepare(self):\n        pass\n\n";
    }
    return "    @torch.no_grad()\n"
           "    def prepare(self):\n"
           "        \"\"\"Call once, after the weights are loaded.\"\"\"\n"
           "        if not self.is_as_derived:\n"
           "            return\n" +
           lines + "\n";
  }

  // A condition: the mode, sizes and dtypes of the call that the graph is of. What is split is
  // float32, and so are its scales unless the model was cast.
  std::string call_tests(bool casts) const {
    std::string tests = graph_.is_training ? "self.training" : "not self.training";
    const bool splits = std::ranges::any_of(
        graph_.nodes, [](const GraphNode& node) { return node.op == k_split_product; });
    for (const GraphNode& node : graph_.nodes) {
      if (node.op != "input") continue;
      const TensorSpec& spec = spec_of(node);
      tests += fmt::format("\n                and {0}.shape == ({1}{2}) and {0}.{3}", node.source,
                           fmt::join(spec.shape, ", "), spec.shape.size() == 1 ? "," : "",
                           casts && !splits && is_floating(spec) ? "is_floating_point()"
                                                                 : "dtype is torch." + spec.dtype);
    }
    for (const GraphNode& node : graph_.nodes) {
      if (node.op != k_split_scales || !is_kept(node)) continue;
      tests += fmt::format("\n                and self.{}.dtype is torch.float32",
                           kept_names_.at(node.name));
    }
    return tests;
  }

  // Whether forward() takes arguments that the call of the graph did not give.
  bool takes_more() const {
    return !graph_.parameters.empty() && graph_.parameters.back().starts_with('*');
  }

  // A part may be called in other forms too: those are its own forward's.
  std::string part_forward(const std::string& lines, bool casts) const {
    std::vector<std::string> plain = graph_.parameters;
    std::erase_if(plain, [](const std::string& name) { return name.starts_with('*'); });
    return fmt::format(
        "    def forward(self, *arguments, **named):\n"
        "        if named or len(arguments) != {0} \\\n"
        "                or not all(isinstance(value, torch.Tensor) for value in arguments):\n"
        "            return super().forward(*arguments, **named)\n"
        "        {1}{2} = arguments\n"
        "        if not (self.is_prepared and {3}):\n"
        "            return super().forward(*arguments)  # not what this was derived for\n"
        "{4}",
        plain.size(), fmt::join(plain, ", "), plain.size() == 1 ? "," : "", call_tests(casts),
        lines);
  }

  std::string forward_method(const std::string& lines, std::string_view class_name) const {
    const std::string parameters = fmt::format("{}", fmt::join(graph_.parameters, ", "));
    const std::string tests = std::string(takes_more() ? "not others and not named and " : "") +
                              "self.is_as_derived and " + call_tests(class_name != k_own_class);
    return fmt::format(
        "    def forward(self{0}{1}):\n"
        "        if not ({2}):\n"
        "            return super().forward({1})  # not what this was derived for\n"
        "{3}",
        parameters.empty() ? "" : ", ", parameters, tests, lines);
  }

  const Rewriting& rewriting_;
  std::string_view source_;  // of the task
  const Graph& graph_;
  GraphIndex index_;
  std::map<std::string, std::size_t> last_use_;
  std::map<std::string, std::string> variables_;
  std::set<std::pair<std::string, std::size_t>> taken_at_;
  std::vector<std::string> leaf_roots_;
  std::map<std::string, std::string> kept_names_;
};

// F.linear(..) as torch.nn.functional.linear(..): no tensor has methods of these names.
void write_out_functional(std::string& text) {
  constexpr std::string_view k_written_out = "torch.nn.functional.";
  const std::string call = std::string(k_functional) + ".";
  for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
    if (!begins_name(text, at)) continue;
    const std::size_t begin = at + call.size();
    std::size_t end = begin;
    while (end < text.size() && is_of_name(text[end])) ++end;
    if (end == text.size() || text[end] != '(') continue;
    if (!is_of_functional(std::string_view(text).substr(begin, end - begin))) continue;
    text.replace(at, call.size(), k_written_out);
  }
}

// "RewrittenBlock"; of a second part of that class another one.
std::vector<std::string> part_names(const std::vector<Rewriting>& parts) {
  std::vector<std::string> names;
  for (const Rewriting& part : parts) {
    const std::string plain = "Rewritten" + part.kind.substr(part.kind.rfind('.') + 1);
    std::string name = plain;
    for (int i = 2; std::ranges::find(names, name) != names.end(); ++i) {
      name = fmt::format("{}{}", plain, i);
    }
    names.push_back(name);
  }
  return names;
}

// The model is the task's; a part keeps its weights and gets another forward.
std::string parts_model(const Rewriting& rewriting, const std::vector<std::string>& names,
                        std::string_view class_name) {
  std::string exchanged;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const std::string& path : rewriting.parts[i].paths) {
      exchanged += fmt::format("            {}.__class__ = {}\n", path, names[i]);
    }
  }
  return fmt::format(
      "\n\nclass {}(Model):\n"
      "    \"\"\"The task's program, with parts that do the same with less work.\"\"\"\n\n"
      "    def __init__(self, *arguments):\n"
      "        super().__init__(*arguments)\n"
      "        if list(arguments) == {}:\n{}\n"
      "    def prepare(self):\n"
      "        \"\"\"Call once, after the weights are loaded.\"\"\"\n"
      "        for part in self.modules():\n"
      "            if isinstance(part, ({},)):\n"
      "                part.prepare_part()\n",
      class_name, rewriting.graph.init, exchanged, fmt::join(names, ", "));
}

std::string parts_text(const Rewriting& rewriting, std::string_view task_source,
                       std::string_view class_name) {
  std::vector<const Graph*> graphs;
  for (const Rewriting& part : rewriting.parts) graphs.push_back(&part.graph);
  const auto names = part_names(rewriting.parts);
  std::string text = own_functions(graphs);
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += Emitter(rewriting.parts[i], task_source).part_text(names[i], class_name != k_own_class);
  }
  return text + parts_model(rewriting, names, class_name);
}

}  // namespace

std::string expression(const GraphNode& node, const GraphIndex& index, int depth) {
  const NameOf name_of = [&](const std::string& name) -> std::string {
    if (name == k_device_of_state) return "device";
    const GraphNode& used = index.node(name);
    if (!used.source.empty()) return used.source;
    if (depth == 0 || index.uses(name) > 1) return name;
    return expression(used, index, depth - 1);
  };
  return spell(node, name_of).text;
}

std::string program_text(const Rewriting& rewriting, std::string_view task_source,
                         std::string_view class_name) {
  std::string text = rewriting.parts.empty() ? own_functions({&rewriting.graph}) +
                                                   Emitter(rewriting, task_source).text(class_name)
                                             : parts_text(rewriting, task_source, class_name);
  keep_apart(text, task_source);
  const bool taken = takes_functional(task_source);
  if (taken) write_out_functional(text);
  text.insert(text.find('\n') + 1,
              taken ? "import torch.nn.functional\n" : "import torch.nn.functional as F\n");
  return fmt::format(
      "# \"{0}\": the task's own source as it is, then {1}.\n{2}\n\n# --- {0} ---\n\n{3}",
      rewriting.name, class_name, task_source, text);
}

}  // namespace cupel::rewrite
