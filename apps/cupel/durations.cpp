#include "durations.h"

#include <array>
#include <charconv>
#include <string>

namespace cupel::cli {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr auto k_units = std::to_array<Unit>(
    {{"s", 1}, {"sec", 1}, {"m", 60}, {"min", 60}, {"minutes", 60}, {"h", 3600}});

}  // namespace

Result<double> parse_seconds(std::string_view text, double plain_unit_s, std::string_view where) {
  const auto wrong = [&] {
    return input_error("'" + std::string(text) + "' is no time", std::string(where),
                       "write 90s, 5min or 1h");
  };
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || !(value > 0) || value > 1e9) return wrong();
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.empty()) return value * plain_unit_s;
  for (const Unit& known : k_units) {
    if (known.name == unit) return value * known.seconds;
  }
  return wrong();
}

}  // namespace cupel::cli
