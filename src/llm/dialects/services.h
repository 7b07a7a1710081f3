// The services that Cupel knows by name.
#pragma once

#include <string_view>
#include <vector>

#include "llm/dialects/dialect.h"

namespace cupel::llm {

struct KnownService {
  std::string_view scheme;
  const Dialect* dialect;
  std::string_view base_url;
  std::vector<std::string_view> key_names;  // environment variables; the first that is set counts
  bool free = false;                        // unless the user gives a price
  bool key_optional = false;
  bool max_completion_tokens = false;
  bool bounds_price = false;
  int answers_max = 1;  // to one prompt, for the price of one prompt
  double writing = 1;   // what keeping a prompt's tokens costs, in prices of reading them
};

const std::vector<KnownService>& known_services();

}  // namespace cupel::llm
