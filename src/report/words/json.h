// Shared by this module's JSON writers only: nlohmann-json itself stays inside report/*.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cupel::report {

// Version of the documents that docs/json.md describes; keys are only ever added.
inline constexpr int k_json_version = 1;

// What a codec of model/ wrote, as a value, without its own version.
nlohmann::json value_of_encoded(const std::string& text);

// A document's first keys: its version and kind.
nlohmann::json document(const char* kind);

// One line, with bytes that are not UTF-8 replaced.
std::string dump(const nlohmann::json& json);

}  // namespace cupel::report
