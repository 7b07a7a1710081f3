// Which of a device's memory checkers a candidate is run under in the winner's audit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cupel::engine {

// Kernels of CUDA C++ in a candidate's text that may use shared memory: all of them, if the text
// has any of it. A compiler's kernels (Triton's, Inductor's) are not looked for.
std::vector<std::string> shared_memory_kernels(std::string_view source);

// The commands, each of which a host is to run under: for stray accesses always, for races and
// uninitialized values in shared memory where the candidate has such kernels. `checker`: the
// command without its tool, empty where there is none; `help`: what it says of its options.
std::vector<std::vector<std::string>> memory_checks(const std::vector<std::string>& checker,
                                                    std::string_view help, std::string_view source);

// What a tool says of its options; "" if it does not run. All else here is pure.
std::string help_of(const std::string& tool);

}  // namespace cupel::engine
