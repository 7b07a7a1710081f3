#include "propose/replies/ideas.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "propose/cut.h"
#include "propose/python_text.h"
#include "propose/replies/reply_text.h"

namespace cupel::propose {
namespace {

using Json = nlohmann::ordered_json;  // the members of an object in the order they were written
constexpr auto npos = std::string_view::npos;
// A longer "number" is not an item's.
constexpr std::size_t k_number_digits_max = 3;
// JSON with more than this is no list of ten ideas.
constexpr std::size_t k_json_bytes_max = 1 << 18;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// "**Idea 3**: text" without the marks at its front.
std::string_view without_marks(std::string_view line) {
  line = trimmed(line);
  while (!line.empty() && (line.front() == '#' || line.front() == '*' || line.front() == ' ')) {
    line.remove_prefix(1);
  }
  for (const std::string_view word : {"Idea ", "idea ", "IDEA "}) {
    if (line.starts_with(word)) line.remove_prefix(word.size());
  }
  return line;
}

struct Item {
  bool begins = false;
  std::string_view rest;
};

// "3. text", "3) text", "**3: text", "### Idea 3 - text".
Item numbered(std::string_view line) {
  const std::string_view text = without_marks(line);
  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (digits == 0 || digits > k_number_digits_max || digits == text.size()) return {};
  const std::string_view behind = trimmed(text.substr(digits));
  if (std::string_view(".):-").find(behind.empty() ? 'x' : behind[0]) == npos) return {};
  if (behind.size() > 1 && is_digit(behind[1])) return {};  // "1.5 times"
  return {true, trimmed(behind.substr(1))};
}

// Only at the margin: deeper ones belong to an item.
Item bulleted(std::string_view line) {
  for (const std::string_view mark : {"- ", "* ", "+ ", "\xe2\x80\xa2 "}) {
    if (line.starts_with(mark)) return {true, trimmed(line.substr(mark.size()))};
  }
  return {};
}

// Without the stars of bold text, blanks in a row as one.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (c == '*' && (out.ends_with('*') || out.empty())) {
      if (!out.empty()) out.pop_back();
      continue;
    }
    out += blank ? ' ' : c;
  }
  return std::string(trimmed(out));
}

template <class Begins>
std::vector<std::string> items(std::string_view prose, Begins begins) {
  std::vector<std::string> found;
  for (const std::string_view line : lines_of(prose)) {
    if (const Item item = begins(line); item.begins) {
      found.emplace_back(item.rest);
    } else if (!found.empty() && found.back().size() <= k_idea_bytes_max) {
      found.back().append(" ").append(line);
    }
  }
  for (std::string& text : found) text = cut_end(plain(text), k_idea_bytes_max);
  std::erase_if(found, [](const std::string& text) { return text.empty(); });
  if (found.size() > k_ideas_max) found.resize(k_ideas_max);
  return found;
}

// A text, or the texts of an object joined.
std::string text_of(const Json& item) {
  if (item.is_string()) return item.get<std::string>();
  std::string text;
  if (!item.is_object()) return text;
  for (const auto& member : item) {
    if (!member.is_string()) continue;
    if (!text.empty()) text += ": ";
    text += member.get<std::string>();
  }
  return text;
}

const Json* list_in(const Json& json) {
  if (json.is_array()) return &json;
  if (!json.is_object()) return nullptr;
  for (const auto& member : json) {
    if (member.is_array()) return &member;
  }
  return nullptr;
}

std::vector<std::string> json_ideas(std::string_view text) {
  std::vector<std::string> ideas;
  if (text.size() > k_json_bytes_max) return ideas;
  const Json json = Json::parse(text, nullptr, false);
  const Json* const list = list_in(json);
  if (list == nullptr) return ideas;
  for (const auto& item : *list) {
    const std::string idea = plain(text_of(item));
    if (!idea.empty() && ideas.size() < k_ideas_max) {
      ideas.push_back(cut_end(idea, k_idea_bytes_max));
    }
  }
  return ideas;
}

// What stands behind "LABEL:" up to the next label or the end; empty if there is none.
std::string labelled(std::string_view prose, std::string_view label) {
  std::string text;
  bool inside = false;
  for (const std::string_view line : lines_of(prose)) {
    const std::string_view bare = without_marks(line);
    const std::size_t colon = bare.find(':');
    const std::string_view word = bare.substr(0, bare.find_first_of(":*"));
    const bool is_label = colon != npos && (word == "BOTTLENECK" || word == "Bottleneck" ||
                                            word == "PLAN" || word == "Plan");
    if (is_label) inside = std::toupper(word[0]) == label[0];
    if (inside) text.append(is_label ? bare.substr(colon + 1) : line).append(" ");
  }
  return plain(text);
}

}  // namespace

std::vector<std::string> ideas_in(std::string_view reply) {
  std::vector<std::string> ideas = json_ideas(trimmed(reply));
  for (const CodeBlock& block : code_blocks(reply)) {
    if (ideas.empty()) ideas = json_ideas(trimmed(block.text));
  }
  const std::string prose = prose_of(reply);
  if (ideas.empty()) ideas = items(prose, numbered);
  if (ideas.empty()) ideas = items(prose, bulleted);
  // The whole list may stand between fences.
  for (const CodeBlock& block : code_blocks(reply)) {
    if (ideas.empty()) ideas = items(block.text, numbered);
  }
  return ideas;
}

std::string plan_in(std::string_view reply) {
  const std::string prose = prose_of(reply);
  const std::string bottleneck = labelled(prose, "BOTTLENECK");
  const std::string plan = labelled(prose, "PLAN");
  if (plan.empty()) return "";
  const std::string text = bottleneck.empty() ? "" : "Bottleneck: " + bottleneck + " ";
  return cut_end(text + "Plan: " + plan, k_plan_bytes_max);
}

}  // namespace cupel::propose
