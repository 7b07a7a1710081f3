#include "simulate/simulated_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "llm/money/ledger.h"
#include "simulate/draws.h"
#include "simulate/lane.h"
#include "simulate/verdicts.h"

namespace cupel::simulate {
namespace {

constexpr int k_ideas_of_brainstorm = 10;

llm::Limits money_of(const RunLimits& limits) {
  llm::Limits money;
  money.queries_max = limits.queries_max;
  if (std::isfinite(limits.usd_max)) {
    money.nano_usd_max = std::llround(limits.usd_max * k_nano_usd_per_usd);
  }
  return money;
}

// A proposal under way, and when its next stage ends.
struct Flight {
  enum class Stage { replied, built, judged };
  double at_s = 0;
  std::int64_t order = 0;  // breaks ties: equal times in the order of sending
  Stage stage = Stage::replied;
  search::Draft draft;
  std::int64_t nano_usd = 0;
};

struct Later {
  bool operator()(const Flight& left, const Flight& right) const {
    return std::pair(left.at_s, left.order) > std::pair(right.at_s, right.order);
  }
};

// What a candidate's source stands for.
struct Written {
  Program program;
  bool works = true;
  int first = -1;  // index of the failing first attempt that a fix belongs to
};

class Run {
 public:
  Run(const search::Strategy& strategy, const World& world, const Landscape& landscape,
      const RunLimits& limits, std::uint64_t seed)
      : strategy_(strategy),
        world_(world),
        landscape_(landscape),
        author_(landscape, world.author),
        ledger_(money_of(limits)),
        builds_(limits.build_slots),
        devices_(1),
        llm_slots_(limits.llm_slots),
        world_rng_(seed),
        strategy_rng_(world_rng_.fork(1)) {}

  Trace run() {
    ask_strategy();
    while (send_waiting(), !flights_.empty()) {
      if (land()) ask_strategy();
    }
    trace_.starved += static_cast<int>(waiting_.size());
    trace_.end = now(best_log_gain_);
    return std::move(trace_);
  }

 private:
  void ask_strategy();
  void send_waiting();
  bool send(search::Draft draft);
  bool land();
  void arrive(Flight flight);
  void answer(const Flight& flight);
  void judge(const Flight& flight);
  Written write(const search::Draft& draft);
  Written fix(const Proposal& proposal, const Written& broken);
  std::vector<const Program*> programs_of(const Proposal& proposal) const;
  void count(const Proposal& proposal, Written& written);
  void close(const std::string& proposal_id);
  void note_best(const Written& written, const Verdict& verdict);
  Milestone now(double log_gain) const;
  search::Budget budget() const;

  const search::Strategy& strategy_;
  const World& world_;
  const Landscape& landscape_;
  const Author author_;
  llm::Ledger ledger_;
  Lane builds_;
  Lane devices_;
  int llm_slots_;
  Rng world_rng_;
  Rng strategy_rng_;

