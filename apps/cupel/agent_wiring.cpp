#include "agent_wiring.h"

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "engine/thread_lanes.h"
#include "llm/factory.h"
#include "llm/prices.h"
#include "propose/agent.h"
#include "propose/archive.h"
#include "search/choice.h"
#include "search/strategies.h"

namespace cupel::cli {
namespace {

// Costs something wherever anything does.
constexpr Usage k_some_usage{.prompt_tokens = 1000000, .reply_tokens = 1000000};

llm::ProviderSettings settings_for(const Options& options) {
  llm::ProviderSettings settings;
  settings.prices = options.prices;
  return settings;
}

// Lessons that a prompt can hold; the most similar come first.
constexpr std::size_t k_lessons_max = 8;

std::vector<std::string> recall(const RunRecord& record) {
  const propose::Archive archive = propose::load_archive(archive_directory());
  return propose::lessons_for(archive, record.task, record.facts, device_kind(record.options),
                              k_lessons_max);
}

const Judged* judged_with(const RunRecord& record, const std::string& candidate_id) {
  for (const Judged& judged : record.judged) {
    if (judged.candidate.id == candidate_id) return &judged;
  }
  return nullptr;
}

const FinalTable::Row* row_of(const RunRecord& record, std::string_view role) {
  for (const FinalTable::Row& row : record.table.rows) {
    if (row.role == role) return &row;
  }
  return nullptr;
}

// What a free variant won teaches nothing. The final round's figures count, not the search's.
Status learn(const RunRecord& record) {
  const Judged* const winner = judged_with(record, record.winner_id);
  const FinalTable::Row* const row = row_of(record, search::role::k_winner);
  if (!winner || !row || winner->proposal.kind == Proposal::Kind::seed) return {};
  Judged measured = *winner;
  measured.verdict = row->verdict;
  const FinalTable::Row* const free_row = row_of(record, search::role::k_best_free);
  const Judged* const best_free = free_row ? judged_with(record, free_row->candidate_id) : nullptr;
  const auto kept = propose::store(
      archive_directory(), propose::make_winner(record.task, record.facts, record.options.policy,
                                                device_kind(record.options), measured, best_free));
  return kept ? Status() : fail(kept.error());
}

engine::Agents agents_of(const AgentWiring& wiring, const std::filesystem::path& prompts_dir) {
  engine::Agents agents;
  agents.recall = [](const RunRecord& record) -> Result<std::vector<std::string>> {
    return recall(record);
  };
  agents.learn = &learn;
  agents.strong = wiring.strong.get();
  agents.cheap = wiring.cheap.get();
  agents.make_prompt = [prompts_dir](const Proposal& proposal, const propose::Context& context) {
    return propose::make_prompt(proposal, context, prompts_dir);
  };
  agents.parse_reply = &propose::parse_reply;
  return agents;
}

}  // namespace

Result<AgentWiring> wire_agents(const RunOptions& run, const Options& options, Asks asks) {
  AgentWiring wiring;
  if (run.llm.empty()) return wiring;
  llm::ProviderSettings settings = settings_for(options);
  settings.needs_key = asks == Asks::yes;
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

std::filesystem::path archive_directory() {
  const char* const chosen = std::getenv("CUPEL_ARCHIVE");
  if (chosen && *chosen) return chosen;
  return user_directory("XDG_DATA_HOME", ".local/share") / "cupel/winners";
}

Result<engine::PriceOf> prices_of(const RunOptions& run, const Options& options) {
  const llm::ProviderSettings settings = settings_for(options);
  CUPEL_TRY(const auto strong, llm::price_of(run.llm, settings));
  const std::string& cheap_name = run.llm_cheap.empty() ? run.llm : run.llm_cheap;
  CUPEL_TRY(const auto cheap, llm::price_of(cheap_name, settings));
  return [strong, cheap](Tier tier, const Usage& usage) -> std::int64_t {
    const auto& price = tier == Tier::cheap ? cheap : strong;
    return price ? llm::cost_nano_usd(*price, usage) : 0;
  };
}

Result<bool> bill_is_open(const RunOptions& run, const Options& options) {
  if (run.llm.empty() || run.nano_usd_max > 0) return false;
  CUPEL_TRY(const engine::PriceOf price, prices_of(run, options));
  return price(Tier::strong, k_some_usage) > 0 || price(Tier::cheap, k_some_usage) > 0;
}

}  // namespace cupel::cli
