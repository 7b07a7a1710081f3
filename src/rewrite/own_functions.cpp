#include "rewrite/own_functions.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "rewrite/graph_index.h"

namespace cupel::rewrite {
namespace {

// The file of an operator; "" where it is none of ours.
std::string_view file_of(std::string_view op) {
  static const std::map<std::string_view, std::string_view> files{
      {"cupel.taps_read", "taps_read.py"},
      {k_layer_as_products, "layer_as_products.py"},
      {k_begun_with, "begun_with.py"},
      {k_with_part, "with_part.py"},
      {k_masked_attention, "masked_attention.py"},
      {k_is_causal, "is_causal.py"},
      {k_split_product, "split_product.py"}};
  const auto file = files.find(op);
  return file == files.end() ? std::string_view() : file->second;
}

// Of the functions and constants that files define, as they begin a line: "def NAME(", "NAME = ".
std::set<std::string> defined_names() {
  std::set<std::string> names;
  for (const EmbeddedFile& file : own_function_files()) {
    std::string_view text = file.text;
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      const bool is_function = line.starts_with("def ");
      if (is_function) line.remove_prefix(4);
      std::size_t end = 0;
      while (end < line.size() && is_of_name(line[end])) ++end;
      if (is_function || line.substr(end).starts_with(" = ")) names.emplace(line.substr(0, end));
    }
  }
  return names;
}

// A value of the program may have a function's name: only what is called is renamed, and constants.
void rename(std::string& text, const std::string& name, const std::string& now) {
  const bool is_constant = std::isupper(static_cast<unsigned char>(name.front())) != 0;
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + now.size())) {
    const std::size_t end = at + name.size();
    const char next = end < text.size() ? text[end] : '\n';
    const bool is_whole = is_constant ? !is_of_name(next) : next == '(';
    if (begins_name(text, at) && is_whole) text.replace(at, name.size(), now);
  }
}

}  // namespace

std::string own_functions(const std::vector<const Graph*>& graphs) {
  std::string text = "import torch\n";
  std::set<std::string_view> seen;
  for (const Graph* const graph : graphs) {
    for (const GraphNode& node : graph->nodes) {
      const std::string_view file = file_of(node.op);
      if (file.empty() || !seen.insert(file).second) continue;
      text.append("\n\n").append(embedded_text(own_function_files(), file)).append("\n");
    }
  }
  return text;
}

void keep_apart(std::string& text, std::string_view source) {
  static const std::set<std::string> names = defined_names();
  for (const std::string& name : names) {
    if (ends_of(source, name).empty()) continue;
    std::string now = name;
    do now += "_";
    while (!ends_of(source, now).empty());
    rename(text, name, now);
  }
}

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool begins_name(std::string_view text, std::size_t at) {
  return at == 0 || (!is_of_name(text[at - 1]) && text[at - 1] != '.');
}

std::vector<std::size_t> ends_of(std::string_view source, std::string_view name) {
  std::vector<std::size_t> ends;
  for (std::size_t at = source.find(name); at != source.npos; at = source.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_of_name(source[at - 1]);
    if (begins && (end == source.size() || !is_of_name(source[end]))) ends.push_back(end);
  }
  return ends;
}

}  // namespace cupel::rewrite
