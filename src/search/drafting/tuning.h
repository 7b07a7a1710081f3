// Numbers of a program that whoever wrote it marked as free to choose: changed by measuring, at no
// price. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/history/lineage.h"
#include "search/step/strategy.h"

namespace cupel::search {

// A line `BLOCK = 64  # tune: 32 64 128`, or in C++ `constexpr int block = 64;  // tune: 32 64
// 128`: the last number before the mark that is among the choices stands for any of them.
struct Knob {
  std::size_t at = 0;  // of the number in the source, bytes
  std::string value;
  std::vector<std::string> choices;
  std::string line;  // what stands before the mark, trimmed: for people
};
std::vector<Knob> knobs_of(std::string_view source);

// The same program with one number changed.
std::string with_value(std::string_view source, const Knob& knob, std::string_view value);

struct TuningLimits {
  int in_flight_max = 2;  // they take measuring time from what agents write
  int run_max = 60;
};

// Changes of one number of the run's fastest program that agents wrote or a tuner made, nearest
// choices first, that were not proposed before. A change that gains makes the next fastest program,
// which is tuned in turn: coordinate descent.
std::vector<Draft> tunings(const History& history, const Lineage& lineage,
                           const TuningLimits& limits);

}  // namespace cupel::search
