#include "propose/replies/edits.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "propose/python_text.h"

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;
// More than any honest reply holds; bounds the time that applying takes.
constexpr std::size_t k_edits_max = 64;
constexpr std::size_t k_shown_bytes = 80;  // of a line, in an error

using Lines = std::vector<std::string_view>;

// --- finding edits ------------------------------------------------------------------------------

bool opens_search(std::string_view line) {
  return line.starts_with("<<<<<<<");
}
bool divides(std::string_view line) {
  return line.starts_with("=======") && trimmed(line).find_first_not_of('=') == npos;
}
bool closes_replace(std::string_view line) {
  return line.starts_with(">>>>>>>");
}
bool is_hunk(std::string_view line) {
  return line.starts_with("@@");
}

std::vector<Edit> search_edits(const Lines& lines) {
  enum class Part { outside, search, replace } part = Part::outside;
  std::vector<Edit> edits;
  Edit edit;
  for (const std::string_view line : lines) {
    const std::string_view mark = trimmed(line);
    if (opens_search(mark)) {
      edit = {};
      part = Part::search;
    } else if (part == Part::search && divides(mark)) {
      part = Part::replace;
    } else if (part == Part::replace && closes_replace(mark)) {
      edits.push_back(std::exchange(edit, {}));
      part = Part::outside;
    } else if (part != Part::outside) {
      (part == Part::search ? edit.search : edit.replace).append(line).append("\n");
    }
  }
  return edits;
}

bool is_file_line(std::string_view line) {
  return line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("diff ") ||
         line.starts_with("index ") || line.starts_with("\\ No newline");
}

void add_diff_line(std::string_view line, Edit& edit) {
  const char sign = line.empty() ? ' ' : line.front();
  const bool signed_line = sign == '+' || sign == '-' || sign == ' ';
  const std::string_view rest = signed_line && !line.empty() ? line.substr(1) : line;
  if (sign != '+') edit.search.append(rest).append("\n");
  if (sign != '-') edit.replace.append(rest).append("\n");
}

std::vector<Edit> diff_edits(const Lines& lines) {
  std::vector<Edit> edits;
  bool inside = false;
  for (const std::string_view line : lines) {
    if (is_hunk(line)) {
      edits.emplace_back();
      inside = true;
    } else if (line.starts_with("```") || is_file_line(line)) {
      inside = false;
    } else if (inside) {
      add_diff_line(line, edits.back());
    }
  }
  std::erase_if(edits, [](const Edit& edit) { return edit.search == edit.replace; });
  return edits;
}

// --- applying -----------------------------------------------------------------------------------

std::string_view as_it_is(std::string_view line) {
  return line;
}
std::string_view without_end(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t") + 1);
}
std::string_view without_indent(std::string_view line) {
  return trimmed(line);
}
using Likeness = std::string_view (*)(std::string_view);

std::vector<std::size_t> hashes(const Lines& lines, Likeness like) {
  std::vector<std::size_t> out;
  for (const std::string_view line : lines) {
    out.push_back(std::hash<std::string_view>()(like(line)));
  }
  return out;
}

// Knuth, Morris and Pratt over lines: linear, whatever repeats. npos if there is no match.
std::size_t find_lines(const Lines& where, const Lines& what, Likeness like) {
  const auto text = hashes(where, like);
  const auto pattern = hashes(what, like);
  std::vector<std::size_t> fallback(pattern.size(), 0);
  for (std::size_t i = 1, k = 0; i < pattern.size(); ++i) {
    while (k > 0 && pattern[i] != pattern[k]) k = fallback[k - 1];
    fallback[i] = k += pattern[i] == pattern[k];
  }
  for (std::size_t i = 0, k = 0; i < text.size(); ++i) {
    while (k > 0 && text[i] != pattern[k]) k = fallback[k - 1];
    k += text[i] == pattern[k];
    if (k == pattern.size()) return i + 1 - k;
  }
  return npos;
}

// Blank lines at the edges of what is searched say nothing.
Lines without_blank_edges(Lines lines) {
  while (!lines.empty() && trimmed(lines.back()).empty()) lines.pop_back();
  const auto blank = [](std::string_view line) { return trimmed(line).empty(); };
  lines.erase(lines.begin(), std::find_if_not(lines.begin(), lines.end(), blank));
  return lines;
}

// `text`, whose lines were written at the indentation `from`, at the indentation `to`.
std::string reindented(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (std::string_view line : lines_of(text)) {
    if (trimmed(line).empty()) {
      out += "\n";
      continue;
    }
    if (line.starts_with(from)) line.remove_prefix(from.size());
    out.append(to).append(line).append("\n");
  }
  return out;
}

std::string_view indent_of(std::string_view line) {
  return line.substr(0, skip_blanks(line, 0));
}

std::string replaced(std::string_view source, const Lines& lines, std::size_t first,
                     std::size_t count, std::string_view replacement) {
  const auto begin = static_cast<std::size_t>(lines[first].data() - source.data());
  const std::string_view last = lines[first + count - 1];
  const auto end = static_cast<std::size_t>(last.data() - source.data()) + last.size();
  const std::size_t behind = std::min(end + 1, source.size());  // the line's end goes with it
  return std::string(source.substr(0, begin)).append(replacement).append(source.substr(behind));
}

// Nothing where the edit's lines are not found.
bool apply(std::string& source, const Edit& edit) {
  const Lines lines = lines_of(source);
  const Lines wanted = without_blank_edges(lines_of(edit.search));
  if (wanted.empty()) return false;
  for (const Likeness like : {as_it_is, without_end, without_indent}) {
    const std::size_t first = find_lines(lines, wanted, like);
    if (first == npos) continue;
    const std::string text =
        like == without_indent
            ? reindented(edit.replace, indent_of(wanted.front()), indent_of(lines[first]))
            : edit.replace;
    source = replaced(source, lines, first, wanted.size(), text);
    return true;
  }
  return false;
}

std::string first_line(const Edit& edit) {
  const Lines lines = without_blank_edges(lines_of(edit.search));
  return lines.empty() ? "" : std::string(trimmed(lines.front()).substr(0, k_shown_bytes));
}

}  // namespace

std::vector<Edit> edits_in(std::string_view text) {
  const Lines lines = lines_of(text);
  std::vector<Edit> edits = search_edits(lines);
  return edits.empty() ? diff_edits(lines) : edits;
}

bool has_edits(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    if (opens_search(trimmed(line)) || (is_hunk(line) && line.find("@@", 2) != npos)) return true;
  }
  return false;
}

Result<std::string> apply_edits(std::string_view source, const std::vector<Edit>& edits) {
  if (edits.size() > k_edits_max) {
    return input_error(std::to_string(edits.size()) + " edits, at most " +
                       std::to_string(k_edits_max) + " are taken");
  }
  std::string edited(source);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].search.empty() && !edits[i].replace.empty()) {
      return input_error("edit " + std::to_string(i + 1) + " has nothing to search for");
    }
    if (apply(edited, edits[i])) continue;
    return input_error("edit " + std::to_string(i + 1) + " of " + std::to_string(edits.size()) +
                       " matches nothing in the parent; it begins with '" + first_line(edits[i]) +
                       "'");
  }
  return edited;
}

}  // namespace cupel::propose
