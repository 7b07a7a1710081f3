#include "propose/python_text.h"

#include <algorithm>
#include <cctype>

#include "base/words.h"

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;
// So far back is looked for the beginning of a line; keeps one endless line from taking for ever.
constexpr std::size_t k_line_bytes_seen = 512;

bool is_quote(char c) {
  return c == '"' || c == '\'';
}

// Walks the source once; keeps the brackets that are open.
class Scanner {
 public:
  explicit Scanner(std::string_view source) : source_(source) { text_.code = source; }

  PythonText run() {
    while (at_ < source_.size()) step();
    if (text_.open.empty() && !brackets_.empty()) {
      text_.open = std::string("'") + source_[brackets_.back()] + "'";
      text_.open_at = brackets_.back();
    }
    return std::move(text_);
  }

 private:
  void step() {
    const char c = source_[at_];
    if (c == '#') return blank_until(std::min(source_.find('\n', at_), source_.size()));
    if (is_quote(c)) return string();
    if (c == '(' || c == '[' || c == '{') brackets_.push_back(at_);
    if ((c == ')' || c == ']' || c == '}') && !brackets_.empty()) brackets_.pop_back();
    ++at_;
  }

  void blank_until(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (source_[at_] != '\n') text_.code[at_] = ' ';
    }
  }

  bool has_raw_prefix() const {
    for (std::size_t i = at_; i > 0 && at_ - i < 2; --i) {
      const char c = source_[i - 1];
      if (c == 'r' || c == 'R') return true;
      if (!is_word_char(c)) return false;
    }
    return false;
  }

  void string() {
    const std::size_t start = at_;
    const char quote = source_[at_];
    const bool triple = source_.substr(at_, 3) == std::string(3, quote);
    const std::string close(triple ? 3 : 1, quote);
    PythonString literal{at_ + close.size(), 0, triple, has_raw_prefix()};
    at_ = literal.begin;
    while (at_ < source_.size() && source_.compare(at_, close.size(), close) != 0) {
      if (!triple && source_[at_] == '\n') return unfinished(start, literal);
      skip_inside();
    }
    if (at_ >= source_.size()) return unfinished(start, literal);
    literal.end = at_;
    text_.strings.push_back(literal);
    at_ += close.size();
  }

  void skip_inside() {
    const std::size_t step = source_[at_] == '\\' ? 2 : 1;
    for (std::size_t i = 0; i < step && at_ < source_.size(); ++i, ++at_) {
      if (source_[at_] != '\n') text_.code[at_] = ' ';
    }
  }

  void unfinished(std::size_t start, PythonString literal) {
    literal.end = std::min(at_, source_.size());
    text_.strings.push_back(literal);
    if (!text_.open.empty()) return;
    text_.open = "a string";
    text_.open_at = start;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  PythonText text_;
  std::vector<std::size_t> brackets_;
};

bool continues(std::string_view word) {
  return word == "else" || word == "elif" || word == "except" || word == "finally";
}

// The offsets of lines that begin a statement or a decorator: not indented, not inside brackets
// or a string.
std::vector<std::size_t> starts_of(const PythonText& text) {
  std::vector<std::size_t> starts;
  const std::string& code = text.code;
  int depth = 0;
  auto literal = text.strings.begin();
  for (std::size_t at = 0, line = 0; at < code.size(); ++at) {
    while (literal != text.strings.end() && literal->end < line) ++literal;
    const bool in_string =
        literal != text.strings.end() && literal->begin < line && line <= literal->end;
    if (at == line && depth == 0 && !in_string &&
        !std::isspace(static_cast<unsigned char>(code[at])) && !continues(word_at(code, at)) &&
        code[at] != ')' && code[at] != ']' && code[at] != '}') {
      starts.push_back(at);
    }
    if (code[at] == '(' || code[at] == '[' || code[at] == '{') ++depth;
    if ((code[at] == ')' || code[at] == ']' || code[at] == '}') && depth > 0) --depth;
    if (code[at] == '\n') line = at + 1;
  }
  return starts;
}

