// Compiles a candidate's C++ kernels in a jail of their own, into a cache that only this fills.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace cupel::build {

struct CppRequest {
  std::string name;                // of the kernel, for messages
  std::string source;              // C++ text, untrusted
  std::vector<std::string> flags;  // for g++, untrusted
};

// Either a shared library in the cache, or the compiler's words.
struct CppArtifact {
  bool built = false;
  bool from_cache = false;
  std::filesystem::path path;
  std::string log;
  double seconds = 0;
};

// Content-addressed: the key is source, flags, the compiler's identity and this processor's
// features, so that no candidate can plant a library under another's key. Safe to use from several
// processes on one cache.
class CppBuilder {
 public:
  // `unjailed` compiles without bubblewrap.
  CppBuilder(std::filesystem::path cache, bool unjailed)
      : cache_(std::move(cache)), unjailed_(unjailed) {}

  // An Error means that the compiler could not be run; a rejected source is an artifact.
  Result<CppArtifact> build(const CppRequest& request);

 private:
  std::string key(const CppRequest& request);
  Result<CppArtifact> compile(const CppRequest& request, const std::filesystem::path& target);

  std::filesystem::path cache_;
  bool unjailed_;
  std::string compiler_identity_;
};

// "g++ 12.2.0 x86_64-linux-gnu", or an environment error that says what to install.
Result<std::string> compiler_identity();

}  // namespace cupel::build
