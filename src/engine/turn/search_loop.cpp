#include "engine/turn/search_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "engine/plan/budget.h"
#include "engine/plan/proposing.h"
#include "engine/plan/under_way.h"
#include "engine/turn/asking.h"
#include "engine/turn/judging.h"
#include "engine/turn/labelling.h"
#include "engine/turn/profiling.h"
#include "engine/turn/reading.h"
#include "engine/turn/show.h"
#include "report/words/numbers.h"
#include "search/history/value.h"
#include "search/winning/choice.h"

namespace cupel::engine {
namespace {

constexpr double k_forever_s = std::numeric_limits<double>::infinity();
// How soon it is asked again whether a seed fits in before the next answer: some turns an answer.
constexpr double k_look_again_s = 5;

using journal::OpenProposal;

class SearchLoop {
 public:
  SearchLoop(Sitting& sitting, const search::Strategy& strategy)
      : sitting_(sitting), strategy_(strategy) {}

  Status turns();
  Status drain();

 private:
  const journal::RunState& state() const { return sitting_.state(); }
  // A run that was opened again judges what it left, however long that takes.
  double seconds_left() const {
    return state().reopened ? k_forever_s : search_seconds_left(sitting_.journal);
  }
  bool is_time_up() const { return seconds_left() <= 0; }
  bool is_over() const;

  Status propose();
  Status decide();
  Status start();
  Status start_questions();
  bool holds_seeds_back() const;
  Status take_next();

  Status note_skips(const std::vector<search::Skip>& skips);
  Status note_lead();
  Status close_duplicates();
  Status close_worthless();
  Status close_late();
  Status stop(const std::string& why, std::size_t dropped);
  Status close_all(const std::string& why,
                   const std::function<bool(const OpenProposal&)>& is_dropped);
  Status close(const OpenProposal& open, const std::string& why);
  Status take(Completion completion);

