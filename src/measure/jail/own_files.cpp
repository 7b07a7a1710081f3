#include "measure/jail/own_files.h"

#include <algorithm>
#include <system_error>

#include "base/files.h"
#include "model/run.h"

namespace cupel::measure {
namespace {

namespace fs = std::filesystem;

bool has_hidden_name(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

bool holds_run(const fs::directory_entry& entry) {
  std::error_code unknown;
  return entry.is_directory(unknown) && fs::exists(entry.path() / k_journal_file, unknown);
}

sandbox::Bind hidden(const fs::path& path) {
  return {path, {}, false, false, true};
}

}  // namespace

std::vector<fs::path> not_installed(const std::vector<std::string>& paths,
                                    const std::vector<fs::path>& installed) {
  std::vector<fs::path> own;
  for (const std::string& path : paths) {
    const bool is_installed =
        lies_in(path, "/usr") ||
        std::ranges::any_of(installed, [&](const fs::path& part) { return lies_in(path, part); });
    if (!is_installed) own.emplace_back(path);
  }
  return own;
}

std::vector<sandbox::Bind> own_files(const fs::path& path) {
  std::error_code failure;
  std::error_code unknown;
  if (!fs::exists(path, unknown)) return {};
  std::vector<sandbox::Bind> binds{{path, {}, false}};
  if (!fs::is_directory(path, unknown)) return binds;
  constexpr auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(path, options, failure), end; !failure && at != end;
       at.increment(failure)) {
    // What a link leads to is seen only where it lies.
    if (at->is_symlink(unknown) || (!has_hidden_name(at->path()) && !holds_run(*at))) continue;
    binds.push_back(hidden(at->path()));
    at.disable_recursion_pending();
  }
  if (failure) binds.clear();  // not all was looked at
  return binds;
}

std::vector<sandbox::Bind> own_directory(const fs::path& path) {
  std::error_code failure;
  std::error_code unknown;
  if (!fs::is_directory(path, unknown) || path == path.root_path()) return {};
  std::vector<sandbox::Bind> binds{{path, {}, false}};
  for (fs::directory_iterator at(path, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (!at->is_symlink(unknown) && has_hidden_name(at->path()))
      binds.push_back(hidden(at->path()));
  }
  if (failure) binds.clear();
  return binds;
}

}  // namespace cupel::measure
