// What tokens cost. Sums are in 1e-9 dollars and round up, so that many small ones never add to
// less than the bill.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/exchange.h"
#include "model/price.h"

namespace cupel::llm {

// A model's price is that of the longest entry that its name is, or is a dated or preview version
// of: "gpt-5" prices "gpt-5-2025-08-07" and "openai/gpt-5", not "gpt-5-pro" nor "gpt-5.4".
class PriceTable {
 public:
  // {"prices": [{"model": ..., "input": ..., "cached": ..., "output": ...,
  //   "long": {"above": ..., "input": ..., "cached": ..., "output": ...}, "date", "source"}]}.
  // A missing "cached" is "input", and so is a missing "written". Input errors name `file`.
  static Result<PriceTable> parse(std::string_view json, const std::string& file);
  // An empty table if the file does not exist.
  static Result<PriceTable> read(const std::filesystem::path& file);

  // "MODEL=INPUT,OUTPUT", "MODEL=INPUT,CACHED,OUTPUT" or "MODEL=free".
  Status add_spec(std::string_view spec);
  void add(Price price) { prices_.insert(prices_.begin(), std::move(price)); }
  const Price* find(std::string_view model) const;
  const std::vector<Price>& prices() const { return prices_; }

 private:
  std::vector<Price> prices_;
};

// What `usage` costs.
std::int64_t cost_nano_usd(const Price& price, const Usage& usage);

// Upper bound of what one attempt at `prompt` costs. A tokenizer makes no more tokens than there
// are bytes; the words that a service puts around a prompt are allowed for.
std::int64_t cost_nano_usd_max(const Price& price, const Prompt& prompt);

}  // namespace cupel::llm
