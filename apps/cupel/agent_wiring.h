// The providers, prompts and archive behind a run's agents.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "engine/agents.h"
#include "engine/estimate.h"
#include "llm/provider.h"
#include "model/run.h"
#include "options.h"

namespace cupel::cli {

// Move-only; `agents` refers to the providers, and is empty for a run without an LLM.
struct AgentWiring {
  std::unique_ptr<llm::Provider> strong;
  std::unique_ptr<llm::Provider> cheap;
  engine::Agents agents;
};

// Agents that will ask need a key.
enum class Asks { yes, no };

// The LLMs that `run` names. Keys come from the environment, prices from files and --price.
Result<AgentWiring> wire_agents(const RunOptions& run, const Options& options,
                                Asks asks = Asks::yes);

// An input error for a strategy that there is none of, or that does not go with the LLM named.
Status check_strategy(const RunOptions& run);

// How many proposals of agents may be on their way at once: what the lanes hold.
int slots_for(const AgentWiring& wiring, const RunOptions& run);

// Where winners of earlier runs are kept: $CUPEL_ARCHIVE, else in the user's data directory.
std::filesystem::path archive_directory();

// Whether the run's models cost money, and no budget in dollars bounds it.
Result<bool> bill_is_open(const RunOptions& run, const Options& options);

// What the run's models charge.
Result<engine::PriceOf> prices_of(const RunOptions& run, const Options& options);

}  // namespace cupel::cli
