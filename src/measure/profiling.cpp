// Session::profile().
#include <algorithm>

#include "base/clock.h"
#include "measure/device/stopwatch.h"
#include "measure/session.h"

namespace cupel::measure {
namespace {

// The profiler and its trace beside the calls themselves, of which it makes a hundred at most.
constexpr double k_profiler_seconds = 60;
constexpr double k_calls_profiled_max = 100;

double profile_seconds_max(double first_call_ms) {
  return k_profiler_seconds + k_calls_profiled_max * first_call_ms / 1e3;
}

// Whose it is and who made it is not for a host to say.
void identify(Profile& profile, const Program& program, const DeviceTraits& device) {
  profile.candidate_id = program.class_name == "Model" ? "" : program.candidate.id;
  profile.label = program.candidate.label;
  profile.claimed = !program.trusted;
  profile.device = device.outputs_in_host ? "cpu" : "cuda";
}

}  // namespace

// Loading and the first call, which compile, give way to whoever times; the calls that are profiled
// have the device alone.
Status Session::profile_in(HostLane& lane, Profile& found) {
  CUPEL_TRY(const auto sets, referee_->prepare(next_input_, 1, layout_.input_at(0),
                                               layout_.input_stride, 0, {InputMix::nominal}));
  next_input_ += 2;
  const CallPlace place{sets[0].input, sets[0].value_class, sets[0].values, 0, 0, 0};
  const Status called = profile_call(lane, place, found);
  CUPEL_TRY_STATUS(referee_->release(sets[0].input, 1));
  return called;
}

Status Session::profile_call(HostLane& lane, const CallPlace& place, Profile& found) {
  {
    const Sharing::Work hosts{[&lane] { lane.pause(); }, [&lane] { lane.resume(); }};
    CUPEL_TRY(const auto sharing,
              Sharing::start(settings_.device->lock(), preparing(*referee_, hosts)));
    if (!lane.load(sharing->gate())) return {};
    if (!lane.call_beside(place, settings_.plan.first_call_seconds_max, sharing->gate())) return {};
  }
  CUPEL_TRY(const auto alone, Alone::wait(settings_.device->lock()));
  auto told = lane.profile(place, profile_seconds_max(lane.evidence().first_call_ms));
  if (told) {
    found = std::move(*told);
  } else {
    found.problem = told.error().what;
  }
  return {};
}

Result<Profile> Session::profile(const Program& program) {
  CUPEL_CHECK(facts_.has_value());
  const SystemClock clock;
  double milliseconds = 0;
  Profile found;
  {
    const Stopwatch wall(clock, milliseconds);
    CUPEL_TRY_STATUS(share_device());
    CUPEL_TRY_STATUS(stock(1));
    CUPEL_TRY_STATUS(prepare_vault(1));
    pool_->await_ready(k_host_ready_seconds_max);
    sharing_.reset();
    CUPEL_TRY(auto host, pool_->take(k_host_ready_seconds_max));
    host->freeze();
    pool_->freeze();
    const CallContext context = call_context(settings_.plan, false);
    HostLane lane(context, program, std::move(host),
                  rng_.fork(static_cast<std::uint64_t>(next_input_)));
    const Status profiled = profile_in(lane, found);
    const HostFault& fault = lane.evidence().fault;
    if (fault.kind != HostFault::Kind::none) found.problem = fault.phase + ": " + fault.what;
    if (!lane.evidence().mismatches.empty()) found.problem = "its outputs have another form";
    lane.close();
    pool_->thaw();
    CUPEL_TRY_STATUS(profiled);
    CUPEL_TRY_STATUS(share_device());
  }
  identify(found, program, settings_.device->traits());
  found.seconds = milliseconds / 1e3;
  return found;
}

}  // namespace cupel::measure
