#include "propose/replies/mend.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/words.h"
#include "propose/python_text.h"
#include "propose/replies/cpp_includes.h"

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != npos;
}

// --- characters ---------------------------------------------------------------------------------

struct Spelling {
  std::string_view wrong;  // UTF-8 that is a syntax error outside of strings and comments
  std::string_view right;
};
constexpr Spelling k_spellings[] = {
    {"\xe2\x80\x9c", "\""}, {"\xe2\x80\x9d", "\""}, {"\xe2\x80\x98", "'"}, {"\xe2\x80\x99", "'"},
    {"\xc2\xa0", " "},      {"\xe2\x80\x8b", ""},   {"\xef\xbb\xbf", ""},
};

// Appends what stands at `at`, mended where it is misspelled; returns how many bytes it took.
std::size_t append_mended(const std::string& source, std::size_t at, std::string& out) {
  for (const Spelling& spelling : k_spellings) {
    if (source.compare(at, spelling.wrong.size(), spelling.wrong) == 0) {
      out += spelling.right;
      return spelling.wrong.size();
    }
  }
  out += source[at];
  return 1;
}

bool mend_quotes(std::string& source, std::string_view) {
  const auto misspelled = [&](const Spelling& one) { return contains(source, one.wrong); };
  if (std::none_of(std::begin(k_spellings), std::end(k_spellings), misspelled)) return false;
  const std::string code = scan_python(source).code;
  std::string out;
  for (std::size_t at = 0; at < source.size();) {
    if (code[at] == source[at] && (source[at] & 0x80) != 0) {
      at += append_mended(source, at, out);
    } else {
      out += source[at++];
    }
  }
  return std::exchange(source, std::move(out)) != source;
}

// --- lines --------------------------------------------------------------------------------------

// Keeps the lines for which `keep(line, offset)` says so.
template <class Keep>
bool keep_lines(std::string& source, Keep keep) {
  std::string out;
  for (const std::string_view line : lines_of(source)) {
    const auto offset = static_cast<std::size_t>(line.data() - source.data());
    const bool ended = offset + line.size() < source.size();
    if (keep(line, offset)) out.append(line).append(ended ? "\n" : "");
  }
  return std::exchange(source, std::move(out)) != source;
}

bool mend_fences(std::string& source, std::string_view) {
  if (!contains(source, "```") && !contains(source, "~~~")) return false;
  const std::string code = scan_python(source).code;
  return keep_lines(source, [&](std::string_view, std::size_t offset) {
    const std::string_view seen = trimmed(std::string_view(code).substr(offset, 3));
    return seen != "```" && seen != "~~~";
  });
}

bool indents_with(std::string_view code, char blank) {
  return code.starts_with(blank) || contains(code, std::string("\n") + blank);
}

// Tabs and spaces that take turns: every tab becomes four spaces, which keeps equal indentations
// equal and deeper ones deeper.
bool mend_tabs(std::string& source, std::string_view) {
  const PythonText text = scan_python(source);
  if (!indents_with(text.code, '\t') || !indents_with(text.code, ' ')) return false;
  std::string out;
  auto literal = text.strings.begin();
  bool indenting = true;
  for (std::size_t at = 0; at < source.size(); ++at) {
    while (literal != text.strings.end() && literal->end < at) ++literal;
    const bool inside = literal != text.strings.end() && literal->begin <= at && at < literal->end;
    const char c = source[at];
    if (indenting && c == '\t' && !inside)
      out += "    ";
    else
      out += c;
    indenting = c == '\n' || (indenting && (c == ' ' || c == '\t'));
  }
  return std::exchange(source, std::move(out)) != source;
}

// --- statements ---------------------------------------------------------------------------------

void erase(std::string& source, const std::vector<Statement>& statements) {
  for (auto one = statements.rbegin(); one != statements.rend(); ++one) {
    source.erase(one->begin, one->end - one->begin);
  }
}

bool is_definition(std::string_view word) {
  return word == "class" || word == "def" || word == "async" || word == "import" || word == "from";
}

