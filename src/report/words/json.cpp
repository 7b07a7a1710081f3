#include "report/words/json.h"

#include <nlohmann/json.hpp>

namespace cupel::report {

nlohmann::json value_of_encoded(const std::string& text) {
  auto json = nlohmann::json::parse(text);
  if (json.is_object()) json.erase("version");
  return json;
}

nlohmann::json document(const char* kind) {
  return {{"version", k_json_version}, {"kind", kind}};
}

std::string dump(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace cupel::report
