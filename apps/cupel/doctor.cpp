#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "exit_codes.h"
#include "output.h"
#include "wiring.h"

namespace cupel::cli {
namespace {

const char* word_of(Probe::State state) {
  if (state == Probe::State::good) return "ok";
  return state == Probe::State::poor ? "poor" : "missing";
}

report::Color color_of(Probe::State state) {
  if (state == Probe::State::good) return report::Color::green;
  return state == Probe::State::poor ? report::Color::yellow : report::Color::red;
}

std::string text_of(const std::vector<Probe>& probes, const report::Style& style) {
  constexpr std::size_t k_margin = 20;
  std::string text;
  for (const Probe& probe : probes) {
    const std::string word = fmt::format("{:<8}", word_of(probe.state));
    const std::string found =
        report::wrap(probe.found, static_cast<std::size_t>(style.width), k_margin);
    text +=
        fmt::format("{:<10}  {}", probe.name, report::paint(style, color_of(probe.state), word));
    text += found.empty() ? "\n" : found.substr(k_margin);
    if (!probe.advice.empty()) {
      text += report::wrap("-> " + probe.advice, static_cast<std::size_t>(style.width), k_margin);
    }
  }
  return text;
}

std::string json_of(const std::vector<Probe>& probes, bool ready) {
  nlohmann::json json{{"version", 1}, {"kind", "doctor"}, {"ready", ready}};
  json["probes"] = nlohmann::json::array();
  for (const Probe& probe : probes) {
    json["probes"].push_back({{"name", probe.name},
                              {"state", word_of(probe.state)},
                              {"found", probe.found},
                              {"advice", probe.advice}});
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<int> run_doctor(const Options& options) {
  const auto probes = probe_machine(options);
  const bool ready = std::none_of(probes.begin(), probes.end(), [](const Probe& probe) {
    return probe.state == Probe::State::missing;
  });
  print(options.json ? json_of(probes, ready) : text_of(probes, style_for(stdout)));
  return ready ? k_exit_good : k_exit_environment;
}

}  // namespace cupel::cli
