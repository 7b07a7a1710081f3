// Who answers for a run's agents: providers, prompts and the archive of earlier runs, behind one
// value that tests can fill with their own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "llm/providers/provider.h"
#include "model/exchange.h"
#include "model/run.h"
#include "propose/agent.h"

namespace cupel::engine {

// Empty for a run without an LLM. The providers outlive it.
struct Agents {
  llm::Provider* strong = nullptr;
  llm::Provider* cheap = nullptr;   // null: `strong` answers for both tiers
  llm::Provider* reader = nullptr;  // null: programs are not read before they are judged
  std::function<Result<Prompt>(const Proposal&, const propose::Context&)> make_prompt;
  std::function<propose::Parsed(const Proposal&, const Reply&, const propose::Context&)>
      parse_reply;
  // Lessons of earlier runs on tasks like this one, most similar first; empty: none are kept.
  std::function<Result<std::vector<std::string>>(const RunRecord&)> recall;
  // Keeps what a run that is about to finish has learned; the same run may be learned twice.
  std::function<Status(const RunRecord&)> learn;

  bool any() const { return strong != nullptr; }
  llm::Provider& of(Tier tier) const {
    if (tier == Tier::reader && reader != nullptr) return *reader;
    return tier == Tier::cheap && cheap != nullptr ? *cheap : *strong;
  }
};

}  // namespace cupel::engine
