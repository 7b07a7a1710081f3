// Where the time of one program's calls goes, as the process that makes them tells it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cupel {

// An operator of PyTorch's dispatcher with all that it calls inside; what is under none is one row,
// "outside of operators". All of one call.
struct ProfiledOperator {
  std::string name;
  double calls = 0;
  double ns = 0;         // of the thread that calls; on a GPU what launching takes
  double device_ns = 0;  // of the kernels that it launches; 0 on a CPU
  double bytes = 0;      // of arguments and results, each once; 0: not known
  double flops = 0;      // 0: not known
};

// A kernel on a GPU. All of one call; what is not known is less than 0.
struct ProfiledKernel {
  std::string name;
  double launches = 0;
  double ns = 0;
  double registers = -1;      // of a thread
  double shared_bytes = -1;   // of a block
  double spilled_bytes = -1;  // of a thread, in local memory
  double block_threads = -1;
  double blocks = -1;
  double occupancy = -1;  // the part of a multiprocessor's threads that fit: 0 to 1
};

struct Profile {
  std::string candidate_id;  // empty: the task's own program, eager
  std::string label;
  bool claimed = false;                     // a program made it that Cupel did not write
  std::string device;                       // "cpu" or "cuda"
  std::string problem;                      // why there are no numbers; else empty
  double seconds = 0;                       // of wall time that profiling took
  double call_ns = 0;                       // the median of calls without a profiler
  double cores = 0;                         // that were busy meanwhile, on average
  int threads = 0;                          // that torch may use
  int vector_bits = 0;                      // of the CPU's vector units, as torch uses them
  std::vector<ProfiledOperator> operators;  // the longest first, 12 at most
  std::vector<ProfiledKernel> kernels;      // the longest first, 12 at most
  // What this machine does, by torch's own copy and product of matrices; 0: not measured.
  double copied_bytes_per_s = 0;  // read and written
  double float32_flops_per_s = 0;
};

std::string encode(const Profile& profile);
Result<Profile> decode_profile(std::string_view json);

}  // namespace cupel
