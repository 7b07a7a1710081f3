#include "model/codec.h"

#include <cmath>
#include <limits>

namespace cupel {
namespace {

nlohmann::json number_json(double number) {
  if (std::isfinite(number)) return number;
  if (std::isnan(number)) return "nan";
  return number > 0 ? "inf" : "-inf";
}

double number_of(const nlohmann::json& json) {
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return json.get<double>();
}

}  // namespace

void write_field(nlohmann::json& json, const char* name, double field) {
  json[name] = number_json(field);
}

void write_field(nlohmann::json& json, const char* name, const std::vector<double>& field) {
  auto& items = json[name] = nlohmann::json::array();
  for (const double number : field) items.push_back(number_json(number));
}

namespace {

struct Renamed {
  std::string_view name;
  const char* former;  // in older journals
};
constexpr Renamed k_renamed[] = {{"group", "slice"}, {"group_max", "slice_max"}};

const char* former_name(std::string_view name) {
  for (const Renamed& renamed : k_renamed) {
    if (renamed.name == name) return renamed.former;
  }
  return nullptr;
}

}  // namespace

const nlohmann::json* find_field(const nlohmann::json& json, const char* name) {
  if (!json.is_object()) {
    throw nlohmann::json::type_error::create(
        302, std::string("type must be object, but is ") + json.type_name(), &json);
  }
  auto found = json.find(name);
  if (const char* former = former_name(name); found == json.end() && former) {
    found = json.find(former);
  }
  return found == json.end() ? nullptr : &*found;
}

void read_field(const nlohmann::json& json, const char* name, double& field) {
  if (const auto* found = find_field(json, name)) field = number_of(*found);
}

void read_field(const nlohmann::json& json, const char* name, std::vector<double>& field) {
  const auto* found = find_field(json, name);
  if (!found) return;
  field.clear();
  for (const auto& item : found->get_ref<const nlohmann::json::array_t&>()) {
    field.push_back(number_of(item));
  }
}

Error malformed(const char* kind, const nlohmann::json::exception& problem) {
  std::string what = problem.what();
  if (const auto end = what.find("] "); what.rfind("[json.", 0) == 0 && end != std::string::npos) {
    what.erase(0, end + 2);
  }
  return {ErrorTag::input, std::string("malformed ") + kind + ": " + what, "", ""};
}

}  // namespace cupel
