#include "measure/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "measure/device/bandwidth.h"
#include "measure/device/machine_memory.h"
#include "measure/jail/own_files.h"
#include "measure/lane/host_lanes.h"
#include "measure/round/round.h"
#include "model/samples.h"
#include "sandbox/cores.h"

namespace cupel::measure {
namespace {

// A session that judges one candidate after another starts the next hosts after each round.
constexpr int k_warm_hosts_again = 2;
// Of the machine's memory: one host, and the referee, which holds float64 copies.
constexpr double k_host_memory_share = 0.4;
constexpr double k_referee_memory_share = 0.6;
constexpr std::uint64_t k_scratch_bytes_max = 1ULL << 30;
// torch's threads, a compiler's processes; far below what a fork bomb wants.
constexpr int k_host_processes_max = 512;
constexpr int k_vault_sets = 64;
constexpr int k_vault_spares = 40;  // more than are in the longest row
constexpr int k_programs_min = 2;
constexpr double k_vault_memory_share = 0.8;  // of the machine's, if the vault lies there
constexpr double k_gib = 1 << 30;

bool compiles(const Program& program) {
  return program.candidate.source.find("torch.compile") != std::string::npos;
}

// More calls than a judgement makes of a process: warm-up, timed, untimed, batches.
constexpr int k_endurance_calls = 2000;
// So many at least tell right from wrong; of short calls more, for their times.
constexpr int k_trial_inputs_min = 8;
constexpr int k_trial_inputs_max = 32;

// Bursts decide then, where the device queues work: so many pairs that an interval can be told, of
// longer calls too.
constexpr int k_throughput_pairs = 16;
constexpr double k_throughput_call_ms_max = 20;

MeasurePlan plan_for(RoundKind kind, Metric metric, MeasurePlan plan) {
  if (metric == Metric::throughput) {
    plan.audit_pairs = plan.audit_pairs_short = k_throughput_pairs;
    plan.audit_call_ms_max = k_throughput_call_ms_max;
  }
  const bool audits = kind == RoundKind::audit || kind == RoundKind::endurance;
  plan.holds_outputs = audits;
  if (kind == RoundKind::endurance) plan.endurance_calls = k_endurance_calls;
  if (kind == RoundKind::trial) {
    plan.inputs_min = k_trial_inputs_min;
    plan.inputs_max = k_trial_inputs_max;
    plan.other_classes = 0;
    plan.first_chunk_inputs = k_trial_inputs_min / 2;
    plan.queued_calls = 0;
    plan.rows = false;
  }
  return plan;
}

HostSettings host_settings(const SessionSettings& settings, const Task& task, Policy policy,
                           int threads) {
  HostSettings host;
  host.python = settings.python;
  host.home = settings.home;
  host.probe = settings.probe;
  host.allocator = find_allocator();
  host.build_cache = settings.build_cache;
  host.work_parent = settings.work_parent;
  if (task.kind == Task::Kind::module) host.import_root = task.import_root;
  host.device = settings.device->traits();
  host.policy = policy;
  host.mode = task.settings.mode;
  host.threads = threads;
  host.memory_bytes_max =
      static_cast<std::uint64_t>(k_host_memory_share * static_cast<double>(machine_memory_bytes()));
  host.scratch_bytes_max = k_scratch_bytes_max;
  host.processes_max = k_host_processes_max;
  host.unjailed = settings.unjailed;
  host.build = settings.build;
  return host;
}

RefereeSettings referee_settings(const SessionSettings& settings, const Task& task, int threads) {
  return {settings.python,
          settings.home,
          find_allocator(),
          threads,
          static_cast<std::uint64_t>(k_referee_memory_share *
                                     static_cast<double>(machine_memory_bytes())),
          settings.referee_seconds_max,
          settings.device->traits(),
          task.import_root,
          task.weights,
          settings.unjailed,
          settings.multiples};
}

}  // namespace

std::filesystem::path find_allocator() {
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const auto carried = self.parent_path().parent_path() / "lib/libjemalloc.so.2";
  for (const char* directory :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
    const auto library = std::filesystem::path(directory) / "libjemalloc.so.2";
    std::error_code failure;
    if (std::filesystem::exists(library, failure)) return library;
  }
  return std::filesystem::exists(carried, unknown) ? carried : std::filesystem::path();
}

Session::Session(Task task, Policy policy, SessionSettings settings)
    : task_(std::move(task)),
      policy_(policy),
      settings_(std::move(settings)),
      threads_(settings_.threads > 0 ? settings_.threads : sandbox::given_core_count()),
      host_settings_(host_settings(settings_, task_, policy_, threads_)),
      pool_(std::make_unique<HostPool>(host_settings_, settings_.warm_hosts)),
      rng_(secret_seed()) {}

Result<std::unique_ptr<Session>> Session::start(Task task, Policy policy,
                                                SessionSettings settings) {
  std::unique_ptr<Session> session(new Session(std::move(task), policy, std::move(settings)));
  if (session->settings_.warm_hosts > 0) CUPEL_TRY_STATUS(session->pool_->start());
  CUPEL_TRY(session->referee_, Referee::start(referee_settings(session->settings_, session->task_,
                                                               session->threads_)));
  return session;
}

Status Session::share_device() {
  if (sharing_) return {};
  const Sharing::Work hosts{[this] { pool_->freeze(); }, [this] { pool_->thaw(); }};
  CUPEL_TRY(sharing_, Sharing::start(settings_.device->lock(), preparing(*referee_, hosts)));
  return {};
}

// Warming a host uses the device, so it is done while that is shared.
Status Session::stock(int hosts) {
  if (settings_.warm_hosts == 0) return {};
  pool_->await_server();
  const std::lock_guard guard(sharing_->gate());
  return pool_->refill(hosts);
}

Result<TaskFacts> Session::open() {
  CUPEL_TRY_STATUS(share_device());
  // Hosts of a class's task are shown its files, which the referee finds by importing them.
  const bool early = settings_.device->traits().compiles_beside && !settings_.compiles &&
                     task_.kind == Task::Kind::file;
  if (early) CUPEL_TRY_STATUS(stock(0));
  CUPEL_TRY(facts_, referee_->open(task_, policy_, secret_seed(), task_.settings.value_classes,
                                   {settings_.lint_only, settings_.for_prompts}));
  host_settings_.own_files = users_own(referee_->imported_files());
  return *facts_;
}

std::vector<std::filesystem::path> Session::read_files() const {
  return users_own(referee_->read_files());
}

// Of files that a program imports or reads, those that came with neither Python nor Cupel.
std::vector<std::filesystem::path> Session::users_own(const std::vector<std::string>& paths) const {
  auto installed = settings_.python.parts;
  installed.push_back(settings_.home / "python");
  return not_installed(paths, installed);
}

Result<AdmissionEvidence> Session::admit() {
  CUPEL_CHECK(facts_.has_value());
  if (settings_.compiles) expect_compilers();
  CUPEL_TRY_STATUS(require_vault_room(k_programs_min));
  CUPEL_TRY(admission_, referee_->admit(k_admission_samples, referee_bytes()));
  return admission_;
}

VaultLayout Session::vault_for(int programs) const {
  const DeviceTraits& traits = settings_.device->traits();
  return vault_layout(
      *facts_, programs,
      {k_vault_sets, k_vault_spares, traits.vault_bytes_wanted, traits.vault_bytes_max});
}

Status Session::require_vault_room(int programs) const {
  const std::int64_t bytes = vault_for(programs).bytes;
  const auto machine = static_cast<double>(machine_memory_bytes());
  const bool fits = static_cast<double>(bytes) <= k_vault_memory_share * machine;
  if (settings_.lint_only || bytes <= settings_.device->traits().vault_beside_bytes || fits)
    return {};
  return input_error(
      fmt::format("judging {} programs keeps {:.1f} GiB of inputs and outputs in the "
                  "machine's memory, which has {:.1f} GiB; use smaller shapes",
                  programs, static_cast<double>(bytes) / k_gib, machine / k_gib),
      task_.path);
}

// What the vault and two programs leave of a device's own memory; 0: any of the machine's.
std::int64_t Session::referee_bytes() const {
  const DeviceTraits& traits = settings_.device->traits();
  if (settings_.lint_only || traits.outputs_in_host) return 0;
  const std::int64_t vault = vault_for(k_programs_min).bytes;
  const std::int64_t left = traits.memory_bytes - (vault > traits.vault_beside_bytes ? 0 : vault) -
                            k_programs_min * program_bytes(*facts_) -
                            2 * k_process_bytes;  // the referee's, the judge's
  return std::max<std::int64_t>(left, 1);
}

Status Session::readmit(const AdmissionEvidence& evidence) {
  admission_ = evidence;
  return referee_->readmit(evidence);
}

Status Session::draw(const std::vector<std::string>& value_classes) {
  const auto usual = std::ranges::count_if(value_classes, is_usual_class);
  settings_.plan.other_classes = static_cast<int>(value_classes.size()) - static_cast<int>(usual);
  return referee_->draw(value_classes);
}

// A vault for rounds of `programs` programs, with both instances' weights in it. One that got no
// weights, for want of memory say, is none: the next round begins anew.
Status Session::prepare_vault(int programs) {
  if (weights_.size() == k_weight_instances && programs <= layout_.programs) return {};
  CUPEL_TRY_STATUS(require_vault_room(programs));
  weights_.clear();
  layout_ = vault_for(programs);
  if (vault_.bytes() > 0) {  // there may be no room for both
    CUPEL_TRY_STATUS(referee_->drop_vault());
    vault_ = Arena();
  }
  CUPEL_TRY(vault_, settings_.device->create_vault(layout_.bytes));
  CUPEL_TRY_STATUS(referee_->share_vault(vault_));
  for (int instance = 0; instance < k_weight_instances; ++instance) {
    CUPEL_TRY(auto state,
              referee_->weights(instance, secret_seed(), instance * layout_.weights_bytes));
    weights_.push_back(std::move(state));
  }
  return {};
}

// Importing the compiler in one process, and starting it once, costs less than in each host.
void Session::expect_compilers() {
  if (expects_compilers_ || settings_.warm_hosts == 0) return;
  expects_compilers_ = true;
  const bool on_cpu = settings_.device->traits().outputs_in_host;
  std::string start;
  if (on_cpu && settings_.compiler_start) start = settings_.compiler_start();
  pool_->await_server();
  std::unique_lock<std::mutex> guard;
  if (sharing_) guard = std::unique_lock(sharing_->gate());
  host_settings_.compiler_start = std::move(start);
  pool_->expect_compilers();
}

CallContext Session::call_context(const MeasurePlan& plan, bool batches) {
  return {*settings_.device,
          *facts_,
          vault_,
          layout_,
          weights_,
          plan,
          task_.settings.strict_strides,
          admission_.mutates_inputs && task_.settings.allow_mutated_inputs,
          batches ? plan.audit_calls_many : 1,
          rng_.next()};
}

Result<Evidence> Session::run_round(std::vector<Program> programs, const Referral& referral,
                                    RoundKind kind) {
  CUPEL_CHECK(facts_.has_value() && programs.size() >= 2);
  const int count = static_cast<int>(programs.size());
  const SystemClock clock;
  const std::int64_t start_ns = clock.now_ns();
  if (std::any_of(programs.begin(), programs.end(), compiles)) expect_compilers();
  CUPEL_TRY_STATUS(share_device());
  const MeasurePlan plan = plan_for(kind, settings_.metric, settings_.plan);
  const bool in_rows = plan.rows && settings_.device->traits().outputs_in_host;
  CUPEL_TRY_STATUS(stock(in_rows ? count + 1 : count));  // one does nothing
  CUPEL_TRY_STATUS(prepare_vault(count));
  pool_->await_ready(k_host_ready_seconds_max);
  sharing_.reset();
  const double waited_ms = static_cast<double>(clock.now_ns() - start_ns) / k_ns_per_ms;
  Device& device = *settings_.device;
  const bool batches =
      layout_.input_stride + layout_.output_stride <= device.traits().batch_slot_bytes_max;
  HostLanes lanes(*pool_);
  const RoundContext context{call_context(plan, batches), *referee_, lanes, next_input_};
  CUPEL_TRY(Evidence evidence,
            measure::run_round(context, programs,
                               rng_.fork(static_cast<std::uint64_t>(next_input_)), referral));
  evidence.cost.wait_hosts_ms += waited_ms;
  evidence.cost.wall_ms += waited_ms;
  evidence.task_id = task_.id;
  evidence.policy = policy_;
  evidence.mode = task_.settings.mode;
  evidence.metric = settings_.metric;
  for (const InstanceState& state : weights_) {
    evidence.untrained.insert(evidence.untrained.end(), state.notes.begin(), state.notes.end());
  }
  evidence.threads = threads_;
  evidence.sandbox_grade = settings_.sandbox_grade;
  evidence.floor_ms = floor_ms(*facts_, admission_, device.bandwidth_ceiling(threads_));
  evidence.device = device.traits().description;
  CUPEL_TRY_STATUS(share_device());
  if (settings_.warm_hosts <= k_warm_hosts_again) CUPEL_TRY_STATUS(stock(0));
  return evidence;
}

}  // namespace cupel::measure
