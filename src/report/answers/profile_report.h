// Where the time of programs' calls goes: a table for people, a shorter one for prompts, numbers
// for the analysing agent, a document for tools.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/profile.h"
#include "report/words/style.h"

namespace cupel::report {

// Numbers that say most about what bounds a program, each by its name with its unit; the most
// telling first.
inline constexpr std::size_t k_profile_numbers_max = 24;
using NamedNumber = std::pair<std::string, double>;

// `machine`: the profile that measured what this machine does (eager's), or the same.
std::vector<NamedNumber> profile_numbers(const Profile& profile, const Profile& machine);

// The table alone, its longest rows, without colours: for prompts. Empty where there are no
// numbers.
std::string profile_rows(const Profile& profile, const Profile& machine);

// `profiles`: eager's first, which measured the machine.
std::string profile_text(const std::string& task, const std::vector<Profile>& profiles,
                         const Style& style);
// One document: docs/json.md.
std::string profile_json(const std::string& task, const std::vector<Profile>& profiles);

}  // namespace cupel::report
