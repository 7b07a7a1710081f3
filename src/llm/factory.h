// From what a user typed after --llm to a provider.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "llm/money/prices.h"
#include "llm/providers/provider.h"
#include "llm/providers/provider_settings.h"

namespace cupel::llm {

// `spec` is one of
//   openai:MODEL  openai-responses:MODEL  anthropic:MODEL  gemini:MODEL  openrouter:MODEL
//   ollama:MODEL  llamacpp:MODEL  vllm:MODEL      servers on this machine, free
//   http://HOST:PORT/v1#MODEL                     any server that speaks chat completions
//   scripted:DIR  mailbox:DIR                     without a network, free
// Input errors say what is possible; a missing key or library is an environment error.
Result<std::unique_ptr<Provider>> make_provider(std::string_view spec,
                                                const ProviderSettings& settings);

// The forms above, one a line, for an option's help.
std::string_view provider_help();

// $XDG_CONFIG_HOME/cupel/prices.json or ~/.config/cupel/prices.json.
std::filesystem::path user_price_file();

}  // namespace cupel::llm
