// What is told to python/cupel/shipping: the winners to ship and all that is known of them. Pure;
// thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "journal/event.h"
#include "model/run.h"

namespace cupel::ship {

// A run, and its journal's events about the winner.
struct ShippedRun {
  RunRecord record;
  std::map<std::string, std::string> machine;  // as the run's beginning tells it
  std::vector<journal::Event> about_winner;
};

struct Order {
  std::string name;  // of the package: a Python identifier
  std::string out;   // absolute; the folder to fill
  std::string cupel;
  std::vector<ShippedRun> runs;
  std::map<std::string, std::string> environment;  // of the package's own tests
};

// An input error for a run that has nothing to ship: unfinished, without a winner, degenerate.
Status check_shippable(const RunRecord& record);

// One JSON object.
std::string order_json(const Order& order);

// "fast_mish_gate" of "mish-gate": what a package is called where the user says nothing.
std::string package_name(const std::string& task_name);
// It can be imported: an identifier of small letters, digits and underscores, and no word of
// Python's.
bool is_package_name(const std::string& name);

}  // namespace cupel::ship
