#include "llm/wire/json_fields.h"

#include <nlohmann/json.hpp>

namespace cupel::llm {

using nlohmann::json;

const json& field(const json& object, const char* name) {
  static const json null;
  if (!object.is_object()) return null;
  const auto found = object.find(name);
  return found == object.end() ? null : *found;
}

std::string text_field(const json& object, const char* name) {
  const json& value = field(object, name);
  return value.is_string() ? value.get<std::string>() : "";
}

std::int64_t count_field(const json& object, const char* name) {
  constexpr std::int64_t k_tokens_max = 1'000'000'000'000;  // beyond it a count is a mistake
  const json& value = field(object, name);
  if (!value.is_number_integer()) return 0;
  const auto count = value.get<std::int64_t>();
  return count < 0 || count > k_tokens_max ? 0 : count;
}

json parse_or_null(std::string_view text) {
  json value = json::parse(text, nullptr, false);
  return value.is_discarded() ? json() : value;
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace cupel::llm
