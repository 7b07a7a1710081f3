#include "llm/factory.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "base/files.h"
#include "llm/dialects/services.h"
#include "llm/providers/http_provider.h"
#include "llm/providers/mailbox.h"
#include "llm/providers/scripted.h"

namespace cupel::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_help =
    "openai:MODEL            OpenAI, chat completions (OPENAI_API_KEY)\n"
    "openai-responses:MODEL  OpenAI, Responses (OPENAI_API_KEY)\n"
    "anthropic:MODEL         Anthropic, Messages (ANTHROPIC_API_KEY)\n"
    "gemini:MODEL            Google Gemini (GEMINI_API_KEY or GOOGLE_API_KEY)\n"
    "openrouter:MODEL        OpenRouter (OPENROUTER_API_KEY)\n"
    "ollama:MODEL            a local Ollama, http://localhost:11434/v1\n"
    "llamacpp:MODEL          a local llama.cpp server, http://localhost:8080/v1\n"
    "vllm:MODEL              a local vLLM, http://localhost:8000/v1\n"
    "http://HOST/v1#MODEL    any server that speaks chat completions (CUPEL_API_KEY, if any)\n"
    "mailbox:DIR             prompts as files, answered by a person or an agent\n"
    "scripted:DIR            replies from files, for tests\n";

constexpr const char* k_price_file = "prices.json";  // below Cupel's home

tl::unexpected<Error> bad_spec(std::string_view spec, std::string what) {
  return input_error(std::move(what), std::string(spec),
                     "possible are\n" + std::string(provider_help()));
}

