// Shared by the codecs of this module only: nlohmann-json stays inside model/*.cpp.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/candidate.h"
#include "model/evidence.h"
#include "model/exchange.h"
#include "model/run.h"
#include "model/task.h"
#include "model/verdict.h"

namespace cupel {

// Version of every encoded value; a reader refuses a newer one.
inline constexpr int k_codec_version = 1;

// Writes one field. JSON has no NaN and no infinity: they travel as strings.
template <class T>
void write_field(nlohmann::json& json, const char* name, const T& field) {
  json[name] = field;
}
void write_field(nlohmann::json& json, const char* name, double field);
void write_field(nlohmann::json& json, const char* name, const std::vector<double>& field);

// The member `name`, or nullptr where it is missing, so that old journals stay readable.
// Throws nlohmann's type_error where `json` is no object.
const nlohmann::json* find_field(const nlohmann::json& json, const char* name);

// Reads one field; a missing one keeps its default. Throws nlohmann's exceptions.
template <class T>
void read_field(const nlohmann::json& json, const char* name, T& field) {
  if (const auto* found = find_field(json, name)) found->get_to(field);
}
void read_field(const nlohmann::json& json, const char* name, double& field);
void read_field(const nlohmann::json& json, const char* name, std::vector<double>& field);

// "malformed verdict: (/ratios/0/pairs) type must be number, but is string".
Error malformed(const char* kind, const nlohmann::json::exception& problem);

template <class T>
std::string encode_value(const T& value) {
  nlohmann::json json = value;
  json["version"] = k_codec_version;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// `kind` names the value in errors ("verdict").
template <class T>
Result<T> decode_value(std::string_view text, const char* kind) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.value("version", k_codec_version) > k_codec_version) {
      return input_error(std::string(kind) + " was written by a newer Cupel", "", "update Cupel");
    }
    return json.get<T>();
  } catch (const nlohmann::json::exception& problem) {
    return fail(malformed(kind, problem));
  }
}

}  // namespace cupel

// Enums travel as their names.
#define CUPEL_JSON_ENUM(Type, parse)                                                         \
  void to_json(nlohmann::json& json, const Type& value) {                                    \
    json = to_string(value);                                                                 \
  }                                                                                          \
  void from_json(const nlohmann::json& json, Type& value) {                                  \
    auto parsed = parse(json.get<std::string>());                                            \
    if (!parsed) throw nlohmann::json::other_error::create(501, parsed.error().what, &json); \
    value = *parsed;                                                                         \
  }
#define CUPEL_JSON_WRITE(field) write_field(json, #field, value.field);
#define CUPEL_JSON_READ(field) read_field(json, #field, value.field);
#define CUPEL_JSON_STRUCT(Type, ...)                                         \
  void to_json(nlohmann::json& json, const Type& value) {                    \
    json = nlohmann::json::object();                                         \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(CUPEL_JSON_WRITE, __VA_ARGS__)) \
  }                                                                          \
  void from_json(const nlohmann::json& json, Type& value) {                  \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(CUPEL_JSON_READ, __VA_ARGS__))  \
  }
// For codecs that another file of this module needs.
// (CUPEL_JSON_STRUCT defines inline functions; `used` makes sure that they are emitted.)
#define CUPEL_JSON_DECLARE(Type)                                       \
  [[gnu::used]] void to_json(nlohmann::json& json, const Type& value); \
  [[gnu::used]] void from_json(const nlohmann::json& json, Type& value);

namespace cupel {
CUPEL_JSON_DECLARE(Tier)
CUPEL_JSON_DECLARE(Policy)
CUPEL_JSON_DECLARE(Mode)
CUPEL_JSON_DECLARE(Metric)
CUPEL_JSON_DECLARE(OutputError)
CUPEL_JSON_DECLARE(TaskFacts)
CUPEL_JSON_DECLARE(TensorSpec)
CUPEL_JSON_DECLARE(Admission)
CUPEL_JSON_DECLARE(Verdict)
CUPEL_JSON_DECLARE(Candidate)
CUPEL_JSON_DECLARE(Proposal)
CUPEL_JSON_DECLARE(Reply)
}  // namespace cupel
