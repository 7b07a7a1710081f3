// Which of a device's memory checkers a candidate is run under in the winner's audit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/evidence.h"

namespace cupel::engine {

// The commands, each of which a host is to run under: for stray accesses always, for races and
// uninitialized values in shared memory where the program has kernels that may use it, which are
// looked at alone if all are known by name. `checker`: the command without its tool, empty where
// there is none; `help`: what it says of its options; `program`: what a host told in this audit.
std::vector<std::vector<std::string>> memory_checks(const std::vector<std::string>& checker,
                                                    std::string_view help,
                                                    const ProgramEvidence& program);

// Whether the kernel that a checker reports (judge::find_bad_memory) is the program's own: where
// all kernels were looked at, those of libraries were, too.
bool is_own_kernel(std::string_view report, const ProgramEvidence& program,
                   std::string_view source);

// What a tool says of its options; "" if it does not run. All else here is pure.
std::string help_of(const std::string& tool);

}  // namespace cupel::engine
