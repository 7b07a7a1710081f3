#include "budgets.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "durations.h"
#include "model/exchange.h"

namespace cupel::cli {
namespace {

constexpr const char* k_where = "--budget";
// What nobody means to spend; far below what nano-dollars in 64 bits hold.
constexpr double k_usd_max = 1e6;
constexpr double k_queries_max = 1e9;

tl::unexpected<Error> no_budget(std::string_view text) {
  return input_error("'" + std::string(text) + "' is no budget", k_where,
                     "write 5usd, 300queries, 20min, or several with commas between");
}

// A positive number followed by one of `units`.
bool take_number(std::string_view text, std::initializer_list<std::string_view> units,
                 double& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || !(number > 0)) return false;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const std::string_view known : units) {
    if (unit == known) return true;
  }
  return false;
}

template <class T>
Status set_once(T& limit, T value, std::string_view text) {
  if (limit != 0) {
    return input_error("'" + std::string(text) + "' is a second budget of its kind", k_where);
  }
  limit = value;
  return {};
}

Status add(Budgets& budgets, std::string_view text) {
  double number = 0;
  const bool is_money = take_number(text, {"usd", "USD", "$", "dollars"}, number) ||
                        (text.starts_with('$') && take_number(text.substr(1), {""}, number));
  if (is_money) {
    if (number > k_usd_max) return no_budget(text);
    // Down: a nano-dollar too few is no harm.
    const auto nano_usd =
        static_cast<std::int64_t>(number * static_cast<double>(k_nano_usd_per_usd));
    return nano_usd > 0 ? set_once(budgets.nano_usd_max, nano_usd, text) : no_budget(text);
  }
  if (take_number(text, {"queries", "query", "q"}, number)) {
    if (number > k_queries_max || std::floor(number) != number) return no_budget(text);
    return set_once(budgets.queries_max, static_cast<std::int64_t>(number), text);
  }
  const auto seconds = parse_seconds(text, k_seconds_per_minute, k_where);
  if (!seconds) return no_budget(text);
  if (take_number(text, {""}, number)) budgets.plain = text;
  return set_once(budgets.minutes_max, *seconds / k_seconds_per_minute, text);
}

}  // namespace

Result<Budgets> parse_budgets(const std::vector<std::string>& texts) {
  Budgets budgets;
  for (const std::string& text : texts) {
    std::string_view rest = text;
    while (true) {
      const std::size_t comma = rest.find(',');
      CUPEL_TRY_STATUS(add(budgets, rest.substr(0, comma)));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return budgets;
}

}  // namespace cupel::cli