// A block that never runs where the file is imported; and, at the end of the file, statements that
// call the task's get_inputs(), which a candidate does not have.
bool mend_test_code(std::string& source, std::string_view) {
  const PythonText text = scan_python(source);
  std::vector<Statement> doomed, tail;
  const bool has_inputs = binds(text, "get_inputs") || binds(text, "get_init_inputs");
  for (const Statement& statement : top_level(text)) {
    const auto code = std::string_view(text.code).substr(0, statement.end).substr(statement.head);
    const bool is_main = code.starts_with("if __name__");
    if (is_main) doomed.push_back(statement);
    if (is_main || is_definition(word_at(code, 0))) {
      tail.clear();
    } else if (!tail.empty() || find_word(code, "get_inputs") != npos ||
               find_word(code, "get_init_inputs") != npos) {
      tail.push_back(statement);
    }
  }
  if (!has_inputs) doomed.insert(doomed.end(), tail.begin(), tail.end());
  std::sort(doomed.begin(), doomed.end(),
            [](const Statement& a, const Statement& b) { return a.begin < b.begin; });
  erase(source, doomed);
  return !doomed.empty();
}

bool derives_from_module(const ClassHead& head) {
  return contains(head.bases, "Module") || contains(head.bases, "Model");
}

// The class that was meant: the only module, else Model, else the one that no other one uses.
std::string meant_class(const PythonText& text) {
  std::vector<ClassHead> modules;
  for (ClassHead& head : top_level_classes(text)) {
    if (derives_from_module(head)) modules.push_back(std::move(head));
  }
  if (modules.size() == 1) return modules.front().name;
  std::vector<std::string> unused;
  for (const ClassHead& head : modules) {
    if (head.name == "Model") return head.name;
    const std::size_t first = find_word(text.code, head.name);
    if (find_word(text.code, head.name, first + 1) == npos) unused.push_back(head.name);
  }
  return unused.size() == 1 ? unused.front() : "";
}

bool mend_class(std::string& source, std::string_view) {
  const PythonText text = scan_python(source);
  if (binds(text, "ModelNew") || !text.open.empty()) return false;
  const std::string meant = meant_class(text);
  if (meant.empty()) return false;
  if (!source.ends_with('\n')) source += '\n';
  source += "\n\nModelNew = " + meant + "\n";
  return true;
}

// --- imports ------------------------------------------------------------------------------------

struct Import {
  std::string_view name;
  char use;  // what must follow the name where it is used
  std::string_view line;
};
constexpr Import k_imports[] = {
    {"torch", '.', "import torch"},
    {"nn", '.', "import torch.nn as nn"},
    {"F", '.', "import torch.nn.functional as F"},
    {"math", '.', "import math"},
    {"os", '.', "import os"},
    {"triton", '.', "import triton"},
    {"tl", '.', "import triton.language as tl"},
    {"cpp_kernel", '(', "from cupel.inline import cpp_kernel"},
    {"cuda_kernel", '(', "from cupel.inline import cuda_kernel"},
    {"load_inline", '(', "from torch.utils.cpp_extension import load_inline"},
};

bool uses(std::string_view code, const Import& import) {
  for (std::size_t at = find_word(code, import.name); at != npos;
       at = find_word(code, import.name, at + 1)) {
    const std::size_t end = at + import.name.size();
    const bool member = at > 0 && code[at - 1] == '.';
    if (!member && end < code.size() && code[end] == import.use) return true;
  }
  return false;
}

// Behind the module's docstring and imports from __future__, which must come first.
std::size_t import_place(const std::string& source, const PythonText& text) {
  std::size_t place = 0;
  for (const Statement& statement : top_level(text)) {
    const std::string_view code = std::string_view(source).substr(statement.begin);
    const bool docstring = text.code[statement.begin] == '"' || text.code[statement.begin] == '\'';
    if (!docstring && !code.starts_with("from __future__")) break;
    place = statement.end;
  }
  return place;
}