std::string variable(const ProviderSettings& settings, const std::string& name) {
  if (settings.environment) return settings.environment(name);
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

std::string trimmed(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

// "" if no variable is set.
Result<std::string> find_key(const KnownService& service, const ProviderSettings& settings) {
  for (const std::string_view name : service.key_names) {
    const std::string key = trimmed(variable(settings, std::string(name)));
    if (key.empty()) continue;
    const bool printable = std::all_of(
        key.begin(), key.end(), [](char c) { return std::isgraph(static_cast<unsigned char>(c)); });
    if (!printable) return environment_error("the key holds blanks", std::string(name));
    return key;
  }
  if (service.key_optional || !settings.needs_key) return std::string();
  const std::string name(service.key_names.front());
  return environment_error("no API key", std::string(service.scheme),
                           "set " + name + " in the environment");
}

std::vector<fs::path> price_files(const ProviderSettings& settings, bool free) {
  if (!settings.price_files.empty()) return settings.price_files;
  std::vector<fs::path> files{user_price_file()};
  // What a service charges for a model says nothing about one's own machine.
  if (const auto home = home_directory(); home && !free) files.push_back(*home / k_price_file);
  return files;
}

Result<std::optional<Price>> look_up(std::string_view model, const ProviderSettings& settings,
                                     bool free) {
  PriceTable given;
  for (const Price& price : settings.known_prices) given.add(price);
  if (const Price* price = given.find(model)) return *price;
  for (const std::string& spec : settings.prices) CUPEL_TRY_STATUS(given.add_spec(spec));
  if (const Price* price = given.find(model)) return *price;
  for (const fs::path& file : price_files(settings, free)) {
    CUPEL_TRY(const PriceTable table, PriceTable::read(file));
    if (const Price* price = table.find(model)) return *price;
  }
  return std::nullopt;
}

// The list that comes with Cupel, where a model's price may stand: an environment error where it is
// not to be found.
Status find_shipped_prices() {
  CUPEL_TRY(const fs::path home, home_directory());
  std::error_code ignored;
  if (fs::exists(home / k_price_file, ignored)) return {};
  return environment_error("Cupel's price list is not there", (home / k_price_file).string(),
                           "set CUPEL_HOME to the directory that holds it");
}

Result<Price> find_price(std::string_view model, const ProviderSettings& settings, bool free) {
  CUPEL_TRY(const std::optional<Price> price, look_up(model, settings, free));
  if (price) return *price;
  if (free) return Price{.model = std::string(model)};
  const std::string name(model);
  const std::string give =
      "give one with --price " + name + "=INPUT,CACHED,OUTPUT in dollars per million tokens";
  if (settings.price_files.empty()) {
    if (const Status shipped = find_shipped_prices(); !shipped) {
      const Error& why = shipped.error();
      return environment_error("no price of the model \"" + name + "\" can be found: " + why.what,
                               why.where, why.hint + ", or " + give);
    }
  }
  return input_error("no price is known for the model \"" + name + "\", so no budget could be kept",
                     "", give + ", or in " + user_price_file().string());
}

// A price that says nothing of it gets that of the service.
void add_writing(const KnownService& service, Price& price) {
  for (Rates* const rates : {&price.rates, &price.long_rates}) {
    if (rates->written == 0) rates->written = service.writing * rates->input;
  }
}

Result<std::unique_ptr<Provider>> make_http(std::string_view spec, const KnownService& service,
                                            const std::string& base_url, std::string_view model,
                                            const ProviderSettings& settings) {
  HttpService http;
  http.name = spec;
  http.dialect = service.dialect;
  http.endpoint.base_url = base_url;
  while (http.endpoint.base_url.ends_with('/')) http.endpoint.base_url.pop_back();
  http.endpoint.model = model;
  http.endpoint.max_completion_tokens = service.max_completion_tokens;
  http.bounds_price = service.bounds_price;
  http.answers_max = service.answers_max;
  CUPEL_TRY(http.price, find_price(model, settings, service.free));
  add_writing(service, http.price);
  CUPEL_TRY(http.endpoint.key, find_key(service, settings));
  CUPEL_TRY(auto transport, make_curl_transport(*settings.clock));
  return std::make_unique<HttpProvider>(std::move(http), settings, std::move(transport));
}

bool is_model_name(std::string_view model) {
  return !model.empty() && std::all_of(model.begin(), model.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-_./:@").find(c) < 6;
  });
}

Status check_url(const std::string& base_url) {
  if (!base_url.starts_with("http://") && !base_url.starts_with("https://")) {
    return input_error("\"" + base_url + "\" is no base URL", "", "write http://HOST:PORT/v1");
  }
  if (base_url.find('@') == std::string::npos) return {};
  return input_error("a base URL may not hold a password", "",
                     "set CUPEL_API_KEY in the environment");
}

// A gateway that speaks as `service` does. The service's own key is not for it.
Result<KnownService> behind_gateway(KnownService service, const std::string& base_url) {
  CUPEL_TRY_STATUS(check_url(base_url));
  service.key_names = {"CUPEL_API_KEY"};
  service.key_optional = true;
  return service;
}

// "http://host:8000/v1#MODEL"
Result<std::unique_ptr<Provider>> make_for_url(std::string_view spec,
                                               const ProviderSettings& settings) {
  const std::size_t hash = spec.find('#');
  if (hash == std::string_view::npos || !is_model_name(spec.substr(hash + 1))) {
    return bad_spec(spec, "a base URL needs a model: http://HOST:PORT/v1#MODEL");
  }
  const std::string base_url(spec.substr(0, hash));
  CUPEL_TRY_STATUS(check_url(base_url));
  KnownService service{.scheme = "http",
                       .dialect = &openai_chat_dialect(),
                       .base_url = "",
                       .key_names = {"CUPEL_API_KEY"}};
  service.free = is_loopback_url(base_url);
  service.key_optional = true;
  return make_http(spec, service, base_url, spec.substr(hash + 1), settings);
}

Result<std::unique_ptr<Provider>> make_named(std::string_view spec, std::string_view scheme,
                                             std::string_view rest,
                                             const ProviderSettings& settings) {
  if (scheme == "scripted") return make_scripted(fs::path(rest), settings);
  if (scheme == "mailbox") return make_mailbox(fs::path(rest), settings);
  for (const KnownService& service : known_services()) {
    if (service.scheme != scheme) continue;
    if (!is_model_name(rest))
      return bad_spec(spec, "\"" + std::string(rest) + "\" is no model's name");
    if (settings.base_url.empty()) {
      return make_http(spec, service, std::string(service.base_url), rest, settings);
    }
    CUPEL_TRY(const KnownService gateway, behind_gateway(service, settings.base_url));
    return make_http(spec, gateway, settings.base_url, rest, settings);
  }
  return bad_spec(spec, "\"" + std::string(scheme) + "\" is not a provider");
}

}  // namespace

Result<std::unique_ptr<Provider>> make_provider(std::string_view spec,
                                                const ProviderSettings& settings) {
  static const SystemClock system_clock;
  static SystemSleeper system_sleeper;
  ProviderSettings complete = settings;
  if (!complete.clock) complete.clock = &system_clock;
  if (!complete.sleeper) complete.sleeper = &system_sleeper;
  if (spec.starts_with("http://") || spec.starts_with("https://")) {
    return make_for_url(spec, complete);
  }
  const std::size_t colon = spec.find(':');
  if (colon == std::string_view::npos || colon + 1 == spec.size()) {
    return bad_spec(spec, "an LLM is named PROVIDER:MODEL, a folder of answers mailbox:DIR");
  }
  return make_named(spec, spec.substr(0, colon), spec.substr(colon + 1), complete);
}

std::string_view provider_help() {
  return k_help;
}

fs::path user_price_file() {
  return user_directory("XDG_CONFIG_HOME", ".config") / "cupel/prices.json";
}

}  // namespace cupel::llm
