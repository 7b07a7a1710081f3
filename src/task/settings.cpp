#include "task/settings.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/files.h"

namespace cupel::task {
namespace {

constexpr std::size_t k_settings_bytes_max = 64 << 10;
constexpr std::string_view k_known_keys =
    "known keys: policy, mode, value_classes, strict_strides, allow_mutated_inputs, held_out";

std::string place(std::string_view file, const toml::source_region& region) {
  return fmt::format("{}:{}", file, region.begin.line);
}

tl::unexpected<Error> wrong_type(const toml::key& key, std::string_view file,
                                 std::string_view wanted) {
  return input_error(fmt::format("{} must be {}", key.str(), wanted), place(file, key.source()));
}

Status read_bool(const toml::key& key, const toml::node& node, std::string_view file, bool& out) {
  const auto value = node.value_exact<bool>();
  if (!value) return wrong_type(key, file, "true or false");
  out = *value;
  return {};
}

// A word that `parse` knows. `example`: one of them.
template <class Value>
Status read_word(const toml::key& key, const toml::node& node, std::string_view file,
                 Result<Value> (*parse)(std::string_view), std::string_view example, Value& out) {
  const auto text = node.value_exact<std::string_view>();
  if (!text) return wrong_type(key, file, fmt::format("a string such as \"{}\"", example));
  auto value = parse(*text);
  if (!value) {
    value.error().where = place(file, node.source());
    return fail(value.error());
  }
  out = *value;
  return {};
}

Status read_names(const toml::key& key, const toml::node& node, std::string_view file,
                  std::vector<std::string>& out) {
  if (!node.is_array()) return wrong_type(key, file, "a list of strings");
  for (const toml::node& item : *node.as_array()) {
    const auto name = item.value_exact<std::string>();
    if (!name) return wrong_type(key, file, "a list of strings");
    out.push_back(*name);
  }
  return {};
}

Status read_key(const toml::key& key, const toml::node& node, std::string_view file,
                TaskSettings& settings) {
  if (key == "policy") return read_word(key, node, file, &parse_policy, "eager", settings.policy);
  if (key == "mode") return read_word(key, node, file, &parse_mode, "inference", settings.mode);
  if (key == "value_classes") return read_names(key, node, file, settings.value_classes);
  if (key == "strict_strides") return read_bool(key, node, file, settings.strict_strides);
  if (key == "allow_mutated_inputs") {
    return read_bool(key, node, file, settings.allow_mutated_inputs);
  }
  if (key == "held_out") return read_names(key, node, file, settings.held_out);
  return input_error(fmt::format("unknown key '{}'", key.str()), place(file, key.source()),
                     std::string(k_known_keys));
}

Result<TaskSettings> from_table(const toml::table& table, std::string_view file,
                                TaskSettings settings) {
  for (const auto& [key, node] : table) {
    CUPEL_TRY_STATUS(read_key(key, node, file, settings));
  }
  return settings;
}

}  // namespace

Result<TaskSettings> parse_settings(std::string_view toml, std::string_view file,
                                    const TaskSettings& defaults) {
  try {
    return from_table(toml::parse(toml, file), file, defaults);
  } catch (const toml::parse_error& problem) {
    return input_error(fmt::format("not TOML: {}", problem.description()),
                       place(file, problem.source()));
  }
}

Result<TaskSettings> load_settings(const std::filesystem::path& directory, std::string_view name,
                                   const TaskSettings& defaults) {
  for (const auto& file : {fmt::format("{}.toml", name), std::string("cupel.toml")}) {
    const auto path = directory / file;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    CUPEL_TRY(const std::string text, read_file(path, k_settings_bytes_max));
    return parse_settings(text, path.string(), defaults);
  }
  return defaults;
}

}  // namespace cupel::task
