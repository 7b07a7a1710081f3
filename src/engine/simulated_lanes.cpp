#include "engine/simulated_lanes.h"

#include <cmath>

#include "engine/beside.h"
#include "engine/final_round.h"

namespace cupel::engine {

bool SimulatedLanes::can_ask(Tier) const {
  return is_free() && agents_.any() && asks_ < settings_.asks_max;
}

bool SimulatedLanes::can_build() const {
  const bool in_the_way = settings_.builds_disturb && measurements_ > 0;
  return is_free() && builds_ < settings_.builds_max && !in_the_way;
}

bool SimulatedLanes::can_measure() const {
  const bool disturbed = settings_.builds_disturb && builds_ > 0;
  return is_free() && measurements_ == 0 && !disturbed;
}

void SimulatedLanes::start(double seconds, Completion completion) {
  const auto duration_ns = static_cast<std::int64_t>(std::llround(seconds * k_ns_per_s));
  under_way_.emplace(Key{clock_.now_ns() + duration_ns, ++started_}, std::move(completion));
}

void SimulatedLanes::ask(const Prompt& prompt) {
  CUPEL_CHECK(can_ask(prompt.tier));
  ++asks_;
  Reply reply = agents_.of(prompt.tier).ask(prompt, never_stopped_);
  const double seconds = reply.seconds;
  start(seconds, {prompt.proposal_id, std::move(reply)});
}

void SimulatedLanes::build(const std::string& subject, const Candidate& candidate) {
  CUPEL_CHECK(can_build());
  ++builds_;
  const double seconds = settings_.build_s ? settings_.build_s(subject) : 0;
  start(seconds, {subject, Built{evaluator_.prebuild(candidate), seconds}});
}

void SimulatedLanes::measure(const std::string& subject, const std::vector<Candidate>& programs) {
  CUPEL_CHECK(can_measure());
  complete_measurement(subject, judge_or_fault(evaluator_, programs));
}

void SimulatedLanes::audit(const std::string& subject, const Candidate& program) {
  CUPEL_CHECK(can_measure());
  complete_measurement(subject, audit_or_fault(evaluator_, program));
}

void SimulatedLanes::complete_measurement(const std::string& subject, Result<Judgement> judgement) {
  ++measurements_;
  const double seconds = settings_.measure_s ? settings_.measure_s(subject) : 0;
  start(seconds, {subject, Measured{std::move(judgement), seconds}});
}

void SimulatedLanes::measure_beside(const std::vector<std::string>& subjects,
                                    const std::vector<Candidate>& programs) {
  CUPEL_CHECK(can_measure());
  ++measurements_;
  double seconds = 0;
  for (const std::string& subject : subjects) {
    seconds += settings_.measure_s ? settings_.measure_s(subject) : 0;
  }
  start(seconds, {subjects.front(),
                  MeasuredBeside{subjects, judge_beside_or_fault(evaluator_, programs), seconds}});
}

void SimulatedLanes::profile(const std::string& subject, const std::optional<Candidate>& program) {
  CUPEL_CHECK(can_measure());
  ++measurements_;
  start(0, {subject, Profiled{program ? program->id : "",
                              evaluator_.profile(program ? &*program : nullptr)}});
}

void SimulatedLanes::label(const std::string& subject, const std::vector<Candidate>& programs) {
  CUPEL_CHECK(can_measure());
  ++measurements_;
  start(0, {subject, LabelledPrograms{ids_of(programs), evaluator_.labels(programs)}});
}

std::optional<Completion> SimulatedLanes::next(double seconds_max) {
  if (under_way_.empty()) return std::nullopt;
  const std::int64_t wait_ns = under_way_.begin()->first.first - clock_.now_ns();
  if (static_cast<double>(wait_ns) > seconds_max * k_ns_per_s) {
    clock_.advance_ns(static_cast<std::int64_t>(std::ceil(seconds_max * k_ns_per_s)));
    return std::nullopt;
  }
  if (wait_ns > 0) clock_.advance_ns(wait_ns);
  auto first = under_way_.extract(under_way_.begin());
  Completion completion = std::move(first.mapped());
  asks_ -= std::holds_alternative<Reply>(completion.outcome);
  builds_ -= std::holds_alternative<Built>(completion.outcome);
  measurements_ -= std::holds_alternative<Measured>(completion.outcome) ||
                   std::holds_alternative<MeasuredBeside>(completion.outcome) ||
                   std::holds_alternative<Profiled>(completion.outcome) ||
                   std::holds_alternative<LabelledPrograms>(completion.outcome);
  return completion;
}

void SimulatedLanes::cancel_asks() {
  std::map<Key, Completion> kept;
  for (auto& [key, completion] : under_way_) {
    Key when = key;
    if (Reply* const reply = std::get_if<Reply>(&completion.outcome)) {
      reply->end = Reply::End::failed;
      reply->text.clear();
      reply->problem = "stopped";
      when.first = clock_.now_ns();
    }
    kept.emplace(when, std::move(completion));
  }
  under_way_ = std::move(kept);
}

}  // namespace cupel::engine
