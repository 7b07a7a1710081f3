// The providers, prompts and archive behind a run's agents.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/doors/agents.h"
#include "engine/rehearse/estimate.h"
#include "llm/providers/provider.h"
#include "model/run.h"
#include "options.h"

namespace cupel::cli {

// Move-only; `agents` refers to the providers, and is empty for a run without an LLM.
struct AgentWiring {
  std::unique_ptr<llm::Provider> strong;
  std::unique_ptr<llm::Provider> cheap;
  std::unique_ptr<llm::Provider> reader;
  engine::Agents agents;
};

// Agents that will ask need a key.
enum class Asks { yes, no };

// The LLMs that `run` names. Keys come from the environment, prices from the run itself, else from
// `prices` as --price takes them, else from files.
Result<AgentWiring> wire_agents(const RunOptions& run, const std::vector<std::string>& prices = {},
                                Asks asks = Asks::yes);

// What the models charge, to be kept with the run. Free ones are not among them.
std::vector<Price> prices_of(const AgentWiring& wiring);

// An input error for a strategy that there is none of, or that does not go with the LLM named.
Status check_strategy(const RunOptions& run);

// How many proposals of agents may be on their way at once: what the lanes hold.
int slots_for(const AgentWiring& wiring, const RunOptions& run);

// Where winners of earlier runs are kept: $CUPEL_ARCHIVE, else in the user's data directory.
std::filesystem::path archive_directory();

// A plain number among the budgets of a run that costs money: minutes, or dollars? An input error.
Status check_budget(const Budgets& budgets, const AgentWiring& wiring);

// What a question costs by the models' prices.
engine::PriceOf charges_of(const AgentWiring& wiring);

}  // namespace cupel::cli
