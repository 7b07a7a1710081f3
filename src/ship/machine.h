// The machine that a winner is told to be fast on, as a package's manifest names it. Pure.
#pragma once

#include <map>
#include <string>

namespace cupel::ship {

struct Machine {
  std::string device;  // the CPU's or the GPU's name
  std::string torch;   // "2.13" of "2.13.0+cpu"
};

// `facts`: as a run's beginning tells them; what is not among them is "".
Machine machine_of(const std::map<std::string, std::string>& facts, bool gpu);

}  // namespace cupel::ship
