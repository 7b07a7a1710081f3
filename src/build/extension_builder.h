// Builds a candidate's load_inline() extension in a jail without the device, into a cache that only
// this fills.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/artifact.h"

namespace cupel::build {

// The Python that has the torch to build against.
struct ExtensionTools {
  std::string python;                           // its executable
  std::string identity;                         // "3.12.3, torch 2.11.0": another, another key
  std::vector<std::filesystem::path> prefixes;  // directories that a jail must see
  std::filesystem::path home;                   // Cupel's, with python/cupel in it
};

// Content-addressed like CppBuilder. Safe to use from several processes on one cache.
class ExtensionBuilder {
 public:
  ExtensionBuilder(std::filesystem::path cache, ExtensionTools tools, bool unjailed)
      : cache_(std::move(cache)), tools_(std::move(tools)), unjailed_(unjailed) {}

  // `request` is what python/cupel/extension_builder.py reads, untrusted.
  Result<Artifact> build(const std::string& request);

 private:
  sandbox::JailRequest jail_for(const std::filesystem::path& out) const;

  std::filesystem::path cache_;
  ExtensionTools tools_;
  bool unjailed_;
};

}  // namespace cupel::build