  double now_s_ = 0;
  std::int64_t made_ = 0;
  int asking_ = 0;            // calls in flight
  bool wants_slots_ = false;  // the last step took all slots that there were
  std::deque<search::Draft> waiting_;
  std::priority_queue<Flight, std::vector<Flight>, Later> flights_;
  std::vector<Judged> judged_;
  std::vector<Proposal> pending_;
  std::vector<Proposal> rejected_;
  std::vector<Answered> answered_;
  std::unordered_map<std::string, Written> written_;  // by candidate id
  std::vector<bool> mended_;                          // per failing first attempt
  double best_measured_ = 0;                          // log ratio; 0: the original
  double best_log_gain_ = 0;
  Trace trace_;
};

search::Budget Run::budget() const {
  search::Budget budget;
  if (ledger_.nano_usd_left() < std::numeric_limits<std::int64_t>::max() / 2) {
    budget.usd_left = usd_of(ledger_.nano_usd_left());
  }
  budget.queries_left = ledger_.queries_left();
  budget.slots = std::max(0, llm_slots_ - asking_ - static_cast<int>(waiting_.size()));
  return budget;
}

void Run::ask_strategy() {
  const search::History history{judged_, pending_, rejected_, answered_};
  const search::Budget left = budget();
  search::Step step = strategy_.next(history, left, strategy_rng_);
  wants_slots_ = static_cast<int>(step.drafts.size()) >= left.slots;
  for (search::Draft& draft : step.drafts) {
    draft.proposal.id = fmt::format("p{:05}", ++made_);
    pending_.push_back(draft.proposal);
    waiting_.push_back(std::move(draft));
  }
}

// Calls go out in the order proposed, as slots and money allow. What finds no money while
// nothing is in flight never will.
void Run::send_waiting() {
  while (!waiting_.empty()) {
    const bool asks = asks_agent(waiting_.front().proposal.kind);
    if (asks && asking_ >= llm_slots_) return;
    if (send(waiting_.front())) {
      waiting_.pop_front();
    } else if (flights_.empty()) {
      const Proposal closed = waiting_.front().proposal;
      waiting_.pop_front();
      ++trace_.starved;
      close(closed.id);
      rejected_.push_back(closed);
    } else {
      return;
    }
  }
}

bool Run::send(search::Draft draft) {
  const Proposal& proposal = draft.proposal;
  Flight flight{now_s_, ++made_, Flight::Stage::replied, {}, 0};
  if (asks_agent(proposal.kind)) {
    const auto worst = nano_usd_max(world_.calls, proposal.tier);
    if (!ledger_.reserve(proposal.id, worst, proposal.charged ? 1 : 0)) return false;
    const Call call = draw_call(world_.calls, proposal.tier, world_rng_);
    flight.at_s += call.seconds;
    flight.nano_usd = call.nano_usd;
    ++asking_;
  }
  flight.draft = std::move(draft);
  flights_.push(std::move(flight));
  return true;
}

// Whether the strategy may have something new to say: something was judged or answered, or a slot
// became free that it could have used before.
bool Run::land() {
  Flight flight = flights_.top();
  flights_.pop();
  now_s_ = flight.at_s;
  const bool closed =
      flight.stage == Flight::Stage::judged || !gives_candidate(flight.draft.proposal.kind);
  const bool freed = flight.stage == Flight::Stage::replied && wants_slots_;
  arrive(std::move(flight));
  return closed || freed;
}

void Run::arrive(Flight flight) {
  const Proposal& proposal = flight.draft.proposal;
  if (flight.stage == Flight::Stage::judged) return judge(flight);
  if (flight.stage == Flight::Stage::replied && asks_agent(proposal.kind)) {
    --asking_;
    ledger_.settle(proposal.id, flight.nano_usd, proposal.charged ? 1 : 0);
  }
  if (!gives_candidate(proposal.kind)) return answer(flight);
  const bool replied = flight.stage == Flight::Stage::replied;
  flight.at_s = replied ? builds_.take(now_s_, world_.calls.build_s)
                        : devices_.take(now_s_, world_.calls.judge_s);
  flight.stage = replied ? Flight::Stage::built : Flight::Stage::judged;
  flights_.push(std::move(flight));
}

void Run::answer(const Flight& flight) {
  const Proposal& proposal = flight.draft.proposal;
  close(proposal.id);
  std::vector<std::string> texts;
  if (proposal.kind == Proposal::Kind::brainstorm) {
    texts = author_.brainstorm(k_ideas_of_brainstorm, world_rng_);
  } else {
    const auto parents = programs_of(proposal);
    texts = {author_.analyse(parents.empty() ? Program{} : *parents.front(), world_rng_)};
  }
  answered_.push_back({proposal, std::move(texts), flight.nano_usd});
}

std::vector<const Program*> Run::programs_of(const Proposal& proposal) const {
  std::vector<const Program*> programs;
  for (const std::string& id : proposal.parents) {
    const auto found = written_.find(id);
    if (found != written_.end()) programs.push_back(&found->second.program);
  }
  return programs;
}

Written Run::fix(const Proposal& proposal, const Written& broken) {
  Written written = broken;
  written.works = author_.mends(proposal.tier, world_rng_);
  return written;
}

Written Run::write(const search::Draft& draft) {
  using Kind = Proposal::Kind;
  const Proposal& proposal = draft.proposal;
  if (proposal.kind == Kind::seed) return {landscape_.seed()};
  if (proposal.kind == Kind::file) return {};
  const auto parents = programs_of(proposal);
  if (proposal.kind == Kind::fix && !parents.empty()) {
    return fix(proposal, written_.at(proposal.parents.front()));
  }
  if (proposal.kind == Kind::tune && !parents.empty()) {
    return {author_.tune(*parents.front(), draft.source)};
  }
  const Attempt attempt = parents.empty()
                              ? author_.write(proposal.idea, proposal.tier, world_rng_)
                              : author_.improve(parents, proposal.idea, proposal.tier, world_rng_);
  return {attempt.program, !chance(world_rng_, attempt.failure)};
}

// Figures about fixing count a failing first attempt once, however many fixes it takes.
void Run::count(const Proposal& proposal, Written& written) {
  if (!asks_agent(proposal.kind)) return;
  if (proposal.kind == Proposal::Kind::fix) {
    ++trace_.fixes;
    if (written.works && written.first >= 0 && !mended_[written.first]) {
      mended_[written.first] = true;
      ++trace_.fixed;
    }
    return;
  }
  ++trace_.candidates;
  if (written.works) return;
  ++trace_.failures;
  written.first = static_cast<int>(mended_.size());
  mended_.push_back(false);
}

void Run::judge(const Flight& flight) {
  const Proposal& proposal = flight.draft.proposal;
  close(proposal.id);
  Written written = write(flight.draft);
  count(proposal, written);
  Judged entry;
  entry.proposal = proposal;
  entry.candidate = make_candidate(source_of(written.program, made_++), proposal.label);
  const double log_ratio = landscape_.log_gain(written.program);
  entry.verdict = written.works ? timed_verdict(log_ratio, world_.noise_sigma, world_rng_)
                                : failing_verdict(world_rng_);
  entry.verdict.candidate_id = entry.candidate.id;
  entry.seconds = world_.calls.build_s + world_.calls.judge_s;
  entry.nano_usd = flight.nano_usd;
  note_best(written, entry.verdict);
  written_.emplace(entry.candidate.id, std::move(written));
  judged_.push_back(std::move(entry));
}

void Run::note_best(const Written& written, const Verdict& verdict) {
  if (verdict.outcome != Outcome::faster) return;
  const double measured = std::log(verdict.ratios.front().ratio);
  if (measured <= best_measured_) return;
  best_measured_ = measured;
  best_log_gain_ = std::max(0.0, landscape_.log_gain(written.program));
  trace_.milestones.push_back(now(best_log_gain_));
}

Milestone Run::now(double log_gain) const {
  const double usd = usd_of(ledger_.nano_usd_spent());
  return {usd, ledger_.queries_spent(), now_s_, log_gain};
}

void Run::close(const std::string& proposal_id) {
  std::erase_if(pending_, [&](const Proposal& entry) { return entry.id == proposal_id; });
}

}  // namespace

double log_gain_at_usd(const Trace& trace, double usd) {
  double gain = 0;
  for (const Milestone& milestone : trace.milestones) {
    if (milestone.usd <= usd) gain = milestone.log_gain;
  }
  return gain;
}

double log_gain_at_queries(const Trace& trace, std::int64_t queries) {
  double gain = 0;
  for (const Milestone& milestone : trace.milestones) {
    if (milestone.queries <= queries) gain = milestone.log_gain;
  }
  return gain;
}

Trace simulate_run(const search::Strategy& strategy, const World& world, const Landscape& landscape,
                   const RunLimits& limits, std::uint64_t seed) {
  return Run(strategy, world, landscape, limits, seed).run();
}

}  // namespace cupel::simulate
