#include "measure/round.h"

#include <sys/resource.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "measure/stopwatch.h"
#include "sandbox/cores.h"
#include "stats/quantile.h"

namespace cupel::measure {
namespace {

// A chunk is one stretch of calls between two visits to the referee.
constexpr double k_chunk_ms = 400;
// Preparing and checking an input costs about this many times its calls (float64 oracle).
constexpr double k_referee_cost_factor = 2.5;
// Untimed calls of each program after a reversal of the turn, for rounds whose calls take less than
// the limit together.
constexpr int k_washout_calls = 2;
constexpr double k_washout_call_ms_max = 100;

double process_cpu_ms() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

int round_up_even(int count) {
  return count + count % 2;
}

}  // namespace

Round::Round(RoundContext context, std::vector<Program> programs, Rng rng)
    : context_(std::move(context)),
      programs_(std::move(programs)),
      rng_(rng),
      surroundings_seed_(rng_.next()) {}

Result<Evidence> Round::run(const Referral& referral) {
  const double cpu_before_ms = process_cpu_ms();
  {
    const Stopwatch wall(clock_, evidence_.cost.wall_ms);
    CUPEL_TRY_STATUS(take_hosts());
    expect_audits();
    CUPEL_TRY_STATUS(share_device());
    CUPEL_TRY_STATUS(load_programs());
    if (can_go_on()) CUPEL_TRY_STATUS(first_calls());
    CUPEL_TRY_STATUS(measure(referral));
    if (can_go_on()) CUPEL_TRY_STATUS(audit(referral.claimants(current_evidence())));
    if (can_go_on() && context_.lane.plan.endurance_calls > 0) CUPEL_TRY_STATUS(endure());
    sharing_.reset();
    close_lanes();
  }
  if (evidence_.stop_reason.empty()) evidence_.stop_reason = "fault";
  evidence_.cost.judge_cpu_ms = process_cpu_ms() - cpu_before_ms;
  context_.pool.thaw();
  return current_evidence();
}

// Side by side: the end of a process that used a GPU takes its time.
void Round::close_lanes() {
  std::vector<std::jthread> threads;
  for (auto& lane : lanes_) threads.emplace_back([&lane] { lane->close(); });
  if (nothing_) nothing_->close();
}

Result<std::unique_ptr<Host>> Round::take_host(const Program& program) {
  HostPool& pool = context_.pool;
  if (!program.checker.empty()) {
    return pool.take_checked(k_host_ready_seconds_max, program.checker);
  }
  if (program.as_users) return pool.take_as_users(k_host_ready_seconds_max, surroundings_seed_);
  return pool.take(k_host_ready_seconds_max);
}

Status Round::take_hosts() {
  const Stopwatch waiting(clock_, evidence_.cost.wait_hosts_ms);
  for (const auto& program : programs_) {
    CUPEL_TRY(auto host, take_host(program));
    host->freeze();
    lanes_.push_back(
        std::make_unique<Lane>(context_.lane, program, std::move(host), rng_.fork(lanes_.size())));
  }
  if (wants_rows()) {
    Program nothing;
    nothing.does_nothing = true;
    CUPEL_TRY(auto host, take_host(nothing));
    host->freeze();
    nothing_ = std::make_unique<Lane>(context_.lane, std::move(nothing), std::move(host),
                                      rng_.fork(lanes_.size()));
  }
  context_.pool.freeze();
  return {};
}

// Preparing gives way to whoever times on the device.
Status Round::share_device() {
  const Stopwatch waiting(clock_, evidence_.cost.wait_device_ms);
  const Sharing::Work hosts{[this] {
                              for (auto& lane : lanes_) lane->pause();
                            },
                            [this] {
                              for (auto& lane : lanes_) lane->resume();
                            }};
  CUPEL_TRY(sharing_,
            Sharing::start(context_.lane.device.lock(), preparing(context_.referee, hosts)));
  return {};
}

Result<std::unique_ptr<Alone>> Round::wait_for_device() {
  const Stopwatch waiting(clock_, evidence_.cost.wait_device_ms);
  sharing_.reset();
  return Alone::wait(context_.lane.device.lock());
}

// Side by side where programs compile on the CPU for a device, else one after another, each alone
// on the machine.
void Round::on_each(const std::vector<std::size_t>& lanes,
                    const std::function<void(std::size_t, std::mutex&)>& work) {
  std::mutex& gate = sharing_->gate();
  if (!context_.lane.device.traits().compiles_beside) {
    for (const std::size_t lane : lanes) work(lane, gate);
    return;
  }
  std::vector<std::thread> threads;
  for (const std::size_t lane : lanes) {
    threads.emplace_back([&work, &gate, lane] { work(lane, gate); });
  }
  for (auto& thread : threads) thread.join();
}

Status Round::load_programs() {
  const Stopwatch loading(clock_, evidence_.cost.load_ms);
  on_each(all_lanes(), [this](std::size_t lane, std::mutex& gate) { lanes_[lane]->load(gate); });
  if (nothing_ && !nothing_->load(sharing_->gate())) note_exchange();
  return {};
}

// Where programs are not to wait for each other's compilers, their first calls come before the
// warm-up, untimed.
Status Round::first_calls() {
  if (!context_.lane.device.traits().compiles_beside) return {};
  CUPEL_TRY(const auto sets, prepare(1, InputMix::nominal, 0));
  {
    const Stopwatch compiling(clock_, evidence_.cost.load_ms);
    on_each(live_lanes(), [&](std::size_t lane, std::mutex& gate) {
      lanes_[lane]->call_beside(place(sets[0], 0, lane, 0),
                                context_.lane.plan.first_call_seconds_max, gate);
    });
  }
  for (const std::size_t lane : live_lanes()) wanted_.push_back({lane, place(sets[0], 0, lane, 0)});
  return compare_wanted(sets.front().input, 1);
}

// All that is timed, alone on the device.
Status Round::measure(const Referral& referral) {
  if (!can_go_on()) return {};
  CUPEL_TRY(const auto alone, wait_for_device());
  const sandbox::StayOnFirstCore placement;
  CUPEL_TRY_STATUS(expect_quiet());
  if (can_go_on()) CUPEL_TRY_STATUS(warm_up());
  if (can_go_on()) CUPEL_TRY_STATUS(time_calls(referral));
  if (can_go_on() && wants_queued_calls()) queue_calls();
  return {};
}

// Of a device that somebody else uses, a program would be said to go on after its reply.
Status Round::expect_quiet() {
  const Slice scratch = context_.lane.vault.at(0, k_alignment_bytes);
  CUPEL_TRY(const bool quiet,
            context_.lane.device.becomes_quiet(scratch, context_.lane.plan.call_seconds_min));
  if (!quiet) evidence_.infra_fault = "another process keeps the GPU busy";
  return {};
}

// The baseline and at least one other program are alive and well-formed.
bool Round::can_go_on() const {
  const auto live = live_lanes();
  return evidence_.infra_fault.empty() && live.size() >= 2 && live.front() == 0;
}

std::vector<std::size_t> Round::all_lanes() const {
  std::vector<std::size_t> all(lanes_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<std::size_t> Round::live_of(const std::vector<std::size_t>& lanes) const {
  std::vector<std::size_t> live;
  for (const std::size_t lane : lanes) {
    if (lanes_[lane]->usable()) live.push_back(lane);
  }
  return live;
}

std::vector<std::size_t> Round::live_lanes() const {
  return live_of(all_lanes());
}

CallPlace Round::place(const InputSet& set, int set_index, std::size_t lane, int instance) const {
  return {set.input, set.value_class, set.values, set_index, static_cast<int>(lane), instance};
}

double Round::call_seconds_max() const {
  return std::max(context_.lane.plan.call_seconds_min,
                  context_.lane.plan.call_slowdown_max * baseline_call_ms_ / 1e3);
}

Result<std::vector<InputSet>> Round::prepare(int count, InputMix mix, int instance, int first_set) {
  const Stopwatch preparing(clock_, evidence_.cost.prepare_ms);
  const VaultLayout& layout = context_.lane.layout;
  CUPEL_CHECK(first_set + count <= layout.sets);
  const std::int64_t first = context_.next_input;
  context_.next_input += round_up_even(count);
  return context_.referee.prepare(first, count, layout.input_at(first_set), layout.input_stride,
                                  instance, mix);
}

// Sets of the vault that chunks use; the warm-up's inputs stay in the others.
int Round::fresh_sets() const {
  return context_.lane.layout.sets - static_cast<int>(warm_sets_.size());
}

Status Round::warm_up() {
  const int sets = context_.lane.layout.sets;
  const int inputs = std::min(context_.lane.plan.warmup_inputs, sets / 2);
  CUPEL_TRY(warm_sets_, prepare(inputs, InputMix::nominal, 0, sets - inputs));
  {
    const Stopwatch warming(clock_, evidence_.cost.warmup_ms);
    for (const std::size_t lane : live_lanes()) warm_up_lane(lane);
  }
  return compare_wanted(warm_sets_.front().input, inputs);
}

// Every input's outputs are compared as its last call left them. On a device that queues work that
// call finds the device held up until all of it is launched: what the current stream does not wait
// for is then not done when the outputs are taken, however quick it is.
void Round::warm_up_lane(std::size_t index) {
  const MeasurePlan& plan = context_.lane.plan;
  Lane& lane = *lanes_[index];
  const int inputs = static_cast<int>(warm_sets_.size());
  const double further_ms = plan.warmup_ms_max / static_cast<double>(lanes_.size() - 1);
  const bool compiled = lane.evidence().first_call_ms > 0;
  double spent_ms = 0;
  double last_ms = 0;
  std::vector<double> further;  // milliseconds of all but the first
  for (int i = 0; i < inputs || (i < plan.warmup_calls_max && spent_ms < further_ms); ++i) {
    const int set = i % inputs;
    const CallPlace where =
        place(warm_sets_[static_cast<std::size_t>(set)], fresh_sets() + set, index, 0);
    const double limit_s =
        i ? std::max(call_seconds_max(), last_ms / 1e3 * 2) : plan.first_call_seconds_max;
    CallSample sample;
    if (!lane.call(where, limit_s, &sample)) return;
    last_ms = static_cast<double>(sample.bracket_ns) / k_ns_per_ms;
    if (i == 0 && !compiled) lane.evidence().first_call_ms = last_ms;
    if (i > 0) {
      spent_ms += last_ms;
      further.push_back(last_ms);
    }
    if (i < inputs) wanted_.push_back({index, where});
  }
  const double typical_ms = further.empty() ? last_ms : stats::median(further);
  if (context_.lane.device.traits().queues_work) {
    for (int set = 0; set < inputs; ++set) {
      const CallPlace where =
          place(warm_sets_[static_cast<std::size_t>(set)], fresh_sets() + set, index, 0);
      if (!lane.queued_call(where, gate_ns_for(typical_ms), call_seconds_max(), nullptr)) return;
    }
  }
  warm_call_ms_ += typical_ms;
  if (index == 0) baseline_call_ms_ = typical_ms;
}

// How many inputs each of the next two chunks takes, one a turn; 0: the budget is spent.
int Round::next_chunk_inputs() const {
  const MeasurePlan& plan = context_.lane.plan;
  const bool too_few =
      timed_inputs_ < k_inputs_floor ||
      (timed_inputs_ < plan.inputs_min && timing_ms_ < 1e3 * plan.timing_seconds_hard_max);
  if (timed_inputs_ >= plan.inputs_max) return 0;
  if (!too_few && timing_ms_ >= 1e3 * plan.timing_seconds_max) return 0;
  const double input_ms =
      timed_inputs_ ? timing_ms_ / timed_inputs_ : warm_call_ms_ * k_referee_cost_factor;
  const int fitting = static_cast<int>(k_chunk_ms / std::max(input_ms, 1e-3));
  const int most = timed_inputs_ ? (plan.inputs_max - timed_inputs_) / 2 : plan.first_chunk_inputs;
  const int count = std::clamp(fitting, 2, std::max(2, most));
  return std::min(count / 2 * 2, fresh_sets() / 2 * 2);
}

Status Round::time_calls(const Referral& referral) {
  for (;;) {
    const int count = next_chunk_inputs();
    if (count == 0) {
      evidence_.stop_reason = timed_inputs_ >= context_.lane.plan.inputs_max ? "calls" : "budget";
      return {};
    }
    {
      const Stopwatch timing(clock_, timing_ms_);
      for (int turn = 0; turn < 2 && can_go_on(); ++turn) {
        CUPEL_TRY_STATUS(run_chunk(count));
        timed_inputs_ += count;
      }
    }
    context_.lane.device.note_clocks(evidence_.clocks);
    if (!can_go_on()) return {};
    evidence_.stop_reason = referral.stop(current_evidence());
    if (!evidence_.stop_reason.empty()) return {};
  }
}

// From chunk to chunk the turn is reversed, which cancels what being first on an input is worth.
Status Round::run_chunk(int count) {
  CUPEL_TRY(const auto sets, prepare(count, InputMix::timed, 0));
  {
    const Stopwatch calling(clock_, evidence_.cost.calls_ms);
    if (turn_.empty()) {
      turn_ = live_lanes();
      rng_.shuffle(turn_);
    }
    std::reverse(turn_.begin(), turn_.end());
    std::vector<Held> held;
    if (nothing_) {
      time_rows(sets, held);
    } else {
      time_turns(sets, held);
    }
    recall_timed(held);
  }
  return compare_wanted(sets.front().input, count);
}

// Single calls, A B A B, so that every call follows another program's: a program called twice in a
// row finds its own data in the caches and is several per cent faster.
void Round::time_turns(const std::vector<InputSet>& sets, std::vector<Held>& held) {
  const int count = static_cast<int>(sets.size());
  if (warm_call_ms_ < k_washout_call_ms_max) wash_out();
  const int to_hold = turn_to_hold(count);
  for (int i = 0; i < count && can_go_on(); ++i) {
    time_turn(sets[static_cast<std::size_t>(i)], i);
    if (i != to_hold + 1) continue;
    for (const std::size_t index : turn_) {
      hold(index, place(sets[static_cast<std::size_t>(to_hold)], to_hold, index, 0), held);
    }
  }
}

void Round::time_turn(const InputSet& set, int set_index) {
  for (const std::size_t index : turn_) {
    CallSample sample;
    const CallPlace where = place(set, set_index, index, 0);
    if (!call_in_turn(index, where, sample)) continue;
    lanes_[index]->evidence().calls.push_back(sample);
    wanted_.push_back({index, where});
  }
}

// In an audit, the turn of a chunk whose outputs are to be looked at again later.
int Round::turn_to_hold(int count) {
  const bool audits = context_.lane.plan.holds_outputs && count > 1;
  return audits ? static_cast<int>(rng_.below(static_cast<std::uint64_t>(count - 1))) : count;
}

// The calls right after a reversal are repeats of a program's own. They are on inputs of the
// warm-up, neither timed nor compared: a program that knows them again gains nothing by it. But
// their times are kept, lest it puts off work to them.
void Round::wash_out() {
  for (int i = 0; i < k_washout_calls; ++i) {
    const int set = i % static_cast<int>(warm_sets_.size());
    const std::int64_t repeat = repeats_++;
    for (const std::size_t index : turn_) {
      CallSample sample;
      const CallPlace where =
          place(warm_sets_[static_cast<std::size_t>(set)], fresh_sets() + set, index, 0);
      if (!call_in_turn(index, where, sample)) continue;
      sample.input = repeat;
      lanes_[index]->evidence().untimed.push_back(sample);
    }
  }
}

bool Round::call_in_turn(std::size_t index, const CallPlace& where, CallSample& sample) {
  Lane& lane = *lanes_[index];
  if (!lane.usable()) return false;
  sample.input = where.input;
  sample.value_class = where.value_class;
  sample.order = order_++;
  return lane.call(where, call_seconds_max(), &sample);
}

Evidence Round::current_evidence() const {
  Evidence evidence = evidence_;
  for (const auto& lane : lanes_) evidence.programs.push_back(lane->evidence());
  return evidence;
}

}  // namespace cupel::measure
