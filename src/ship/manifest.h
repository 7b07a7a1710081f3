// The manifest of a shipped package (python/cupel/shipping writes it), as far as its winners are
// judged again. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ship/machine.h"

namespace cupel::ship {

// One row of the dispatch table, with the original and the winner that it names. Paths are relative
// to the manifest, but for the last two, which are absolute or "" and may be gone.
struct ShippedEntry {
  std::string id;
  std::string task;
  std::string label;
  std::string shown;   // the inputs: "f32[512,1024]"
  std::string policy;  // as it was measured, like the next three
  std::string metric = "latency";
  std::string device;  // "cpu" or "cuda"
  int threads = 0;     // 0: all
  std::string original_file;
  std::string winner_file;
  std::string candidate_id;  // of the winner's source
  std::string import_root;
  std::string weights_file;
};

// An input error for text that is no manifest.
Result<std::vector<ShippedEntry>> decode_manifest(std::string_view text);

// The manifest with `machine` among those that entry number `entry` runs on. `text` has been
// decoded without an error.
std::string trusting(std::string_view text, std::size_t entry, const Machine& machine);

}  // namespace cupel::ship
