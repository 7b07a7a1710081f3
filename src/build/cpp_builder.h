// Compiles a candidate's C++ kernels in a jail of their own, into a cache that only this fills.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "build/artifact.h"

namespace cupel::build {

struct CppRequest {
  std::string name;                // of the kernel, for messages
  std::string source;              // C++ text, untrusted
  std::vector<std::string> flags;  // for g++, untrusted
  double seconds_max = 0;          // the caller's own limit
};

// What makes of equal requests equal libraries.
struct Toolchain {
  std::string compiler;   // compiler_identity()
  std::string processor;  // processor_features()
};
// Under which a library lies in the cache. Its name and the limit say nothing of its bytes.
std::string library_key(const CppRequest& request, const Toolchain& toolchain);

// Content-addressed: the key is source, flags, the compiler's identity and this processor's
// features, so that no candidate can plant a library under another's key. Safe to use from several
// processes on one cache.
class CppBuilder {
 public:
  // `unjailed` compiles without bubblewrap.
  CppBuilder(std::filesystem::path cache, bool unjailed)
      : cache_(std::move(cache)), unjailed_(unjailed) {}

  // An Error means that the compiler could not be run; a rejected source is an artifact.
  Result<Artifact> build(const CppRequest& request) const;

 private:
  std::filesystem::path cache_;
  bool unjailed_;
};

// "g++ 12.2.0 x86_64-linux-gnu", or an environment error that says what to install. Asks once a
// process. Thread-safe.
Result<std::string> compiler_identity();

// What `-march=native` goes by: the kernel's line of this processor's features. Thread-safe.
std::string processor_features();

}  // namespace cupel::build
