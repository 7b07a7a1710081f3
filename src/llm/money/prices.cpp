#include "llm/money/prices.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"

namespace cupel::llm {
namespace {

using nlohmann::json;

constexpr std::size_t k_file_bytes_max = 1 << 20;  // a price list of thousands of models
constexpr double k_usd_max = 1e4;  // dollars per million tokens: above it somebody mistyped
// Tokens that a chat template, a service's own preamble and JSON's framing may add to a prompt.
constexpr std::int64_t k_framing_tokens_max = 1024;
constexpr std::int64_t k_tokens_a_price = 1'000'000;

// Rates in 1e-9 dollars per million tokens, so that sums are whole numbers.
std::int64_t nano(double usd_a_million) {
  return static_cast<std::int64_t>(std::ceil(usd_a_million * 1e9 - 1e-3));
}

std::int64_t cost(std::int64_t tokens, std::int64_t nano_a_million) {
  const std::int64_t rest = (tokens % k_tokens_a_price) * nano_a_million;
  return tokens / k_tokens_a_price * nano_a_million +
         (rest + k_tokens_a_price - 1) / k_tokens_a_price;
}

// "anthropic/claude-opus-4.5" and "claude-opus-4-5" are the same model to two services.
std::string plain_name(std::string_view model) {
  std::string name = lower_case(model.substr(model.rfind('/') + 1));
  std::ranges::replace_if(
      name, [](char c) { return c == '.' || c == '@'; }, '-');
  return name;
}

// "-2025-08-07", "-001", "-latest", "-preview-05-06": another name for the same price. A single
// digit is a version of its own: claude-opus-4 and claude-opus-4-7 differ.
bool is_version_suffix(std::string_view suffix) {
  while (!suffix.empty()) {
    if (suffix.front() != '-') return false;
    suffix.remove_prefix(1);
    const std::string_view word = suffix.substr(0, suffix.find('-'));
    const bool digits = word.find_first_not_of("0123456789") == std::string_view::npos;
    if (digits ? word.size() < 2 : word != "latest" && word != "preview") return false;
    suffix.remove_prefix(word.size());
  }
  return true;
}

Status read_rate(const json& entry, const char* name, double& rate) {
  const auto found = entry.find(name);
  if (found == entry.end()) return input_error(std::string("a price lacks \"") + name + "\"");
  if (!found->is_number() || !(found->get<double>() >= 0) || found->get<double>() > k_usd_max) {
    return input_error(std::string("\"") + name +
                       "\" is not a price in dollars per million tokens");
  }
  rate = found->get<double>();
  return {};
}

Result<Rates> read_rates(const json& entry) {
  Rates rates;
  CUPEL_TRY_STATUS(read_rate(entry, "input", rates.input));
  CUPEL_TRY_STATUS(read_rate(entry, "output", rates.output));
  rates.cached = rates.input;
  if (entry.contains("cached")) CUPEL_TRY_STATUS(read_rate(entry, "cached", rates.cached));
  if (entry.contains("written")) CUPEL_TRY_STATUS(read_rate(entry, "written", rates.written));
  return rates;
}

Result<Price> read_price(const json& entry) {
  if (!entry.is_object() || !entry.contains("model") || !entry["model"].is_string()) {
    return input_error("a price lacks \"model\"");
  }
  Price price;
  price.model = entry["model"].get<std::string>();
  CUPEL_TRY(price.rates, read_rates(entry));
  if (const auto tier = entry.find("long"); tier != entry.end() && tier->is_object()) {
    CUPEL_TRY(price.long_rates, read_rates(*tier));
    price.long_above_tokens = tier->value("above", std::int64_t{0});
  }
  price.date = entry.value("date", "");
  price.source = entry.value("source", "");
  return price;
}

Result<std::vector<Price>> read_prices(const json& document) {
  std::vector<Price> prices;
  for (const json& entry : document.at("prices")) {
    CUPEL_TRY(Price price, read_price(entry));
    prices.push_back(std::move(price));
  }
  return prices;
}

const Rates& rates_for(const Price& price, std::int64_t prompt_tokens) {
  const bool is_long = price.long_above_tokens > 0 && prompt_tokens > price.long_above_tokens;
  return is_long ? price.long_rates : price.rates;
}

std::int64_t bound(const Rates& rates, std::int64_t prompt_tokens, std::int64_t reply_tokens) {
  return cost(prompt_tokens, nano(std::max({rates.input, rates.cached, rates.written}))) +
         cost(reply_tokens, nano(rates.output));
}

// Bytes as JSON: at least as many as the text has, also where its UTF-8 has to be mended.
std::int64_t json_bytes(const std::string& text) {
  return static_cast<std::int64_t>(
      json(text).dump(-1, ' ', false, json::error_handler_t::replace).size());
}

tl::unexpected<Error> bad_spec(std::string_view spec) {
  return input_error("\"" + std::string(spec) + "\" is not a price", "",
                     "write MODEL=INPUT,OUTPUT or MODEL=INPUT,CACHED,OUTPUT in dollars per "
                     "million tokens, or MODEL=free");
}

// "1.25,0.125,10" as numbers; empty if any is none.
std::vector<double> numbers(std::string_view text) {
  std::vector<double> values;
  const std::string list(text);
  const char* at = list.c_str();
  for (;;) {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    if (end == at || !(value >= 0) || value > k_usd_max) return {};
    values.push_back(value);
    if (*end == '\0') return values;
    if (*end != ',') return {};
    at = end + 1;
  }
}

}  // namespace

Result<PriceTable> PriceTable::parse(std::string_view text, const std::string& file) {
  try {
    auto prices = read_prices(json::parse(text));
    if (!prices) return input_error(prices.error().what, file);
    PriceTable table;
    table.prices_ = std::move(*prices);
    return table;
  } catch (const json::exception& problem) {
    return input_error(std::string("not a price table: ") + problem.what(), file);
  }
}

Result<PriceTable> PriceTable::read(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return PriceTable();
  CUPEL_TRY(const std::string text, read_file(file, k_file_bytes_max));
  return parse(text, file.string());
}

Status PriceTable::add_spec(std::string_view spec) {
  const std::size_t equals = spec.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return bad_spec(spec);
  const std::string_view rates = spec.substr(equals + 1);
  const std::vector<double> values = rates == "free" ? std::vector<double>{0, 0} : numbers(rates);
  if (values.size() != 2 && values.size() != 3) return bad_spec(spec);
  Price price;
  price.model = spec.substr(0, equals);
  price.rates = {values.front(), values[values.size() - 2], values.back()};
  add(std::move(price));
  return {};
}

const Price* PriceTable::find(std::string_view model) const {
  const std::string name = plain_name(model);
  const Price* best = nullptr;
  std::size_t best_length = 0;
  for (const Price& price : prices_) {
    const std::string prefix = plain_name(price.model);
    if (!name.starts_with(prefix)) continue;
    if (!is_version_suffix(std::string_view(name).substr(prefix.size()))) continue;
    if (best && prefix.size() <= best_length) continue;
    best = &price;
    best_length = prefix.size();
  }
  return best;
}

std::int64_t cost_nano_usd(const Price& price, const Usage& usage) {
  const Rates& rates = rates_for(price, usage.prompt_tokens);
  const std::int64_t cached = std::min(usage.cached_tokens, usage.prompt_tokens);
  const std::int64_t written = std::min(usage.written_tokens, usage.prompt_tokens - cached);
  const double writing = rates.written > 0 ? rates.written : rates.input;
  return cost(usage.prompt_tokens - cached - written, nano(rates.input)) +
         cost(cached, nano(rates.cached)) + cost(written, nano(writing)) +
         cost(usage.reply_tokens, nano(rates.output));
}

std::int64_t cost_nano_usd_max(const Price& price, const Prompt& prompt) {
  const std::int64_t prompt_tokens =
      json_bytes(prompt.system) + json_bytes(prompt.user) + k_framing_tokens_max;
  const std::int64_t reply_tokens =
      std::max<std::int64_t>(0, prompt.reply_tokens_max) * std::max(1, prompt.answers);
  return std::max(bound(price.rates, prompt_tokens, reply_tokens),
                  bound(rates_for(price, prompt_tokens), prompt_tokens, reply_tokens));
}

}  // namespace cupel::llm
