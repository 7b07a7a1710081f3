#include "llm/providers/question.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/hash.h"

namespace cupel::llm {

std::string question_hash(const Prompt& prompt) {
  Hasher hasher("prompt");
  hasher.add("agent", prompt.agent).add("system", prompt.system).add("user", prompt.user);
  return short_id(hasher.finish());
}

bool is_file_name(std::string_view name) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), fits);
}

std::size_t number_of(std::string_view proposal_id) {
  const std::size_t at = proposal_id.find_first_of("0123456789");
  if (at == std::string_view::npos) return 0;
  std::size_t number = 0;
  std::from_chars(proposal_id.data() + at, proposal_id.data() + proposal_id.size(), number);
  return number;
}

}  // namespace cupel::llm
