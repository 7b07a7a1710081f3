// How long a question may be: who writes prompts and who sends them keep to the same.
#pragma once

#include <cstddef>

namespace cupel::llm {

// Bytes of a prompt's system text and user text together. A token has a byte at least, and from
// some 270,000 tokens on services charge tiers that no price table of ours knows.
inline constexpr std::size_t k_prompt_bytes_max = 256 << 10;

}  // namespace cupel::llm
