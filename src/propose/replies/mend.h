// Zero-LLM fixes: rules that mend what a model gets wrong without meaning to. Each is small and
// named; none changes the meaning of a program that is right. docs/agents.md lists them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cupel::propose {

struct Mended {
  std::string source;
  std::vector<std::string> rules;  // names of those that changed something, in their order
};

// Applies every rule once. `device`: "cpu" or "cuda"; some rules are about one of them.
Mended mend(std::string source, std::string_view device);

// Why a source cannot be a candidate, as far as its text tells: one sentence, or empty.
std::string why_unusable(std::string_view source);

}  // namespace cupel::propose
