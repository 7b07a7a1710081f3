#include "llm/wire/retry.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>

#include "base/clock.h"

namespace cupel::llm {
namespace {

constexpr double k_first_wait_s = 1;
constexpr double k_wait_s_max = 60;  // rate limits are counted by the minute

// Month and day names are English in HTTP, whatever the locale: strptime would ask the locale.
std::optional<int> month_of(std::string_view name) {
  constexpr std::string_view k_months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t at = k_months.find(name);
  if (name.size() != 3 || at == std::string_view::npos || at % 3 != 0) return std::nullopt;
  return static_cast<int>(at / 3);
}

std::optional<std::int64_t> epoch_s(int day, const char* month, int year, int hour, int minute,
                                    int second) {
  const std::optional<int> month_index = month_of(month);
  if (!month_index) return std::nullopt;
  std::tm time{};
  time.tm_mday = day;
  time.tm_mon = *month_index;
  time.tm_year = year - 1900;
  time.tm_hour = hour;
  time.tm_min = minute;
  time.tm_sec = second;
  return ::timegm(&time);
}

// RFC 9110, 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" and
// "Sun Nov  6 08:49:37 1994".
std::optional<std::int64_t> parse_http_date_s(const std::string& text) {
  int day = 0, year = 0, hour = 0, minute = 0, second = 0;
  char month[4] = "";
  if (std::sscanf(text.c_str(), "%*3[A-Za-z], %2d %3s %4d %2d:%2d:%2d GMT", &day, month, &year,
                  &hour, &minute, &second) == 6) {
    return epoch_s(day, month, year, hour, minute, second);
  }
  if (std::sscanf(text.c_str(), "%*9[A-Za-z], %2d-%3s-%2d %2d:%2d:%2d GMT", &day, month, &year,
                  &hour, &minute, &second) == 6) {
    return epoch_s(day, month, year + (year < 70 ? 2000 : 1900), hour, minute, second);
  }
  if (std::sscanf(text.c_str(), "%*3[A-Za-z] %3s %2d %2d:%2d:%2d %4d", month, &day, &hour, &minute,
                  &second, &year) == 6) {
    return epoch_s(day, month, year, hour, minute, second);
  }
  return std::nullopt;
}

}  // namespace

bool is_retryable(std::int64_t http_status) {
  return http_status == 408 || http_status == 409 || http_status == 429 || http_status >= 500;
}

bool may_be_billed(int http_status) {
  return http_status < 300 || http_status == 502 || http_status == 504;
}

std::optional<double> parse_retry_after_s(std::string_view text, std::int64_t wall_ns) {
  const std::string copy(text);
  char* end = nullptr;
  const double seconds = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() && *end == '\0') {
    return std::isfinite(seconds) && seconds >= 0 ? std::optional(seconds) : std::nullopt;
  }
  const std::optional<std::int64_t> date_s = parse_http_date_s(copy);
  if (!date_s) return std::nullopt;
  return std::max(0.0, static_cast<double>(*date_s) - static_cast<double>(wall_ns) / k_ns_per_s);
}

double Backoff::wait_s(int failures) {
  const double longest =
      std::min(k_wait_s_max, k_first_wait_s * std::pow(2.0, std::max(0, failures - 1)));
  const std::lock_guard lock(mutex_);
  return longest * (0.5 + 0.5 * rng_.uniform());
}

}  // namespace cupel::llm
