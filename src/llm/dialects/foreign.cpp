#include "llm/dialects/foreign.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "llm/wire/json_fields.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

constexpr std::size_t k_shown_bytes_max = 60;  // of what came, inside a sentence
constexpr std::size_t k_shown_members_max = 6;

// One line, without the blanks that a page is laid out with.
std::string shown(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (blank && (line.empty() || line.back() == ' ')) continue;
    if (line.size() > k_shown_bytes_max) break;
    line += blank ? ' ' : c;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return one_line(line, k_shown_bytes_max);
}

std::string title_of(std::string_view page) {
  const std::string plain = lower_case(page);
  const std::size_t begin = plain.find("<title>");
  const std::size_t end = plain.find("</title>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return shown(page.substr(begin + 7, end - begin - 7));
}

bool is_page(std::string_view text) {
  const std::string head = lower_case(text.substr(0, 512));
  return head.find("<html") != std::string::npos || head.find("<!doctype") != std::string::npos;
}

std::string members_of(const json& document) {
  if (!document.is_object() || document.empty()) return "";
  std::string list;
  std::size_t count = 0;
  for (const auto& [name, value] : document.items()) {
    if (++count > k_shown_members_max) return list + ", ...";
    list += (list.empty() ? "" : ", ") + shown(name);
  }
  return " of " + list;
}

}  // namespace

Foreign describe_foreign(std::string_view body, bool has_events) {
  if (has_events) return {"a stream of events of another kind", false};
  const std::string text = shown(body);
  if (text.empty()) return {};
  if (is_page(body)) {
    const std::string title = title_of(body);
    return {"a web page" + (title.empty() ? "" : " (\"" + title + "\")"), true};
  }
  const json document = parse_or_null(body);
  if (!document.is_null()) return {"JSON" + members_of(document), false};
  return {"the text \"" + text + "\"", true};
}

}  // namespace cupel::llm
