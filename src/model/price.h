// What a model's tokens cost.
#pragma once

#include <cstdint>
#include <string>

namespace cupel {

// Dollars per million tokens, as price lists print them.
struct Rates {
  double input = 0;
  double cached = 0;   // of a prompt's tokens that the service remembered
  double output = 0;   // thinking included
  double written = 0;  // of a prompt's tokens that it was told to remember; 0: as `input`
};

struct Price {
  std::string model;  // as a user names it: "gpt-5"
  Rates rates;
  std::int64_t long_above_tokens = 0;  // prompts longer than this pay `long_rates`; 0: no such tier
  Rates long_rates;
  std::string date;    // when it was looked up: "2026-09-05"; may be empty
  std::string source;  // where; may be empty

  bool is_free() const { return rates.input == 0 && rates.cached == 0 && rates.output == 0; }
};

}  // namespace cupel
