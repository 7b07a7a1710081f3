#include "llm/dialects/services.h"

namespace cupel::llm {
namespace {

// As many as one elite has children in a phase of PIKE's, and a few more. What one request buys
// comes at once and is measured one after the other.
constexpr int k_answers_max = 4;

}  // namespace

const std::vector<KnownService>& known_services() {
  static const std::vector<KnownService> services = {
      {.scheme = "openai",
       .dialect = &openai_chat_dialect(),
       .base_url = "https://api.openai.com/v1",
       .key_names = {"OPENAI_API_KEY"},
       .max_completion_tokens = true,
       .answers_max = k_answers_max},
      {.scheme = "openai-responses",
       .dialect = &openai_responses_dialect(),
       .base_url = "https://api.openai.com/v1",
       .key_names = {"OPENAI_API_KEY"}},
      {.scheme = "anthropic",
       .dialect = &anthropic_dialect(),
       .base_url = "https://api.anthropic.com",
       .key_names = {"ANTHROPIC_API_KEY"},
       .writing = 1.25},  // for five minutes
      {.scheme = "gemini",
       .dialect = &gemini_dialect(),
       .base_url = "https://generativelanguage.googleapis.com",
       .key_names = {"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
      {.scheme = "openrouter",
       .dialect = &openai_chat_dialect(),
       .base_url = "https://openrouter.ai/api/v1",
       .key_names = {"OPENROUTER_API_KEY"},
       .bounds_price = true},
      {.scheme = "ollama",
       .dialect = &openai_chat_dialect(),
       .base_url = "http://localhost:11434/v1",
       .key_names = {"CUPEL_API_KEY"},
       .free = true,
       .key_optional = true},
      {.scheme = "llamacpp",
       .dialect = &openai_chat_dialect(),
       .base_url = "http://localhost:8080/v1",
       .key_names = {"CUPEL_API_KEY"},
       .free = true,
       .key_optional = true},
      {.scheme = "vllm",
       .dialect = &openai_chat_dialect(),
       .base_url = "http://localhost:8000/v1",
       .key_names = {"CUPEL_API_KEY"},
       .free = true,
       .key_optional = true,
       .answers_max = k_answers_max},
  };
  return services;
}

}  // namespace cupel::llm
