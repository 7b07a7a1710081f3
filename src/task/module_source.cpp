#include "task/module_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/words.h"
#include "task/task_files.h"

namespace cupel::task {
namespace {

constexpr const char* k_any_tensors =
    "\n    def forward(self, *inputs):\n        return {}(*inputs)\n";
constexpr std::string_view k_name_hint = "name a class as package.module:Class";

bool is_identifier(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front()))) return false;
  return std::all_of(text.begin(), text.end(), &is_word_char);
}

bool is_dotted_name(std::string_view text) {
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
    if (!is_identifier(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
  return is_identifier(text);
}

char closing(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Follows brackets and quotes through a Python expression.
class BracketScan {
 public:
  // False at the first bracket that closes nothing.
  bool step(char c) {
    if (quote_ != 0) return step_in_quotes(c);
    if (c == '\'' || c == '"') quote_ = c;
    if (c == '(' || c == '[' || c == '{') open_ += c;
    if (c != ')' && c != ']' && c != '}') return true;
    if (open_.empty() || closing(open_.back()) != c) return false;
    open_.pop_back();
    return true;
  }
  bool balanced() const { return open_.empty() && quote_ == 0; }

 private:
  bool step_in_quotes(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == quote_) {
      quote_ = 0;
    }
    return true;
  }

  std::string open_;
  char quote_ = 0;
  bool escaped_ = false;
};

// One list from its first to its last character: "[1], [2]" is not.
bool is_one_list(std::string_view text) {
  if (text.empty() || text.front() != '[') return false;
  BracketScan scan;
  for (std::size_t i = 0; i < text.size(); ++i) {
    scan.step(text[i]);
    if (scan.balanced()) return i + 1 == text.size();
  }
  return false;
}

std::string sizes_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (const std::int64_t size : shape) text += fmt::format("{}, ", size);
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();
  return text + ")";
}

std::string tensor_text(const InputTensor& tensor) {
  const std::string sizes = sizes_text(tensor.shape);
  if (tensor.dtype == "float32") return fmt::format("torch.randn({})", sizes);
  if (tensor.dtype == "bool")
    return fmt::format("torch.randint(0, 2, {}, dtype=torch.bool)", sizes);
  if (tensor.bound == 0) return fmt::format("torch.randn({}, dtype=torch.{})", sizes, tensor.dtype);
  return fmt::format("torch.randint(0, {}, {}, dtype=torch.{})", tensor.bound, sizes, tensor.dtype);
}

std::string input_lines(const std::vector<InputTensor>& inputs) {
  std::string lines;
  for (const InputTensor& tensor : inputs)
    lines += fmt::format("        {},\n", tensor_text(tensor));
  return lines;
}

bool takes_keywords(const std::vector<InputTensor>& inputs) {
  return !inputs.empty() && !inputs.back().keyword.empty();
}

// A forward that takes the tensors one by one, and hands them on as the user's program would.
std::string forward_text(const std::vector<InputTensor>& inputs, std::string_view target) {
  std::string parameters;
  std::string arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& keyword = inputs[i].keyword;
    const std::string name = keyword.empty() ? fmt::format("input_{}", i) : keyword;
    parameters += ", " + name;
    arguments += (i == 0 ? "" : ", ") + (keyword.empty() ? name : keyword + "=" + name);
  }
  return fmt::format("\n    def forward(self{}):\n        return {}({})\n", parameters, target,
                     arguments);
}

}  // namespace

Result<ModuleName> parse_module_name(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto module = text.substr(0, colon);
  const auto class_name = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (!is_dotted_name(module)) {
    return input_error(fmt::format("'{}' is not a module's name", module), std::string(text),
                       std::string(k_name_hint));
  }
  if (!is_identifier(class_name)) {
    return input_error(fmt::format("'{}' is not a class name", class_name), std::string(text),
                       std::string(k_name_hint));
  }
  return ModuleName{std::string(module), std::string(class_name)};
}

Result<std::string> normalize_init(std::string_view text) {
  text = trimmed(text);
  BracketScan scan;
  bool matched = text.find_first_of("\r\n#") == std::string_view::npos;
  for (const char c : text) matched = matched && scan.step(c);
  if (!matched || !scan.balanced()) {
    return input_error(fmt::format("'{}' is no list of constructor arguments", text), "--init",
                       "write Python values, for instance --init \"[256, 4]\"");
  }
  return is_one_list(text) ? std::string(text) : fmt::format("[{}]", text);
}

bool names_function(const ModuleName& name) {
  const std::size_t first = name.class_name.find_first_not_of('_');
  return first != std::string::npos &&
         std::islower(static_cast<unsigned char>(name.class_name[first])) != 0;
}

std::string function_task_source(const ModuleName& name, const std::vector<InputTensor>& inputs) {
  return filled(embedded_text(task_files(), "function_task.py"),
                {{"module", name.module},
                 {"name", name.class_name},
                 {"forward", takes_keywords(inputs) ? forward_text(inputs, name.class_name)
                                                    : fmt::format(k_any_tensors, name.class_name)},
                 {"inputs", input_lines(inputs)}});
}

std::string module_task_source(const ModuleName& name, const std::vector<InputTensor>& inputs,
                               std::string_view init_list, Mode mode) {
  const bool serves = mode == Mode::inference;
  return filled(
      embedded_text(task_files(), "class_task.py"),
      {{"module", name.module},
       {"class_name", name.class_name},
       {"inputs", input_lines(inputs)},
       {"mode", serves ? "as it is served: in inference mode" : "as its constructor leaves it"},
       {"eval", serves ? "        self.eval()\n" : ""},
       {"forward", takes_keywords(inputs) ? forward_text(inputs, "super().forward") : ""},
       {"init", init_list}});
}

}  // namespace cupel::task
