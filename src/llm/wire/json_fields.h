// Reading JSON that others wrote: a missing or mistyped field is its default.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace cupel::llm {

// The member, or a null value.
const nlohmann::json& field(const nlohmann::json& object, const char* name);
std::string text_field(const nlohmann::json& object, const char* name);
std::int64_t count_field(const nlohmann::json& object, const char* name);

// Null if `text` is no JSON.
nlohmann::json parse_or_null(std::string_view text);
// Compact; bytes that are no UTF-8 become U+FFFD.
std::string dump(const nlohmann::json& value);

}  // namespace cupel::llm
