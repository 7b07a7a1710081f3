#include "engine/rehearse/estimate.h"

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "engine/lanes/simulated_lanes.h"
#include "engine/rehearse/scripted_agents.h"
#include "engine/rehearse/scripted_evaluator.h"
#include "journal/journal.h"
#include "propose/replies/reading.h"

namespace cupel::engine {
namespace {

// Any will do: the estimate is one draw of a search, and always the same one.
constexpr std::uint64_t k_draw = 1;

// Of a prompt that is read once, however many answers to it are wanted.
Usage usage_of(const Prompt& prompt, const Assumptions& assumptions) {
  Usage usage;
  const auto bytes = static_cast<double>(prompt.system.size() + prompt.user.size());
  usage.prompt_tokens = static_cast<std::int64_t>(bytes / assumptions.bytes_per_token);
  usage.reply_tokens = prompt.answers * std::min(assumptions.reply_tokens, prompt.reply_tokens_max);
  return usage;
}

ScriptedAgentsSettings script_of(const llm::Provider& provider, const Assumptions& assumptions) {
  ScriptedAgentsSettings script;
  script.seed = k_draw;
  script.concurrency_max = provider.concurrency_max();
  script.unusable = assumptions.unusable;
  return script;
}

// Stands before a real provider: worst cases are its own, answers are drawn.
class DryProvider final : public llm::Provider {
 public:
  DryProvider(llm::Provider& real, const PriceOf& price_of, const Assumptions& assumptions,
              Estimate& estimate)
      : real_(real),
        price_of_(price_of),
        assumptions_(assumptions),
        estimate_(estimate),
        script_(script_of(real, assumptions)) {}

  std::string name() const override { return real_.name(); }
  int concurrency_max() const override { return real_.concurrency_max(); }
  int answers_max() const override { return real_.answers_max(); }
  std::int64_t nano_usd_max(const Prompt& prompt) const override {
    return real_.nano_usd_max(prompt);
  }

  Reply ask(const Prompt& prompt, const StopFlag& stop) override {
    Reply reply = script_.ask(prompt, stop);
    reply.text = answer_of(prompt, std::move(reply.text));
    for (int answer = 1; answer < prompt.answers; ++answer) {
      reply.others.push_back(answer_of(prompt, script_.ask(prompt, stop).text));
    }
    reply.usage = usage_of(prompt, assumptions_);
    const std::int64_t worst = nano_usd_max(prompt);
    reply.nano_usd = price_of_ ? std::min(worst, price_of_(prompt.tier, reply.usage)) : 0;
    const auto each_tokens = static_cast<double>(reply.usage.reply_tokens) / prompt.answers;
    reply.seconds = each_tokens / assumptions_.tokens_per_second;  // they are written side by side
    count(prompt, worst);
    return reply;
  }

 private:
  std::string answer_of(const Prompt& prompt, std::string drawn) const {
    if (prompt.tier == Tier::reader) drawn = propose::k_no_worries;
    return drawn + "#" + std::string(static_cast<std::size_t>(assumptions_.source_bytes), '.');
  }

  void count(const Prompt& prompt, std::int64_t worst) {
    const auto bytes = static_cast<std::int64_t>(prompt.system.size() + prompt.user.size());
    ++estimate_.questions;
    estimate_.nano_usd_worst += worst;
    estimate_.prompt_bytes += bytes;
    estimate_.prompt_bytes_max = std::max(estimate_.prompt_bytes_max, bytes);
  }

  llm::Provider& real_;
  const PriceOf& price_of_;
  const Assumptions& assumptions_;
  Estimate& estimate_;
  ScriptedProvider script_;
};

SimulatedLanesSettings lanes_of(const Agents& agents, const RunOptions& options,
                                const Assumptions& assumptions) {
  SimulatedLanesSettings lanes;
  lanes.asks_max = agents.strong->concurrency_max();
  lanes.builds_disturb = options.device == "cpu";
  lanes.build_s = [&](const std::string&) { return assumptions.build_s; };
  lanes.measure_s = [&](const std::string&) { return assumptions.measure_s; };
  return lanes;
}

void complete(Estimate& estimate, const journal::RunState& state) {
  const std::int64_t limit = state.record.options.nano_usd_max;
  estimate.nano_usd = state.nano_usd_spent;
  if (limit > 0) estimate.nano_usd_worst = std::min(estimate.nano_usd_worst, limit);
  estimate.queries = state.record.queries;
  if (estimate.questions > 0) estimate.prompt_bytes /= estimate.questions;
  estimate.seconds = state.record.wall_s;
}

}  // namespace

Result<Estimate> estimate(const RunRequest& request, const Agents& agents, const PriceOf& price_of,
                          const Assumptions& assumptions) {
  CUPEL_CHECK(agents.any());
  Estimate estimate;
  DryProvider strong(agents.of(Tier::strong), price_of, assumptions, estimate);
  DryProvider reader(agents.of(Tier::reader), price_of, assumptions, estimate);
  DryProvider cheap(agents.of(Tier::cheap), price_of, assumptions, estimate);
  Agents dry = scripted_agents(strong);
  dry.cheap = &cheap;
  if (agents.reader) dry.reader = &reader;
  dry.make_prompt = agents.make_prompt;
  Script script;
  script.others_seed = k_draw;
  ScriptedEvaluator evaluator(script);
  FakeClock clock;
  SimulatedLanes lanes(lanes_of(agents, request.options, assumptions), evaluator, dry, clock);
  CUPEL_TRY(const TempDir directory,
            TempDir::create(std::filesystem::temp_directory_path(), "cupel-estimate"));
  CUPEL_TRY(auto journal, journal::Journal::open(directory.path(), clock));
  SilentSink sink;
  const auto record = run(request, Means(evaluator, dry, &lanes), journal, sink);
  if (!record) return fail(record.error());
  complete(estimate, journal.state());
  return estimate;
}

}  // namespace cupel::engine
