// What is the same for every host of a session.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "measure/device.h"
#include "measure/python_environment.h"
#include "model/kernel_body.h"
#include "model/task.h"

namespace cupel::measure {

// What a host asks to have compiled, and the answer. `path` is inside the jail.
struct BuildAsk {
  std::string kind;  // "cpp"
  std::string name;
  std::string source;
  std::vector<std::string> flags;
  KernelBody body = KernelBody::own;  // the judge's wish, not the host's
};
struct BuildAnswer {
  bool built = false;
  std::string path;
  std::string log;
};
using BuildDoor = std::function<BuildAnswer(const BuildAsk&)>;

struct HostSettings {
  PythonEnvironment python;
  std::filesystem::path home;         // holds python/cupel
  std::filesystem::path probe;        // libcupel_probe.so; "" runs without
  std::filesystem::path allocator;    // libjemalloc.so.2; "" leaves glibc's
  std::filesystem::path build_cache;  // read-only inside
  std::filesystem::path work_parent;  // parent of work directories of unjailed hosts
  std::string import_root;            // the user's package, for module tasks; "" if none
  DeviceTraits device;
  Policy policy = Policy::eager;  // sets what torch's own arithmetic may do
  int threads = 1;
  std::uint64_t memory_bytes_max = 0;
  std::uint64_t scratch_bytes_max = 0;
  int processes_max = 0;
  bool unjailed = false;
  bool memory_checked = false;  // runs under device.memory_checker, which is there
  BuildDoor build;
};

}  // namespace cupel::measure
