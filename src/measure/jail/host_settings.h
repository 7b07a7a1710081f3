// What is the same for every host of a session.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "measure/device/device.h"
#include "measure/jail/python_environment.h"
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
  double seconds_max = 0;             // that are left to the request during which it asks
};
struct BuildAnswer {
  bool built = false;
  std::string path;
  std::string log;
  bool timed_out = false;
};
using BuildDoor = std::function<BuildAnswer(const BuildAsk&)>;

struct HostSettings {
  PythonEnvironment python;
  std::filesystem::path home;                    // holds python/cupel
  std::filesystem::path probe;                   // libcupel_probe.so; "" runs without
  std::filesystem::path allocator;               // libjemalloc.so.2; "" leaves glibc's
  std::filesystem::path build_cache;             // read-only inside
  std::string compiler_start;                    // a name in it (build/compiler_start.h); "": none
  std::filesystem::path work_parent;             // parent of work directories of unjailed hosts
  std::string import_root;                       // put on sys.path, for module tasks; "" if none
  std::vector<std::filesystem::path> own_files;  // of the user's that the task imports
  DeviceTraits device;
  Policy policy = Policy::eager;  // sets what torch's own arithmetic may do
  Mode mode = Mode::as_constructed;
  int threads = 1;
  std::uint64_t memory_bytes_max = 0;
  std::uint64_t scratch_bytes_max = 0;
  int processes_max = 0;
  bool unjailed = false;
  std::vector<std::string> checker;  // the command that it runs under, if any
  // Another directory, user and host name, next to no variables, another number of threads, and a
  // script of a user's that calls the program; never forked from a fork server.
  bool as_users = false;
  std::uint64_t surroundings_seed = 0;  // which of them
  BuildDoor build;
};

}  // namespace cupel::measure
