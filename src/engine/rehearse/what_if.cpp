#include "engine/rehearse/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/files.h"
#include "engine/engine.h"
#include "engine/lanes/simulated_lanes.h"
#include "engine/rehearse/scripted_evaluator.h"
#include "journal/reader.h"
#include "search/winning/standing.h"

namespace cupel::engine {
namespace {

namespace fs = std::filesystem;

constexpr int k_asks_max = 8;  // as services take

// A program as it was bought, and what it was worth.
struct Recorded {
  Judged judged;
  double reply_s = 0;
};

struct Recordings {
  RunRecord first;
  std::vector<Seed> seeds;
  std::vector<Candidate> files;
  std::vector<Recorded> programs;
  std::vector<Answered> answers;
  std::map<std::string, ScriptedProgram> verdicts;  // by candidate id, free ones among them
  std::map<std::string, double> seconds;            // of judgements
  WhatIf own;
  std::int64_t judged_nano_usd = 0;
};

// Seconds of the last answer to each proposal.
Result<std::map<std::string, double>> reply_seconds(const fs::path& run_dir) {
  std::map<std::string, double> seconds;
  CUPEL_TRY_STATUS(journal::for_each_event(run_dir, [&](const journal::Event& event) -> Status {
    if (event.kind != journal::kind::k_replied) return {};
    CUPEL_TRY(const ProposalReplied body, decode_proposal_replied(event.body));
    seconds[event.subject] = body.reply.seconds;
    return {};
  }));
  return seconds;
}

// Of the programs that agents wrote; 0: none is `faster`.
void note_reply(const Judged& judged, double speed, WhatIf& result) {
  if (!asks_agent(judged.proposal.kind)) return;
  const double before = result.best_after.empty() ? 0 : result.best_after.back();
  result.best_after.push_back(std::max(before, speed));
}

// `nano_usd`: of the programs judged so far, this one among them.
void note_best(const Judged& judged, std::int64_t nano_usd, WhatIf& result) {
  const bool is_faster = judged.verdict.outcome == Outcome::faster;
  const double speed = is_faster ? search::speed_of(judged) : 0;
  note_reply(judged, speed, result);
  if (speed > result.best) {
    result.best = speed;
    result.best_id = judged.candidate.id;
    result.best_label = judged.candidate.label;
    result.nano_usd_until_best = nano_usd;
  }
  if (search::is_free(judged.proposal)) result.best_free = std::max(result.best_free, speed);
}

void add(const Judged& judged, double reply_s, Recordings& all) {
  all.judged_nano_usd += judged.nano_usd;
  note_best(judged, all.judged_nano_usd, all.own);
  if (judged.candidate.id.empty()) return;
  const bool is_new =
      all.verdicts
          .emplace(judged.candidate.id, ScriptedProgram{.outcome = judged.verdict.outcome,
                                                        .ratio = search::speed_of(judged)})
          .second;
  all.seconds.emplace(judged.candidate.id, judged.seconds);
  if (is_new && asks_agent(judged.proposal.kind)) all.programs.push_back({judged, reply_s});
}

Status add_run(const fs::path& run_dir, Recordings& all) {
  CUPEL_TRY(const journal::RunState state, journal::read_state(run_dir));
  CUPEL_TRY(const auto seconds, reply_seconds(run_dir));
  if (all.first.task.id.empty()) {
    all.first = state.record;
    all.files = state.start.files;
    for (const Seed& seed : state.seeds) {
      const std::string id = make_candidate(seed.source, seed.label).id;
      if (state.judged_at.contains(id)) all.seeds.push_back(seed);
    }
  }
  if (state.record.task.id != all.first.task.id) {
    return input_error("this run is about another task, '" + state.record.task.name + "'",
                       run_dir.string(), "name runs of one task");
  }
  for (const Judged& judged : state.record.judged) {
    const auto found = seconds.find(judged.proposal.id);
    add(judged, found == seconds.end() ? 0 : found->second, all);
  }
  all.answers.insert(all.answers.end(), state.answered.begin(), state.answered.end());
  all.own.nano_usd += state.nano_usd_spent;
  for (const auto& [id, reading] : state.record.readings) all.own.nano_usd -= reading.nano_usd;
  all.own.seconds += state.record.wall_s;
  return {};
}

Result<Recordings> read(const std::vector<fs::path>& run_dirs) {
  Recordings all;
  for (const fs::path& run_dir : run_dirs) CUPEL_TRY_STATUS(add_run(run_dir, all));
  if (all.programs.empty()) {
    return input_error("no agent's program was judged in it", run_dirs.front().string(),
                       "another strategy needs some to draw from");
  }
  all.own.strategy = "as recorded";
  all.own.recorded = all.own.drawn = all.own.like_for_like = static_cast<int>(all.programs.size());
  return all;
}

// Answers with what was bought then. Used by one thread.
class Pool final : public llm::Provider {
 public:
  Pool(const Recordings& all, WhatIf& result) : all_(all), result_(result) {
    result_.recorded = static_cast<int>(all.programs.size());
    for (const Recorded& program : all.programs) {
      nano_usd_max_ = std::max(nano_usd_max_, program.judged.nano_usd);
    }
    for (const Answered& answer : all.answers) {
      nano_usd_max_ = std::max(nano_usd_max_, answer.nano_usd);
    }
  }

  std::string name() const override { return "recorded"; }
  int concurrency_max() const override { return k_asks_max; }
  std::int64_t nano_usd_max(const Prompt&) const override { return nano_usd_max_; }

