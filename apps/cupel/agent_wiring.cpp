#include "agent_wiring.h"

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "engine/lanes/thread_lanes.h"
#include "llm/factory.h"
#include "llm/money/prices.h"
#include "propose/agent.h"
#include "propose/archive/archive.h"
#include "search/strategies.h"
#include "search/winning/choice.h"

namespace cupel::cli {
namespace {

// "openai" of "openai:gpt-5".
std::string_view service_of(std::string_view llm) {
  return llm.substr(0, llm.find(':'));
}

// --llm-url is where the service of --llm is reached, for both tiers if both name it.
Status check_url(const RunOptions& run) {
  if (run.llm_url.empty()) return {};
  for (const char* own_address : {"http", "https", "mailbox", "scripted"}) {
    if (service_of(run.llm) != own_address) continue;
    return input_error("'" + run.llm + "' names no service that has another address", "--llm-url",
                       "name a service whose dialect is spoken there: openai:MODEL");
  }
  return {};
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
                                                device_kind(record.options), measured, best_free,
                                                labels_of(record.labels, record.winner_id)));
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
  agents.reader = wiring.reader.get();
  agents.make_prompt = [prompts_dir](const Proposal& proposal, const propose::Context& context) {
    return propose::make_prompt(proposal, context, prompts_dir);
  };
  agents.parse_reply = &propose::parse_reply;
  return agents;
}

}  // namespace

Result<AgentWiring> wire_agents(const RunOptions& run, const std::vector<std::string>& prices,
                                Asks asks) {
  AgentWiring wiring;
  if (run.llm.empty()) return wiring;
  CUPEL_TRY_STATUS(check_url(run));
  llm::ProviderSettings settings;
  settings.known_prices = run.prices;
  settings.prices = prices;
  settings.needs_key = asks == Asks::yes;
  settings.base_url = run.llm_url;
  CUPEL_TRY(wiring.strong, llm::make_provider(run.llm, settings));
  const auto beside = [&](const std::string& model) -> Result<std::unique_ptr<llm::Provider>> {
    if (model.empty()) return nullptr;
    llm::ProviderSettings own = settings;
    if (service_of(model) != service_of(run.llm)) own.base_url.clear();
    return llm::make_provider(model, own);
  };
  CUPEL_TRY(wiring.cheap, beside(run.llm_cheap));
  CUPEL_TRY(wiring.reader, beside(run.reader));
  CUPEL_TRY(const auto home, home_directory());
  wiring.agents = agents_of(wiring, home / "prompts");
  return wiring;
}

Status check_strategy(const RunOptions& run) {
  const auto strategy = search::make_strategy(run.strategy, {});
  if (!strategy) return fail(strategy.error());
  const bool asks = run.strategy != search::k_portfolio_strategy;
  if (!run.reader.empty() && run.llm.empty()) {
    return input_error("a reader reads what an LLM writes", "--reader", "name one with --llm");
  }
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

std::vector<Price> prices_of(const AgentWiring& wiring) {
  std::vector<Price> prices;
  for (const auto* provider : {&wiring.strong, &wiring.cheap, &wiring.reader}) {
    const auto price = *provider ? (*provider)->price() : std::nullopt;
    if (price && !price->is_free()) prices.push_back(*price);
  }
  return prices;
}

engine::PriceOf charges_of(const AgentWiring& wiring) {
  const auto strong = wiring.agents.of(Tier::strong).price();
  const auto cheap = wiring.agents.of(Tier::cheap).price();
  const auto reader = wiring.agents.of(Tier::reader).price();
  return [strong, cheap, reader](Tier tier, const Usage& usage) -> std::int64_t {
    const auto& others = tier == Tier::cheap ? cheap : strong;
    const auto& price = tier == Tier::reader ? reader : others;
    return price ? llm::cost_nano_usd(*price, usage) : 0;
  };
}

Status check_budget(const Budgets& budgets, const AgentWiring& wiring) {
  if (budgets.plain.empty() || prices_of(wiring).empty()) return {};
  return input_error(
      "'" + budgets.plain + "' may be minutes or dollars, and this model costs money", "--budget",
      "write " + budgets.plain + "min, or " + budgets.plain + "usd");
}

}  // namespace cupel::cli
