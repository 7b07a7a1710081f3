#include "propose/replies/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/text.h"
#include "propose/python_text.h"
#include "propose/replies/reply_text.h"

namespace cupel::propose {
namespace {

// An honest answer has four lines; more is a model that talks.
constexpr std::size_t k_reply_bytes_max = 64 << 10;
constexpr std::size_t k_why_bytes_max = 200;
constexpr std::size_t k_shown_bytes_max = 60;

struct Question {
  std::string_view key;
  std::string_view worrying;  // the answer that is a remark
  std::string_view label;
};
constexpr auto k_questions = std::to_array<Question>({
    {"computes", "no", "computes something else"},
    {"clocks", "yes", "touches clocks"},
    {"keeps", "yes", "keeps answers"},
    {"falls back", "yes", "falls back to the reference"},
});

struct Answer {
  std::string word;  // "yes", "no", "unsure"
  std::string why;
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view without_marks(std::string_view text, std::string_view marks) {
  const std::size_t first = text.find_first_not_of(marks);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(marks) - first + 1);
}

// "FALLS_BACK" of "- **FALLS_BACK" as "falls back".
std::string key_of(std::string_view text) {
  std::string key = lower_case(without_marks(text, " \t*-#>`\"'{.0123456789)"));
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

// "yes" and its reason. Nothing where another word stands there, or several are offered.
Answer answer_of(std::string_view text) {
  text = without_marks(text, " \t*`\"'");
  const auto end = std::find_if_not(text.begin(), text.end(), &is_letter);
  const auto length = static_cast<std::size_t>(end - text.begin());
  Answer answer{lower_case(text.substr(0, length)), ""};
  const std::string_view rest = text.substr(length);
  const bool known = answer.word == "yes" || answer.word == "no" || answer.word == "unsure";
  if (!known || without_marks(rest, " ").starts_with('|')) return {};
  answer.why = one_line(without_marks(rest, " \t*-`\"':;,.\xe2\x80\x93\x94"), k_why_bytes_max);
  return answer;
}

using Answers = std::map<std::string_view, Answer>;  // by the question's key

// False where a question is answered twice, and not alike.
bool take_line(std::string_view line, Answers& answers) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string key = key_of(line.substr(0, colon));
  for (const Question& question : k_questions) {
    if (key != question.key) continue;
    Answer answer = answer_of(line.substr(colon + 1));
    if (answer.word.empty()) return true;
    const auto [entry, is_new] = answers.emplace(question.key, answer);
    return is_new || entry->second.word == answer.word;
  }
  return true;
}

Reading useless(const std::string& why, std::string_view text) {
  Reading reading;
  reading.problem = fmt::format("{} in {} bytes that begin with '{}'", why, text.size(),
                                one_line(trimmed(text), k_shown_bytes_max));
  return reading;
}

}  // namespace

Reading parse_reading(const Reply& reply) {
  if (reply.text.size() > k_reply_bytes_max) return useless("too much to be read", reply.text);
  const std::string text = regular_text(reply.text);
  Answers answers;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (!take_line(rest.substr(0, end), answers)) return useless("two answers to a question", text);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  Reading reading;
  for (const Question& question : k_questions) {
    const auto found = answers.find(question.key);
    if (found == answers.end()) {
      return useless(fmt::format("no line '{}: yes, no or unsure'", question.key), text);
    }
    if (found->second.word != question.worrying) continue;
    reading.remarks.push_back({std::string(question.label), found->second.why});
  }
  return reading;
}

}  // namespace cupel::propose
