#include "engine/lanes/thread_lanes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/rounds/beside.h"
#include "engine/rounds/faults.h"
#include "sandbox/cores.h"

namespace cupel::engine {
namespace {

// How soon the loop notices a stop that a signal handler raised: such a handler can wake nobody.
constexpr std::chrono::milliseconds k_stop_poll{200};
// Beside a GPU the judge, the referee and two hosts keep a core each; builds get the rest.
constexpr int k_cores_for_gpu_measuring = 4;
// g++ and nvcc take about 1 GB each.
constexpr int k_builds_max = 8;

int asks_max(const Agents& agents) {
  if (!agents.any()) return 0;
  const int cheap = agents.cheap ? agents.cheap->concurrency_max() : 0;
  const int reader = agents.reader ? agents.reader->concurrency_max() : 0;
  return agents.strong->concurrency_max() + cheap + reader;
}

}  // namespace

ThreadLanesSettings thread_lanes_settings(const RunOptions& options) {
  const int cores = sandbox::given_core_count();
  const bool on_cpu = options.device == "cpu";
  const int free_cores = on_cpu ? cores : cores - k_cores_for_gpu_measuring;
  return {std::clamp(free_cores, 1, k_builds_max), on_cpu};
}

ThreadLanes::ThreadLanes(const ThreadLanesSettings& settings, Evaluator& evaluator,
                         const Agents& agents, const Clock& clock, const StopFlag& stop)
    : settings_(settings),
      evaluator_(evaluator),
      agents_(agents),
      clock_(clock),
      stop_(stop),
      askers_(asks_max(agents)),
      builders_(settings.builds_max),
      measurer_(1) {}

ThreadLanes::~ThreadLanes() {
  cancel_asks();
}

int ThreadLanes::Busy::*ThreadLanes::asks_of(Tier tier) const {
  const llm::Provider* const asked = &agents_.of(tier);
  if (asked == agents_.strong) return &Busy::strong;
  return asked == agents_.reader ? &Busy::reader : &Busy::cheap;
}

bool ThreadLanes::can_ask(Tier tier) const {
  if (!agents_.any()) return false;
  return busy_.*asks_of(tier) < agents_.of(tier).concurrency_max();
}

bool ThreadLanes::can_build() const {
  const bool in_the_way = settings_.builds_disturb && busy_.measurements > 0;
  return busy_.builds < settings_.builds_max && !in_the_way;
}

bool ThreadLanes::can_measure() const {
  const bool disturbed = settings_.builds_disturb && busy_.builds > 0;
  return busy_.measurements == 0 && !disturbed;
}

double ThreadLanes::seconds_since(std::int64_t start_ns) const {
  return static_cast<double>(clock_.now_ns() - start_ns) / k_ns_per_s;
}

void ThreadLanes::finish(Completion completion, int& count) {
  const std::lock_guard lock(mutex_);
  done_.push_back({std::move(completion), &count});
  wake_.notify_one();
}

void ThreadLanes::ask(const Prompt& prompt) {
  CUPEL_CHECK(can_ask(prompt.tier));
  int& count = busy_.*asks_of(prompt.tier);
  ++count;
  askers_.run([this, prompt, &count] {
    finish({prompt.proposal_id, agents_.of(prompt.tier).ask(prompt, asks_stop_)}, count);
  });
}

void ThreadLanes::build(const std::string& subject, const Candidate& candidate) {
  CUPEL_CHECK(can_build());
  ++busy_.builds;
  builders_.run([this, subject, candidate] {
    const std::int64_t start_ns = clock_.now_ns();
    Status status = evaluator_.prebuild(candidate);
    finish({subject, Built{std::move(status), seconds_since(start_ns)}}, busy_.builds);
  });
}

void ThreadLanes::start_measurement(std::function<Completion()> make) {
  CUPEL_CHECK(can_measure());
  ++busy_.measurements;
  measurer_.run([this, make = std::move(make)] { finish(make(), busy_.measurements); });
}

void ThreadLanes::start_judgement(const std::string& subject,
                                  std::function<Result<Judgement>()> make) {
  start_measurement([this, subject, make = std::move(make)] {
    const std::int64_t start_ns = clock_.now_ns();
    Result<Judgement> judgement = make();
    return Completion{subject, Measured{std::move(judgement), seconds_since(start_ns)}};
  });
}

void ThreadLanes::measure(const std::string& subject, const std::vector<Candidate>& programs) {
  start_judgement(subject, [this, programs] { return judge_or_fault(evaluator_, programs); });
}

void ThreadLanes::audit(const std::string& subject, const Candidate& program) {
  start_judgement(subject, [this, program] { return audit_or_fault(evaluator_, program); });
}

void ThreadLanes::measure_beside(const std::vector<std::string>& subjects,
                                 const std::vector<Candidate>& programs) {
  start_measurement([this, subjects, programs] {
    const std::int64_t start_ns = clock_.now_ns();
    auto judgements = judge_beside_or_fault(evaluator_, programs);
    return Completion{subjects.front(),
                      MeasuredBeside{subjects, std::move(judgements), seconds_since(start_ns)}};
  });
}

void ThreadLanes::profile(const std::string& subject, const std::optional<Candidate>& program) {
  start_measurement([this, subject, program] {
    return Completion{subject, Profiled{program ? program->id : "",
                                        evaluator_.profile(program ? &*program : nullptr)}};
  });
}

void ThreadLanes::label(const std::string& subject, const std::vector<Candidate>& programs) {
  start_measurement([this, subject, programs] {
    return Completion{subject, LabelledPrograms{ids_of(programs), evaluator_.labels(programs)}};
  });
}

std::optional<Completion> ThreadLanes::next(double seconds_max) {
  using SteadyClock = std::chrono::steady_clock;
  if (busy_.all() == 0) return std::nullopt;
  const auto start = SteadyClock::now();
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, k_stop_poll, [this] { return !done_.empty(); })) {
    if (stop_.raised() && !asks_stop_.raised()) return std::nullopt;
    const std::chrono::duration<double> waited = SteadyClock::now() - start;
    if (waited.count() >= seconds_max) return std::nullopt;
  }
  Done done = std::move(done_.front());
  done_.pop_front();
  --*done.count;
  return std::move(done.completion);
}

}  // namespace cupel::engine
