// Agents that ask nobody: replies, prices, delays and failures are drawn from a seed. With them and
// the scripted evaluator whole searches are simulated, their accidents among them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/doors/agents.h"

namespace cupel::engine {

struct ScriptedAgentsSettings {
  std::uint64_t seed = 0;
  int concurrency_max = 10;
  double seconds_min = 20;  // of an answer
  double seconds_max = 20;
  std::int64_t nano_usd_max = 0;  // worst case of a question; answers cost up to that
  double failed = 0;              // share of questions that nobody answers
  double unusable = 0;            // share of answers that hold no candidate
};

// The same question gets the same answer in every process; one that failed is answered anew when
// it is asked again. Thread-safe.
class ScriptedProvider final : public llm::Provider {
 public:
  explicit ScriptedProvider(const ScriptedAgentsSettings& settings) : settings_(settings) {}

  std::string name() const override { return "scripted"; }
  int concurrency_max() const override { return settings_.concurrency_max; }
  std::int64_t nano_usd_max(const Prompt& prompt) const override;
  Reply ask(const Prompt& prompt, const StopFlag& stop) override;

  // Called before each answer.
  std::function<void(const Prompt&)> on_ask;

 private:
  ScriptedAgentsSettings settings_;
  std::mutex mutex_;
  std::map<std::string, int> asked_;  // by proposal
};

// Prompts of a line, and replies that are candidates as they stand. The provider must outlive it.
Agents scripted_agents(llm::Provider& provider);

}  // namespace cupel::engine
