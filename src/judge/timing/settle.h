// When a round has shown enough. The engine hands this to measure, which cannot decide. Pure.
#pragma once

#include <string_view>

#include "model/evidence.h"
#include "model/task.h"

namespace cupel::judge {

// Why one program needs no further calls, or that it does.
enum class Stop {
  go_on,
  fault,         // its host failed, or the baseline's, or the round
  failed_check,  // it computes something else, or wrote late
  clear_loser,   // 99.9 % sure of less than 0.8 of the baseline's speed
  tight,  // it was right on every value class, and more calls of these processes tell no more
};

// For evidence.programs[program], 1 <= program. May be asked after every block; only what has
// been checked so far counts.
Stop stop_of(const Evidence& evidence, std::size_t program, const TaskFacts& facts,
             const Admission& admission, const TaskSettings& settings = {});

struct Settlement {
  bool stop = false;        // no program of the round needs a further call
  std::string_view reason;  // for Evidence::stop_reason: "settled", or "fault" if all failed
};
Settlement settled(const Evidence& evidence, const TaskFacts& facts, const Admission& admission,
                   const TaskSettings& settings = {});

}  // namespace cupel::judge
