#include "measure/lane/host_lanes.h"

#include "measure/lane/host_lane.h"

namespace cupel::measure {

Result<std::unique_ptr<Lane>> HostLanes::take(const CallContext& context, const Program& program,
                                              Rng rng, std::uint64_t surroundings_seed) {
  CUPEL_TRY(auto host, take_host(program, surroundings_seed));
  host->freeze_beside();
  return std::unique_ptr<Lane>(new HostLane(context, program, std::move(host), rng));
}

Result<std::unique_ptr<Host>> HostLanes::take_host(const Program& program,
                                                   std::uint64_t surroundings_seed) {
  if (!program.checker.empty()) {
    return pool_.take_checked(k_host_ready_seconds_max, program.checker);
  }
  if (program.as_users) return pool_.take_as_users(k_host_ready_seconds_max, surroundings_seed);
  return pool_.take(k_host_ready_seconds_max);
}

}  // namespace cupel::measure
