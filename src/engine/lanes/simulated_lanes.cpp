#include "engine/lanes/simulated_lanes.h"

#include <cmath>

#include "engine/rounds/beside.h"
#include "engine/rounds/faults.h"

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

void SimulatedLanes::start(int& count, double seconds, Completion completion) {
  ++count;
  const auto duration_ns = static_cast<std::int64_t>(std::llround(seconds * k_ns_per_s));
  under_way_.emplace(Key{clock_.now_ns() + duration_ns, ++started_},
                     Work{std::move(completion), &count});
}

void SimulatedLanes::ask(const Prompt& prompt) {
  CUPEL_CHECK(can_ask(prompt.tier));
  Reply reply = agents_.of(prompt.tier).ask(prompt, never_stopped_);
  const double seconds = reply.seconds;
  start(asks_, seconds, {prompt.proposal_id, std::move(reply)});
}

void SimulatedLanes::build(const std::string& subject, const Candidate& candidate) {
  CUPEL_CHECK(can_build());
  const double seconds = settings_.build_s ? settings_.build_s(subject) : 0;
  start(builds_, seconds, {subject, Built{evaluator_.prebuild(candidate), seconds}});
}

void SimulatedLanes::measure(const std::string& subject, const std::vector<Candidate>& programs) {
  CUPEL_CHECK(can_measure());
  start_judgement(subject, judge_or_fault(evaluator_, programs));
}

void SimulatedLanes::audit(const std::string& subject, const Candidate& program) {
  CUPEL_CHECK(can_measure());
  start_judgement(subject, audit_or_fault(evaluator_, program));
}

void SimulatedLanes::start_judgement(const std::string& subject, Result<Judgement> judgement) {
  const double seconds = measure_s(subject);
  start(measurements_, seconds, {subject, Measured{std::move(judgement), seconds}});
}

void SimulatedLanes::measure_beside(const std::vector<std::string>& subjects,
                                    const std::vector<Candidate>& programs) {
  CUPEL_CHECK(can_measure());
  double seconds = 0;
  for (const std::string& subject : subjects) seconds += measure_s(subject);
  start(measurements_, seconds,
        {subjects.front(),
         MeasuredBeside{subjects, judge_beside_or_fault(evaluator_, programs), seconds}});
}

void SimulatedLanes::profile(const std::string& subject, const std::optional<Candidate>& program) {
  CUPEL_CHECK(can_measure());
  start(measurements_, 0,
        {subject,
         Profiled{program ? program->id : "", evaluator_.profile(program ? &*program : nullptr)}});
}

void SimulatedLanes::label(const std::string& subject, const std::vector<Candidate>& programs) {
  CUPEL_CHECK(can_measure());
  start(measurements_, 0,
        {subject, LabelledPrograms{ids_of(programs), evaluator_.labels(programs)}});
}

std::optional<Completion> SimulatedLanes::next(double seconds_max) {
  if (under_way_.empty()) return std::nullopt;
  const std::int64_t wait_ns = under_way_.begin()->first.first - clock_.now_ns();
  if (static_cast<double>(wait_ns) > seconds_max * k_ns_per_s) {
    clock_.advance_ns(static_cast<std::int64_t>(std::ceil(seconds_max * k_ns_per_s)));
    return std::nullopt;
  }
  if (wait_ns > 0) clock_.advance_ns(wait_ns);
  Work first = std::move(under_way_.extract(under_way_.begin()).mapped());
  --*first.count;
  return std::move(first.completion);
}

void SimulatedLanes::cancel_asks() {
  std::map<Key, Work> kept;
  for (auto& [key, work] : under_way_) {
    Key when = key;
    if (Reply* const reply = std::get_if<Reply>(&work.completion.outcome)) {
      reply->end = Reply::End::failed;
      reply->text.clear();
      reply->problem = "stopped";
      when.first = clock_.now_ns();
    }
    kept.emplace(when, std::move(work));
  }
  under_way_ = std::move(kept);
}

}  // namespace cupel::engine
