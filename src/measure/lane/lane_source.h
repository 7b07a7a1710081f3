// Where a round's lanes come from.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/rng.h"
#include "measure/call/call_context.h"
#include "measure/lane/lane.h"
#include "measure/lane/program.h"

namespace cupel::measure {

class LaneSource {
 public:
  virtual ~LaneSource() = default;

  // `context` outlives the lane. `surroundings_seed` is the same for all programs of a round.
  virtual Result<std::unique_ptr<Lane>> take(const CallContext& context, const Program& program,
                                             Rng rng, std::uint64_t surroundings_seed) = 0;
  // What is kept in stock does nothing between these.
  virtual void freeze() = 0;
  virtual void thaw() = 0;

 protected:
  LaneSource() = default;
  LaneSource(const LaneSource&) = default;
  LaneSource& operator=(const LaneSource&) = default;
};

}  // namespace cupel::measure
