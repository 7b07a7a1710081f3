// Builds a candidate's load_inline() extension in a jail without the device, into a cache that only
// this fills.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "build/artifact.h"
#include "build/cpp_builder.h"
#include "build/python_jail.h"

namespace cupel::build {

// What makes of equal requests equal extensions.
struct ExtensionToolchain {
  Toolchain cpp;
  std::string nvcc;       // what it says of itself
  std::string python;     // the executable
  std::string identity;   // of that Python and its torch
  std::string own_files;  // a digest of our own headers and Python that go into one
};
// Under which an extension lies in the cache.
std::string extension_key(const std::string& request, const ExtensionToolchain& toolchain);
// That digest, of the files below Cupel's home.
Result<std::string> own_files_digest(const std::filesystem::path& home);

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
