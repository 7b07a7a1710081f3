// Lanes with hosts of a pool.
#pragma once

#include "measure/host/host_pool.h"
#include "measure/lane/lane_source.h"

namespace cupel::measure {

class HostLanes final : public LaneSource {
 public:
  explicit HostLanes(HostPool& pool) : pool_(pool) {}  // outlives it

  Result<std::unique_ptr<Lane>> take(const CallContext& context, const Program& program, Rng rng,
                                     std::uint64_t surroundings_seed) override;
  void freeze() override { pool_.freeze(); }
  void thaw() override { pool_.thaw(); }

 private:
  Result<std::unique_ptr<Host>> take_host(const Program& program, std::uint64_t surroundings_seed);

  HostPool& pool_;
};

}  // namespace cupel::measure
