// The Python that hosts and the referee run in: where it lies, which torch it has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace cupel::measure {

// jemalloc keeps what is freed, and cuts it up for whatever is wanted next. As it comes, it takes
// no free piece that is more than 64 times as large: large pieces grow together, and 200 tensors of
// 64 KiB take 13 MiB more from the system in each call.
inline constexpr const char* k_allocator_keeps_memory =
    "MALLOC_CONF=dirty_decay_ms:-1,muzzy_decay_ms:-1,lg_extent_max_active_fit:63";

struct PythonEnvironment {
  std::string executable;
  std::string version;        // "3.11.7"
  std::string torch_version;  // "2.13.0+cpu"
  // What a jail must see, read-only: the parts of the installation and what is installed there, no
  // directory that only lies on sys.path (an editable install's). No one lies in another.
  std::vector<std::filesystem::path> parts;

  std::string bin() const { return std::filesystem::path(executable).parent_path().string(); }
};

// `chosen` if not empty, else $CUPEL_PYTHON, else HOME/.venv/bin/python, else python3 on PATH.
std::string choose_python(const std::string& chosen, const std::filesystem::path& home);

// Asks the interpreter about itself (about 50 ms; torch is not imported). An environment error
// says what to install when it cannot run or has no torch, or one older than 2.6.
Result<PythonEnvironment> inspect_python(const std::string& executable);

}  // namespace cupel::measure