  Sitting& sitting_;
  const search::Strategy& strategy_;
  std::set<std::string> in_flight_;  // proposals at work in a lane
  std::optional<Error> failure_;     // nobody answers: what was bought is judged, no more is asked
};

// What a turn decides becomes true in one piece, before a question is sent and before the loop
// waits.
Status SearchLoop::turns() {
  while (!sitting_.stopped()) {
    sitting_.journal.gather();
    const std::int64_t events_before = state().events;
    CUPEL_TRY_STATUS(parse_replies(sitting_));  // replies become candidates or answers
    CUPEL_TRY_STATUS(propose());                // the strategy's next step
    CUPEL_TRY_STATUS(decide());                 // note the leader; close what need not be judged
    CUPEL_TRY_STATUS(start());                  // every lane takes what it has room for
    CUPEL_TRY_STATUS(sitting_.journal.keep());  // all that survives a kill from here on
    if (is_over()) break;
    CUPEL_TRY_STATUS(take_next());  // one completion, into the journal
    const bool idle = in_flight_.empty() && state().events == events_before;
    if (idle && !is_time_up()) {  // else the next turn closes what is open
      return bug_error("no lane takes what is open", state().open.front().proposal.id);
    }
  }
  if (failure_ && !sitting_.stopped()) return fail(*failure_);
  return {};
}

// What was bought is judged before a sitting ends, also one that ends because nobody answers any
// more; but not beyond the budget of minutes.
bool SearchLoop::is_over() const {
  if (!in_flight_.empty()) return false;
  const bool none_to_judge =
      std::none_of(state().open.begin(), state().open.end(),
                   [](const OpenProposal& open) { return !open.candidate.id.empty(); });
  if (failure_) return none_to_judge || is_time_up();
  return is_search_over(state()) && (state().open.empty() || is_time_up());
}

// What a stop interrupts is dropped: the terminal's signal may have killed a host as well, and
// the candidate must not be blamed for that.
Status SearchLoop::drain() {
  sitting_.lanes.cancel_asks();
  const auto asked = [this] {
    return std::any_of(state().open.begin(), state().open.end(),
                       [](const OpenProposal& open) { return open.asked.has_value(); });
  };
  while (asked()) {
    auto completion = sitting_.lanes.next(k_forever_s);
    if (!completion) break;
    Reply* const reply = std::get_if<Reply>(&completion->outcome);
    if (!reply) continue;
    CUPEL_TRY(const auto ignored,
              take_reply(sitting_, completion->subject, std::move(*reply), true));
  }
  return {};
}

Status SearchLoop::propose() {
  if (is_search_over(state()) || failure_) return {};
  show(sitting_, Stage::propose);
  const NextStep step = next_step(state(), strategy_);
  CUPEL_TRY_STATUS(sitting_.journal.propose(step.proposed));
  CUPEL_TRY_STATUS(note_skips(step.skips));
  if (!step.proposed.empty() || !only_readings_open(state())) return {};
  if (!step.stop.empty()) sitting_.progress.on_note(step.stop);
  const std::string nothing = std::string(strategy_.name()) + " proposes nothing more";
  return sitting_.journal.decide(
      {decision::k_search_over, step.stop.empty() ? nothing : step.stop, ""});
}

Status SearchLoop::note_skips(const std::vector<search::Skip>& skips) {
  for (const search::Skip& skip : skips) {
    if (is_decided(state(), decision::k_skip, skip.label)) continue;
    CUPEL_TRY_STATUS(sitting_.journal.decide({decision::k_skip, skip.why, skip.label}));
    sitting_.progress.on_note(skip.label + " is skipped: " + skip.why);
  }
  return {};
}

// Every decision follows from the journal, so that a resumed run decides the same.
Status SearchLoop::decide() {
  CUPEL_TRY_STATUS(note_lead());
  CUPEL_TRY_STATUS(close_duplicates());
  CUPEL_TRY_STATUS(propose_readings(sitting_));
  CUPEL_TRY_STATUS(close_worthless());
  return close_late();
}

Status SearchLoop::note_lead() {
  const Judged* fastest = search::choose(state().record.judged, {}).fastest;
  if (!fastest || is_decided(state(), decision::k_lead, fastest->candidate.id)) return {};
  return sitting_.journal.decide({decision::k_lead,
                                  fastest->proposal.id + " " + fastest->candidate.label +
                                      " leads: " + fastest->verdict.headline(),
                                  fastest->candidate.id});
}

// Of equal programs the one that became known first is judged.
Status SearchLoop::close_duplicates() {
  std::map<std::string, int> first;
  for (const OpenProposal& open : state().open) {
    const auto [entry, is_new] = first.emplace(open.candidate.id, open.candidate_number);
    if (!is_new) entry->second = std::min(entry->second, open.candidate_number);
  }
  const auto open_ones = state().open;
  for (const OpenProposal& open : open_ones) {
    if (open.candidate.id.empty()) continue;
    const bool is_known = state().judged_at.contains(open.candidate.id) ||
                          first.at(open.candidate.id) != open.candidate_number;
    if (is_known) CUPEL_TRY_STATUS(close(open, "the same program was proposed before"));
  }
  return {};
}

// Questions under way are paid for: they are judged, but none is sent any more.
Status SearchLoop::close_worthless() {
  const double stop_value = state().record.options.stop_value;
  if (stop_value <= 0 || is_search_over(state())) return {};
  search::StopRule rule;
  rule.log_gain_per_usd_min = std::log1p(stop_value);
  const std::string why = search::stop_by_value({.judged = state().record.judged}, rule);
  if (why.empty()) return {};
  return close_all(why, [](const OpenProposal& open) {
    return open.candidate.id.empty() && !open.asked && !open.reply;
  });
}

// What was bought stays open: `cupel resume` judges it.
Status SearchLoop::close_late() {
  if (state().open.empty() || !is_time_up()) return {};
  const double seconds_max = state().record.options.minutes_max * 60;
  const std::string why = fmt::format("the budget of {} is spent, the final round counted",
                                      report::seconds_text(seconds_max));
  sitting_.lanes.cancel_asks();
  return close_all(why, [this](const OpenProposal& open) {
    return !is_bought(open) && !in_flight_.contains(open.proposal.id);
  });
}

// The search ends, for all that is open of a kind.
Status SearchLoop::close_all(const std::string& why,
                             const std::function<bool(const OpenProposal&)>& is_dropped) {
  std::vector<OpenProposal> dropped;
  std::copy_if(state().open.begin(), state().open.end(), std::back_inserter(dropped), is_dropped);
  const auto programs = std::count_if(dropped.begin(), dropped.end(), [](const auto& open) {
    return open.proposal.kind != Proposal::Kind::read;
  });
  CUPEL_TRY_STATUS(stop(why, static_cast<std::size_t>(programs)));
  for (const OpenProposal& open : dropped) CUPEL_TRY_STATUS(close(open, why));
  return {};
}

Status SearchLoop::stop(const std::string& why, std::size_t dropped) {
  if (is_decided(state(), decision::k_stop)) return {};
  const char* const programs = dropped == 1 ? "program is" : "programs are";
  const std::string left = dropped ? fmt::format("; {} {} not judged", dropped, programs) : "";
  sitting_.progress.on_note(why + left);
  return sitting_.journal.decide({decision::k_stop, why, ""});
}

Status SearchLoop::close(const OpenProposal& open, const std::string& why) {
  return sitting_.journal.reject({open.proposal.id, open.candidate.id, why});
}

// Questions first: what is measured beside them depends on when they will be answered.
Status SearchLoop::start() {
  if (is_time_up()) return {};
  if (auto profile = failure_ ? std::nullopt : start_wanted_profile(sitting_)) {
    in_flight_.insert(std::move(*profile));
  }
  if (!failure_) CUPEL_TRY_STATUS(start_questions());
  if (auto labels = start_labels(sitting_)) in_flight_.insert(std::move(*labels));
  for (std::string& id : start_work(sitting_, in_flight_, seconds_left())) {
    in_flight_.insert(std::move(id));
  }
  if (auto profile = failure_ ? std::nullopt : start_free_profile(sitting_)) {
    in_flight_.insert(std::move(*profile));
  }
  return {};
}

Status SearchLoop::start_questions() {
  std::vector<std::string> asked;
  auto shortages = start_asks(sitting_, asked);
  in_flight_.insert(asked.begin(), asked.end());
  if (!shortages) return fail(std::move(shortages).error());
  for (const Shortage& shortage : *shortages) {
    CUPEL_TRY_STATUS(stop(shortage.why, shortages->size()));
    const OpenProposal open = *journal::find_open(state(), shortage.proposal_id);
    CUPEL_TRY_STATUS(close(open, shortage.why));
  }
  CUPEL_TRY(const auto readings, start_readings(sitting_));  // with what programs leave
  in_flight_.insert(readings.begin(), readings.end());
  return {};
}

// The device is free, and a seed could be measured but for an answer that is due.
bool SearchLoop::holds_seeds_back() const {
  if (!sitting_.lanes.can_measure()) return false;
  return std::any_of(state().open.begin(), state().open.end(), [this](const OpenProposal& open) {
    return open.proposal.kind == Proposal::Kind::seed && !in_flight_.contains(open.proposal.id);
  });
}

Status SearchLoop::take_next() {
  if (in_flight_.empty()) return {};
  show_work(sitting_, in_flight_);
  const bool is_late = is_search_over(state()) && only_readings_open(state());
  double wait_s = is_time_up() ? k_forever_s : seconds_left();
  if (holds_seeds_back()) wait_s = std::min(wait_s, k_look_again_s);
  auto completion = sitting_.lanes.next(is_late ? std::min(wait_s, k_late_reading_s) : wait_s);
  if (!completion && is_late) sitting_.lanes.cancel_asks();
  if (!completion || sitting_.stopped()) {
    // A reply that came with the stop is paid for.
    Reply* const reply = completion ? std::get_if<Reply>(&completion->outcome) : nullptr;
    if (!reply) return {};
    CUPEL_TRY(const auto ignored,
              take_reply(sitting_, completion->subject, std::move(*reply), true));
    return {};
  }
  return take(std::move(*completion));
}

Status SearchLoop::take(Completion completion) {
  in_flight_.erase(completion.subject);
  if (Reply* const reply = std::get_if<Reply>(&completion.outcome)) {
    CUPEL_TRY(auto failure,
              take_reply(sitting_, completion.subject, std::move(*reply), is_time_up()));
    if (failure && !failure_) failure_ = std::move(failure);
    return {};
  }
  if (const Built* const built = std::get_if<Built>(&completion.outcome)) {
    return take_build(sitting_, completion.subject, *built);
  }
  if (LabelledPrograms* const labelled = std::get_if<LabelledPrograms>(&completion.outcome)) {
    return take_labels(sitting_, std::move(*labelled));
  }
  if (Profiled* const profiled = std::get_if<Profiled>(&completion.outcome)) {
    return take_profile(sitting_, std::move(*profiled));
  }
  if (MeasuredBeside* const several = std::get_if<MeasuredBeside>(&completion.outcome)) {
    for (const std::string& id : several->subjects) in_flight_.erase(id);
    return take_measurements(sitting_, std::move(*several));
  }
  return take_measurement(sitting_, completion.subject,
                          std::move(std::get<Measured>(completion.outcome)));
}

}  // namespace

Status search(Sitting& sitting, const search::Strategy& strategy) {
  SearchLoop loop(sitting, strategy);
  const Status outcome = loop.turns();
  const Status drained = loop.drain();
  return outcome ? drained : outcome;
}

}  // namespace cupel::engine
