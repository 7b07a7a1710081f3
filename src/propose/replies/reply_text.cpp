#include "propose/replies/reply_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "propose/python_text.h"

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view k_replacement = "\xef\xbf\xbd";  // U+FFFD

// How many bytes the UTF-8 character at the front takes; 0 if it is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : size;
}

// Some chat templates hold the opening mark, so that a reply begins with thoughts and has the
// closing one alone, on a line of its own.
std::string_view without_thoughts(std::string_view text) {
  constexpr std::string_view k_open = "<think>", k_close = "</think>";
  const std::size_t end = text.rfind(k_close);
  if (end == npos) return text;
  const std::string_view after = text.substr(end + k_close.size());
  const bool opened = trimmed(text.substr(0, 64)).starts_with(k_open);
  const bool alone = (end == 0 || text[end - 1] == '\n') && (after.empty() || after[0] == '\n');
  const bool never_opened = text.substr(0, end).find(k_open) == npos;
  return opened || (alone && never_opened) ? after : text;
}

struct Fence {
  char mark = '`';
  std::size_t count = 0;  // 0: the line is no fence
  std::size_t indent = 0;
  std::string_view info;
};

Fence fence_of(std::string_view line) {
  Fence fence;
  fence.indent = skip_blanks(line, 0);
  const std::string_view rest = line.substr(fence.indent);
  if (rest.empty() || (rest[0] != '`' && rest[0] != '~')) return {};
  fence.mark = rest[0];
  fence.count = std::min(rest.find_first_not_of(fence.mark), rest.size());
  fence.info = trimmed(rest.substr(fence.count));
  // A back-tick later in the line makes it a piece of inline code.
  if (fence.count < 3 || fence.info.find('`') != npos) return {};
  return fence;
}

// How the line stands to the open fence.
bool closes(const Fence& open, const Fence& line) {
  return line.count >= open.count && line.mark == open.mark && line.info.empty();
}
bool reopens(const Fence& open, const Fence& line) {
  return line.count == open.count && line.mark == open.mark && !line.info.empty() &&
         line.indent == open.indent;
}

CodeBlock block_of(const Fence& fence) {
  const std::string_view word = fence.info.substr(0, fence.info.find_first_of(" {:"));
  return {lower_case(word), "", false};
}

// Calls `prose(line)` outside of blocks; returns the blocks.
template <class Prose>
std::vector<CodeBlock> take_apart(std::string_view text, Prose prose) {
  std::vector<CodeBlock> blocks;
  Fence open;
  for (const std::string_view line : lines_of(text)) {
    const Fence fence = fence_of(line);
    if (open.count == 0 && fence.count == 0) {
      prose(line);
    } else if (open.count == 0 || (fence.count != 0 && reopens(open, fence))) {
      open = fence;
      blocks.push_back(block_of(fence));
    } else if (fence.count != 0 && closes(open, fence)) {
      blocks.back().closed = true;
      open = {};
    } else {  // a block of a list's item is indented as a whole
      const std::size_t indent = std::min(open.indent, skip_blanks(line, 0));
      blocks.back().text.append(line.substr(indent)).append("\n");
    }
  }
  return blocks;
}

constexpr auto k_statement_words = std::to_array<std::string_view>(
    {"import", "from",  "class",  "def",   "if",   "for",     "while",
     "with",   "try",   "except", "else",  "elif", "finally", "return",
     "assert", "async", "del",    "raise", "pass", "global",  "print"});

// A line at the margin that reads as a sentence and not as Python.
bool is_prose(std::string_view line) {
  const std::string_view word = word_at(line, 0);
  if (word.empty()) {
    return line.starts_with("- ") || line.starts_with("* ") || line.starts_with("**") ||
           (!line.empty() && std::isdigit(static_cast<unsigned char>(line[0])) != 0) ||
           (!line.empty() && (line[0] & 0x80) != 0);
  }
  for (const std::string_view known : k_statement_words) {
    if (word == known) return false;
  }
  const std::size_t next = skip_blanks(line, word.size());
  if (next >= line.size()) return true;
  return std::string_view("=.([:,+-*/|&").find(line[next]) == npos ||
         (line[next] == ',' && line.find('=') == npos) ||
         (line[next] == '.' && next + 1 >= line.size());
}

bool begins_module(std::string_view line) {
  const bool imports = line.starts_with("from ") && line.find(" import ") != npos;
  return imports || line.starts_with("import ") || line.starts_with("\"\"\"") ||
         line.starts_with("class ") || line.starts_with("@") || line.starts_with("r\"\"\"");
}

std::size_t end_of_module(std::string_view module) {
  const PythonText text = scan_python(module);
  std::size_t end = 0;
  for (const Statement& statement : top_level(text)) {
    const std::size_t line_end = std::min(module.find('\n', statement.begin), module.size());
    if (is_prose(module.substr(statement.begin, line_end - statement.begin))) break;
    end = statement.end;
  }
  return end;
}

}  // namespace

std::string regular_text(std::string_view text) {
  text = without_thoughts(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_bytes(text);
    const char c = text.front();
    if (c == '\r') {
      if (!text.substr(1).starts_with('\n')) out += '\n';
    } else if (size == 0) {
      out += k_replacement;
    } else if (c != '\0' && !(out.empty() && text.starts_with("\xef\xbb\xbf"))) {
      out += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

std::vector<CodeBlock> code_blocks(std::string_view text) {
  return take_apart(text, [](std::string_view) {});
}

std::string prose_of(std::string_view text) {
  std::string prose;
  take_apart(text, [&](std::string_view line) { prose.append(line).append("\n"); });
  return prose;
}

std::string bare_module(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    if (!begins_module(line) || is_prose(line)) continue;
    const std::string_view module =
        text.substr(static_cast<std::size_t>(line.data() - text.data()));
    return std::string(module.substr(0, end_of_module(module)));
  }
  return "";
}

}  // namespace cupel::propose
