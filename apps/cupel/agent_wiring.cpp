#include "agent_wiring.h"

#include <optional>
#include <utility>

#include "base/files.h"
#include "engine/thread_lanes.h"
#include "llm/factory.h"
#include "propose/agent.h"
#include "search/strategies.h"

namespace cupel::cli {
namespace {

llm::ProviderSettings settings_for(const Options& options) {
  llm::ProviderSettings settings;
  settings.prices = options.prices;
  return settings;
}

engine::Agents agents_of(const AgentWiring& wiring, const std::filesystem::path& prompts_dir) {
  engine::Agents agents;
  agents.strong = wiring.strong.get();
  agents.cheap = wiring.cheap.get();
  agents.make_prompt = [prompts_dir](const Proposal& proposal, const propose::Context& context) {
    return propose::make_prompt(proposal, context, prompts_dir);
  };
  agents.parse_reply = &propose::parse_reply;
  return agents;
}

}  // namespace

Result<AgentWiring> wire_agents(const RunOptions& run, const Options& options) {
  AgentWiring wiring;
  if (run.llm.empty()) return wiring;
  const llm::ProviderSettings settings = settings_for(options);
  CUPEL_TRY(wiring.strong, llm::make_provider(run.llm, settings));
  if (!run.llm_cheap.empty()) {
    CUPEL_TRY(wiring.cheap, llm::make_provider(run.llm_cheap, settings));
  }
  CUPEL_TRY(const auto home, home_directory());
  wiring.agents = agents_of(wiring, home / "prompts");
  return wiring;
}

Status check_strategy(const RunOptions& run) {
  const auto strategy = search::make_strategy(run.strategy, {});
  if (!strategy) return fail(strategy.error());
  const bool asks = run.strategy != search::k_portfolio_strategy;
  if (asks && run.llm.empty()) {
    return input_error("the strategy '" + run.strategy + "' asks an LLM", "--strategy",
                       "name one with --llm");
  }
  if (!asks && !run.llm.empty()) {
    return input_error("the strategy 'portfolio' asks no LLM", "--llm",
                       "leave --llm out, or name another strategy");
  }
  return {};
}

int slots_for(const AgentWiring& wiring, const RunOptions& run) {
  if (!wiring.strong) return 0;
  const int cheap = wiring.cheap ? wiring.cheap->concurrency_max() : 0;
  return wiring.strong->concurrency_max() + cheap + engine::thread_lanes_settings(run).builds_max;
}

}  // namespace cupel::cli
