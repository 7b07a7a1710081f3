// A built kernel's library with another body for one of its functions.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "build/artifact.h"
#include "model/kernel_body.h"

namespace cupel::build {

// A copy of `library`, in `cache`, in which the exported `function` has that body; every other byte
// is the same. Not built, with the reason in its log, where the file holds no such function or
// another processor's. The file is untrusted: a candidate's flags shaped it. Thread-safe.
Result<Artifact> with_body(const std::filesystem::path& library, const std::string& function,
                           KernelBody body, const std::filesystem::path& cache);

}  // namespace cupel::build
