#include "report/words/numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace cupel::report {
namespace {

constexpr double k_error_unbounded = 1e29;  // the judge states infinite and NaN errors as 1e30
constexpr std::size_t k_specs_max = 4;
constexpr double k_open_factor = 1e4;  // of an interval's ends: a few calls tell no more than that

int decimals_for(const Ratio& ratio) {
  if (ratio.ratio >= 100) return 0;
  if (ratio.ratio >= 10) return 1;
  return ratio.high - ratio.low < 0.02 ? 3 : 2;
}

}  // namespace

std::string ratio_text(const Ratio& ratio) {
  if (ratio.high >= k_open_factor * ratio.low) return fmt::format("{:.2f}x ?", ratio.ratio);
  const int decimals = decimals_for(ratio);
  return fmt::format("{:.{}f}x {:.{}f}-{:.{}f}", ratio.ratio, decimals, ratio.low, decimals,
                     ratio.high, decimals);
}

std::string ms_text(double ms) {
  if (!(ms > 0)) return "";
  if (ms >= 1000) return fmt::format("{:.2f} s", ms / 1000);
  if (ms >= 100) return fmt::format("{:.0f} ms", ms);
  if (ms >= 10) return fmt::format("{:.1f} ms", ms);
  return fmt::format("{:.{}f} ms", ms, ms >= 0.1 ? 3 : 4);
}

std::string seconds_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string money_text(double usd) {
  if (usd > 0 && usd < 0.01) return fmt::format("${:.4f}", usd);
  return usd == 0 ? "$0" : fmt::format("${:.2f}", usd);
}

std::string error_text(double error) {
  if (error == 0) return "0";
  if (!std::isfinite(error) || error > k_error_unbounded) return "unbounded";
  return fmt::format("{:.1e}", error);
}

std::string bytes_text(double bytes) {
  constexpr const char* k_units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(k_units)) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit > 0 && bytes < 10 ? 1 : 0, k_units[unit]);
}

std::string allclose_text(const Verdict& verdict) {
  if (verdict.checked_calls == 0) return "";
  if (verdict.close_1e4) return "1e-4";
  return verdict.close_1e2 ? "1e-2" : "no";
}

std::string specs_text(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (std::size_t i = 0; i < specs.size() && i < k_specs_max; ++i) {
    text += (i ? ", " : "") + describe(specs[i]);
  }
  if (specs.size() > k_specs_max) text += fmt::format(" and {} more", specs.size() - k_specs_max);
  return text;
}

}  // namespace cupel::report
