// What tokens cost. Sums are in 1e-9 dollars and round up, so that many small ones never add to
// less than the bill.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/exchange.h"

namespace cupel::llm {

// Dollars per million tokens, as price lists print them.
struct Rates {
  double input = 0;
  double cached = 0;  // of a prompt's tokens that the service remembered
  double output = 0;  // thinking included
};

struct Price {
  std::string model;  // as a user names it: "gpt-5"
  Rates rates;
  std::int64_t long_above_tokens = 0;  // prompts longer than this pay `long_rates`; 0: no such tier
  Rates long_rates;
  std::string date;    // when it was looked up: "2026-09-05"; may be empty
  std::string source;  // where; may be empty
};

// A model's price is that of the longest entry that its name is, or is a dated or preview version
// of: "gpt-5" prices "gpt-5-2025-08-07" and "openai/gpt-5", not "gpt-5-pro" nor "gpt-5.4".
class PriceTable {
 public:
  // {"prices": [{"model": ..., "input": ..., "cached": ..., "output": ...,
  //   "long": {"above": ..., "input": ..., "cached": ..., "output": ...}, "date", "source"}]}.
  // A missing "cached" is "input". Input errors name `file`.
  static Result<PriceTable> parse(std::string_view json, const std::string& file);
  // An empty table if the file does not exist.
  static Result<PriceTable> read(const std::filesystem::path& file);

  // "MODEL=INPUT,OUTPUT", "MODEL=INPUT,CACHED,OUTPUT" or "MODEL=free".
  Status add_spec(std::string_view spec);
  const Price* find(std::string_view model) const;
  const std::vector<Price>& prices() const { return prices_; }

 private:
  std::vector<Price> prices_;
};

// What `usage` costs.
std::int64_t cost_nano_usd(const Price& price, const Usage& usage);

// Upper bound of what one answer to `prompt` costs. A tokenizer makes no more tokens than there are
// bytes; the words that a service puts around a prompt are allowed for.
std::int64_t cost_nano_usd_max(const Price& price, const Prompt& prompt);

}  // namespace cupel::llm
