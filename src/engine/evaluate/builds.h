// Compilers behind the hosts' door, and the same builds ahead of their time.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "base/result.h"
#include "build/cpp_builder.h"
#include "build/extension_builder.h"
#include "measure/jail/host_settings.h"
#include "measure/session.h"
#include "model/candidate.h"

namespace cupel::engine {

// Thread-safe: hosts ask while others' candidates are built ahead. What was built lies in the
// cache; what a compiler rejected ahead is remembered here, so that it is not tried twice.
class Builds {
 public:
  explicit Builds(const measure::SessionSettings& session);

  // What a host asks for, by kind; see docs/protocol.md.
  measure::BuildAnswer answer(const measure::BuildAsk& ask);

  // What torch.compile starts with on a CPU: its name in the cache, "" where it cannot be made.
  std::string compiler_start() const;

  // Compiles what the candidate would ask for when it is imported. An Error is ours; what is wrong
  // with the candidate is left for its judgement to say.
  Status build_ahead(const Candidate& program);

 private:
  Result<build::Artifact> compile(const measure::BuildAsk& ask);
  void remember(const measure::BuildAsk& ask, const build::Artifact& artifact);

  build::PythonTools tools_;
  std::filesystem::path cache_;
  bool unjailed_;
  std::string architectures_;
  double seconds_max_;  // of builds ahead, each: what a program's load may take
  std::mutex mutex_;
  std::map<std::string, std::string> rejected_;  // compilers' words, by a hash of what was asked
};

}  // namespace cupel::engine
