#include "engine/rehearse/replay.h"

#include <fmt/format.h>

#include <deque>

#include "journal/reader.h"

namespace cupel::engine {
namespace {

std::string shown(const Proposed& proposed) {
  return encode(proposed.proposal) + " " + proposed.candidate.label;
}

bool is_same(const Proposed& left, const Proposed& right) {
  return encode(left.proposal) == encode(right.proposal) &&
         left.candidate.id == right.candidate.id && left.candidate.label == right.candidate.label;
}

class Replay {
 public:
  explicit Replay(const StrategySource& source) : source_(source) {}

  // Looks at what the run decided, then lets it happen. Stops comparing at the first difference.
  Status take(const journal::Event& event) {
    if (replayed_.difference.empty()) CUPEL_TRY_STATUS(compare(event));
    return journal::apply(state_, event);
  }

  Replayed outcome() const { return replayed_; }

 private:
  Status compare(const journal::Event& event) {
    if (event.kind == journal::kind::k_proposed) {
      CUPEL_TRY(const Proposed made, decode_proposed(event.body));
      if (made.proposal.kind != Proposal::Kind::read) return compare_proposal(event, made);
    }
    close_step(event);
    if (event.kind == journal::kind::k_decision) return compare_end(event);
    return {};
  }

  Status compare_proposal(const journal::Event& event, const Proposed& made) {
    if (expected_.empty() || made.step != step_) {
      close_step(event);
      CUPEL_TRY_STATUS(open_step(made.step));
    }
    ++replayed_.proposals;
    if (expected_.empty()) {
      differ(event, "the run proposed " + shown(made) + ", the replay proposes nothing more");
      return {};
    }
    if (!is_same(made, expected_.front())) {
      differ(event, "the run proposed " + shown(made) + ", the replay proposes " +
                        shown(expected_.front()));
    }
    expected_.pop_front();
    return {};
  }

  Status compare_end(const journal::Event& event) {
    CUPEL_TRY(const Decision made, decode_decision(event.body));
    if (made.what != decision::k_search_over) return {};
    CUPEL_TRY(const NextStep next, ask_strategy());
    replayed_.ended = true;
    if (next.proposed.empty()) return {};
    differ(event, "the run ended its search, the replay proposes " + shown(next.proposed.front()));
    return {};
  }

  Status open_step(int step) {
    CUPEL_TRY(NextStep next, ask_strategy());
    expected_.assign(next.proposed.begin(), next.proposed.end());
    step_ = step;
    ++replayed_.steps;
    return {};
  }

  void close_step(const journal::Event& event) {
    if (expected_.empty()) return;
    differ(event, "the replay also proposes " + shown(expected_.front()));
    expected_.clear();
  }

  Result<NextStep> ask_strategy() {
    if (!strategy_) {
      CUPEL_TRY(strategy_, source_ ? source_(state_) : strategy_of(state_));
    }
    return next_step(state_, *strategy_);
  }

  void differ(const journal::Event& event, const std::string& how) {
    if (replayed_.difference.empty()) {
      replayed_.difference = fmt::format("at event {}: {}", event.seq, how);
    }
  }

  const StrategySource& source_;
  journal::RunState state_;
  std::unique_ptr<search::Strategy> strategy_;
  std::deque<Proposed> expected_;  // of the step that is being compared
  int step_ = -1;
  Replayed replayed_;
};

}  // namespace

Result<Replayed> replay(const std::filesystem::path& run_dir, const StrategySource& source) {
  Replay replay(source);
  CUPEL_TRY_STATUS(journal::for_each_event(
      run_dir, [&](const journal::Event& event) { return replay.take(event); }));
  return replay.outcome();
}

}  // namespace cupel::engine