// Whether the word at [at, at + size) is bound by what stands around it on its line.
bool is_bound_here(std::string_view code, std::size_t at, std::size_t size) {
  const std::string_view seen = code.substr(0, at).substr(at - std::min(at, k_line_bytes_seen));
  const std::string_view before = trimmed(seen.substr(seen.rfind('\n') + 1));
  const std::size_t next = skip_blanks(code, at + size);
  const char after = next < code.size() ? code[next] : '\n';
  const char second = next + 1 < code.size() ? code[next + 1] : '\n';
  if (before.ends_with('.')) return false;
  for (const std::string_view word : {"import", "as", "def", "class", "for", "global"}) {
    if (before == word || before.ends_with(std::string(" ") + std::string(word))) return true;
  }
  if (before.starts_with("import ") || before.starts_with("from ")) return true;
  if (before.starts_with("def ") || before.starts_with("lambda ")) return true;
  if (after == '=' && second != '=') return true;
  return before.empty() && (after == ',' || after == ')' || after == '\n');  // of several lines
}

void add_statement_names(std::string_view head, std::vector<std::string>& names) {
  const std::string_view first = word_at(head, 0);
  if (first == "class" || first == "def") {
    names.emplace_back(word_at(head, skip_blanks(head, first.size())));
    return;
  }
  const std::size_t equals = head.find('=');
  const bool imports = first == "import" || first == "from";
  const std::size_t stop = imports ? head.size() : equals;
  if (stop == npos || (!imports && head.substr(equals, 2) == "==")) return;
  for (std::size_t at = 0; at < stop; ++at) {
    const std::string_view word = word_at(head, at);
    if (word.empty()) continue;
    if (at == 0 || head[at - 1] != '.') names.emplace_back(word);
    at += word.size();
  }
}

}  // namespace

PythonText scan_python(std::string_view source) {
  return Scanner(source).run();
}

std::vector<Statement> top_level(const PythonText& text) {
  std::vector<Statement> statements;
  bool decorated = false;
  for (const std::size_t start : starts_of(text)) {
    if (decorated) {
      statements.back().head = start;
    } else {
      if (!statements.empty()) statements.back().end = start;
      statements.push_back({start, text.code.size(), start});
    }
    decorated = text.code[start] == '@';
  }
  return statements;
}

std::vector<ClassHead> top_level_classes(const PythonText& text) {
  std::vector<ClassHead> classes;
  for (const Statement& statement : top_level(text)) {
    const std::string_view code = std::string_view(text.code).substr(0, statement.end);
    if (word_at(code, statement.head) != "class") continue;
    const std::size_t name_at = skip_blanks(code, statement.head + 5);
    ClassHead head{std::string(word_at(code, name_at)), "", statement.begin, statement.end};
    std::size_t at = skip_blanks(code, name_at + head.name.size());
    if (at < code.size() && code[at] == '(') {
      for (++at; at < code.size() && code[at] != ')'; ++at) {
        if (!std::isspace(static_cast<unsigned char>(code[at]))) head.bases += code[at];
      }
    }
    if (!head.name.empty()) classes.push_back(std::move(head));
  }
  return classes;
}

bool binds(const PythonText& text, std::string_view name) {
  const std::string_view code = text.code;
  for (std::size_t at = find_word(code, name); at != npos; at = find_word(code, name, at + 1)) {
    if (is_bound_here(code, at, name.size())) return true;
  }
  return false;
}

std::vector<std::string> top_level_names(const PythonText& text) {
  std::vector<std::string> names;
  for (const Statement& statement : top_level(text)) {
    const std::string_view code = text.code;
    const std::size_t line_end = std::min(code.find('\n', statement.head), statement.end);
    add_statement_names(code.substr(statement.head, line_end - statement.head), names);
  }
  return names;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || std::isdigit(static_cast<unsigned char>(text[at])) != 0) return {};
  std::size_t end = at;
  while (end < text.size() && is_word_char(text[end])) ++end;
  return text.substr(at, end - at);
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == npos ? text.size() : end + 1);
  }
  return lines;
}

std::string docstring_of(const std::string& source) {
  const PythonText text = scan_python(source);
  const std::vector<Statement> statements = top_level(text);
  if (statements.empty() || text.strings.empty()) return "";
  const PythonString& first = text.strings.front();
  const std::size_t opened = statements.front().begin + (first.triple ? 3 : 1);
  if (first.begin != opened) return "";
  return source.substr(first.begin, first.end - first.begin);
}

int line_number(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

}  // namespace cupel::propose
