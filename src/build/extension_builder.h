// Builds a candidate's load_inline() extension in a jail without the device, into a cache that only
// this fills.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "build/artifact.h"
#include "build/python_jail.h"

namespace cupel::build {

// Content-addressed like CppBuilder. Safe to use from several processes on one cache.
class ExtensionBuilder {
 public:
  ExtensionBuilder(std::filesystem::path cache, PythonTools tools, bool unjailed)
      : cache_(std::move(cache)), tools_(std::move(tools)), unjailed_(unjailed) {}

  // `request` is what python/cupel/extension_builder.py reads, untrusted.
  Result<Artifact> build(const std::string& request) const;

 private:
  BuildJail jail_for(const std::filesystem::path& scratch) const;

  std::filesystem::path cache_;
  PythonTools tools_;
  bool unjailed_;
};

}  // namespace cupel::build