bool mend_imports(std::string& source, std::string_view) {
  const PythonText text = scan_python(source);
  std::string lines;
  for (const Import& import : k_imports) {
    if (!uses(text.code, import) || binds(text, import.name)) continue;
    lines.append(import.line).append("\n");
  }
  const bool star = contains(text.code, "import *");  // it may bring any name
  if (lines.empty() || star || !text.open.empty()) return false;
  source.insert(import_place(source, text), lines);
  return true;
}

// --- C++ inside ---------------------------------------------------------------------------------

bool mend_includes(std::string& source, std::string_view) {
  const PythonText text = scan_python(source);
  const bool cpp = find_word(text.code, "cpp_kernel") != npos;
  const bool cuda = find_word(text.code, "cuda_kernel") != npos;
  bool changed = false;
  for (auto one = text.strings.rbegin(); one != text.strings.rend(); ++one) {
    const std::string_view inside =
        std::string_view(source).substr(one->begin, one->end - one->begin);
    const bool is_cuda = contains(inside, "__global__");
    if (!one->triple || !contains(inside, "extern") || !(is_cuda ? cuda : cpp)) continue;
    const std::string lines = missing_includes(inside, is_cuda);
    if (lines.empty()) continue;
    source.insert(one->begin + (inside.starts_with('\n') ? 1 : 0), lines);
    changed = true;
  }
  return changed;
}

// --- the device ---------------------------------------------------------------------------------

bool erase_calls(std::string& source, std::string_view call) {
  const std::string code = scan_python(source).code;
  bool changed = false;
  for (std::size_t at = source.rfind(call); at != npos;
       at = at == 0 ? npos : source.rfind(call, at - 1)) {
    if (code[at] != '.') continue;  // inside a string
    source.erase(at, call.size());
    changed = true;
  }
  return changed;
}

// There is no GPU on a CPU's run: moving something to one can only raise. Left alone where the
// program asks whether there is one.
bool mend_device(std::string& source, std::string_view device) {
  if (device != "cpu" || contains(source, "is_available")) return false;
  bool changed = false;
  for (const std::string_view call : {".cuda()", ".to(\"cuda\")", ".to('cuda')"}) {
    if (contains(source, call)) changed = erase_calls(source, call) || changed;
  }
  return changed;
}

struct Rule {
  std::string_view name;
  bool (*apply)(std::string& source, std::string_view device);  // whether it changed anything
};
constexpr Rule k_rules[] = {
    {"code fence", mend_fences},
    {"typographic characters", mend_quotes},
    {"tabs", mend_tabs},
    {"test code", mend_test_code},
    {"renamed class", mend_class},
    {"missing import", mend_imports},
    {"missing include", mend_includes},
    {"moved to a GPU", mend_device},
};

// A class of the file's own, or one that was imported, may bring it.
bool has_forward(const PythonText& text, const ClassHead& head) {
  const std::string_view code = text.code;
  return find_word(code.substr(0, head.end), "forward", head.at) != npos ||
         !(head.bases == "nn.Module" || head.bases == "torch.nn.Module" || head.bases == "Module");
}

}  // namespace

Mended mend(std::string source, std::string_view device) {
  Mended mended{std::move(source), {}};
  for (const Rule& rule : k_rules) {
    if (rule.apply(mended.source, device)) mended.rules.emplace_back(rule.name);
  }
  return mended;
}

std::string why_unusable(std::string_view source) {
  if (trimmed(source).empty()) return "it is empty";
  const PythonText text = scan_python(source);
  if (!text.open.empty()) {
    return "the code ends inside of " + text.open + " that begins in line " +
           std::to_string(line_number(source, text.open_at)) + ": it is cut off or malformed";
  }
  if (!binds(text, "ModelNew")) return "the code defines no class ModelNew";
  for (const ClassHead& head : top_level_classes(text)) {
    if (head.name == "ModelNew" && !has_forward(text, head)) return "ModelNew has no forward";
  }
  return "";
}

}  // namespace cupel::propose
