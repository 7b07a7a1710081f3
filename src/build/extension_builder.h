// Builds a candidate's load_inline() extension in a jail without the device, into a cache that only
// this fills.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "build/artifact.h"
#include "build/python_jail.h"

namespace cupel::build {

// Content-addressed like CppBuilder; the key holds all that a library's bytes follow from: request,
// Python and torch, g++, nvcc, this processor, and our own headers and Python that build it. Safe
// to use from several processes on one cache.
class ExtensionBuilder {
 public:
  ExtensionBuilder(std::filesystem::path cache, PythonTools tools, bool unjailed)
      : cache_(std::move(cache)), tools_(std::move(tools)), unjailed_(unjailed) {}

  // `request` is what python/cupel/extension_builder.py reads, untrusted. `seconds_max`: the
  // caller's own limit.
  Result<Artifact> build(const std::string& request, double seconds_max) const;

 private:
  Result<std::string> key(const std::string& request) const;
  BuildJail jail_for(const std::filesystem::path& scratch) const;

  std::filesystem::path cache_;
  PythonTools tools_;
  bool unjailed_;
};

}  // namespace cupel::build