  Reply ask(const Prompt& prompt, const StopFlag&) override {
    Reply reply;
    reply.attempts = 1;
    const Proposal& proposal = asked_.at(prompt.proposal_id);
    reply.end = Reply::End::complete;
    const auto drawn = gives_candidate(proposal.kind) ? draw(proposal) : draw_text(proposal.kind);
    if (!drawn) return reply;  // nothing of the kind is left
    reply.text = std::to_string(*drawn);
    if (gives_candidate(proposal.kind)) {
      reply.nano_usd = all_.programs[*drawn].judged.nano_usd;
      reply.seconds = all_.programs[*drawn].reply_s;
    } else {
      reply.nano_usd = all_.answers[*drawn].nano_usd;
    }
    return reply;
  }

  Result<Prompt> note(const Proposal& proposal) {
    asked_[proposal.id] = proposal;
    Prompt prompt;
    prompt.proposal_id = proposal.id;
    prompt.tier = proposal.tier;
    return prompt;
  }

  propose::Parsed parse(const Proposal& proposal, const Reply& reply) const {
    propose::Parsed parsed;
    if (reply.text.empty()) {
      parsed.problem = "nothing of the kind was recorded";
      return parsed;
    }
    const auto index = static_cast<std::size_t>(std::stoul(reply.text));
    if (gives_candidate(proposal.kind)) {
      parsed.candidate = all_.programs[index].judged.candidate;
    } else {
      parsed.texts = all_.answers[index].texts;
    }
    return parsed;
  }

 private:
  // How near a recorded program's question is; less is nearer.
  static int distance(const Proposal& asked, const Proposal& recorded) {
    if (asked.kind != recorded.kind) return 2;
    return asked.parents == recorded.parents ? 0 : 1;
  }

  std::optional<std::size_t> draw(const Proposal& proposal) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < all_.programs.size(); ++i) {
      if (used_.contains(i)) continue;
      const auto far = [&](std::size_t at) {
        return distance(proposal, all_.programs[at].judged.proposal);
      };
      if (!best || far(i) < far(*best)) best = i;
    }
    if (!best) return best;
    used_.insert(*best);
    ++result_.drawn;
    result_.like_for_like += distance(proposal, all_.programs[*best].judged.proposal) == 0;
    return best;
  }

  std::optional<std::size_t> draw_text(Proposal::Kind kind) {
    for (std::size_t i = 0; i < all_.answers.size(); ++i) {
      if (all_.answers[i].proposal.kind == kind && used_texts_.insert(i).second) return i;
    }
    return std::nullopt;
  }

  const Recordings& all_;
  WhatIf& result_;
  std::int64_t nano_usd_max_ = 0;
  std::map<std::string, Proposal> asked_;
  std::set<std::size_t> used_;
  std::set<std::size_t> used_texts_;
};

RunRequest request_of(const Recordings& all, const std::string& strategy,
                      const WhatIfBudget& budget) {
  RunRequest request;
  request.run_id = "what-if";
  request.task = all.first.task;
  request.options = all.first.options;
  request.options.strategy = strategy;
  if (budget.nano_usd_max > 0) request.options.nano_usd_max = budget.nano_usd_max;
  if (budget.queries_max > 0) request.options.queries_max = budget.queries_max;
  if (budget.minutes_max > 0) request.options.minutes_max = budget.minutes_max;
  const auto programs = static_cast<std::int64_t>(all.programs.size());
  const std::int64_t queries = request.options.queries_max;
  request.options.queries_max = queries > 0 ? std::min(queries, programs) : programs;
  request.files = all.files;
  request.seed_source = [&all](const TaskFacts&) { return all.seeds; };
  return request;
}

void note_end(const RunRecord& record, WhatIf& result) {
  std::int64_t nano_usd = 0;
  for (const Judged& judged : record.judged) {
    nano_usd += judged.nano_usd;
    note_best(judged, nano_usd, result);
  }
  result.seconds = record.wall_s;
  result.end = record.search_end;
}

Result<WhatIf> search_with(const Recordings& all, const std::string& strategy,
                           const WhatIfBudget& budget) {
  WhatIf result;
  result.strategy = strategy;
  Pool pool(all, result);
  Agents agents;
  agents.strong = &pool;
  agents.make_prompt = [&](const Proposal& proposal, const propose::Context&) {
    return pool.note(proposal);
  };
  agents.parse_reply = [&](const Proposal& proposal, const Reply& reply, const propose::Context&) {
    return pool.parse(proposal, reply);
  };
  Script script;
  script.programs = all.verdicts;
  ScriptedEvaluator evaluator(std::move(script));
  double judgement_s = 0;
  evaluator.on_judge = [&](const std::vector<Candidate>& programs) {
    const auto found = all.seconds.find(programs.front().id);
    judgement_s = found == all.seconds.end() ? 0 : found->second;
  };
  SimulatedLanesSettings work;
  work.asks_max = k_asks_max;
  work.measure_s = [&](const std::string&) { return judgement_s; };
  FakeClock clock;
  SimulatedLanes lanes(work, evaluator, agents, clock);
  CUPEL_TRY(const TempDir directory, TempDir::create(fs::temp_directory_path(), "cupel-what-if"));
  CUPEL_TRY(auto journal, journal::Journal::open(directory.path(), clock));
  SilentSink sink;
  CUPEL_TRY(const RunRecord record, run(request_of(all, strategy, budget),
                                        Means(evaluator, agents, &lanes), journal, sink));
  note_end(record, result);
  result.nano_usd = journal.state().nano_usd_spent;
  return result;
}

}  // namespace

Result<std::vector<WhatIf>> what_if(const std::vector<fs::path>& run_dirs,
                                    const std::vector<std::string>& strategies,
                                    const WhatIfBudget& budget) {
  CUPEL_TRY(const Recordings all, read(run_dirs));
  std::vector<WhatIf> results{all.own};
  for (const std::string& strategy : strategies) {
    CUPEL_TRY(WhatIf result, search_with(all, strategy, budget));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace cupel::engine
