// What a jail is shown of directories that are the user's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/jail.h"

namespace cupel::measure {

// Those of `paths` that lie in none of `installed`, which every jail sees anyway, nor in /usr.
std::vector<std::filesystem::path> not_installed(
    const std::vector<std::string>& paths, const std::vector<std::filesystem::path>& installed);

// The package or module at `path`, read-only, and over it what nobody inside may see: whatever has
// a name that begins with a dot (settings, secrets, a repository), and directories of runs, which
// hold other candidates. As it is now: to be asked for each jail. Never fails; a path that is not
// there, or cannot be looked through to its end, gives nothing.
std::vector<sandbox::Bind> own_files(const std::filesystem::path& path);

// The same of a directory of the task's, for code that is trusted, and less deep, since it may be a
// large one: names that begin with a dot in the directory itself, and runs down to where suites
// keep theirs, runs/SUITE/STRATEGY/TASK/RUN.
std::vector<sandbox::Bind> own_directory(const std::filesystem::path& path);

}  // namespace cupel::measure
