// "5usd", "300queries", "20min" as limits of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cupel::cli {

// 0: no limit of that kind.
struct Budgets {
  double minutes_max = 0;
  std::int64_t nano_usd_max = 0;
  std::int64_t queries_max = 0;
  std::string plain;  // the text of a number without a unit, which was taken as minutes
};

// Each text is a budget or several with commas between; a plain number is minutes. An input error
// for what is no budget, and for two of one kind.
Result<Budgets> parse_budgets(const std::vector<std::string>& texts);

}  // namespace cupel::cli
