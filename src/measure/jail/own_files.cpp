#include "measure/jail/own_files.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "model/run.h"

namespace cupel::measure {
namespace {

namespace fs = std::filesystem;

// Where runs are looked for in a task's directory, which may be a large one: down to
// runs/SUITE/STRATEGY/TASK/RUN, and in so many folders, those higher up first.
constexpr int k_levels_of_runs = 5;
constexpr std::size_t k_folders_read_max = 10'000;

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

// What lies in a folder, without links: what one leads to is seen only where it lies.
struct Folder {
  fs::path path;
  std::size_t parent = 0;  // its number in a list of folders
  int level = 0;
  std::vector<fs::path> runs;     // and folders that hold nothing else
  std::vector<fs::path> others;   // what is shown
  std::vector<fs::path> folders;  // that are yet to be looked at
  bool was_read = false;          // to its end

  bool holds_runs_alone() const { return was_read && !runs.empty() && others.empty(); }
};

void read(Folder& folder) {
  std::error_code failure;
  std::error_code unknown;
  for (fs::directory_iterator at(folder.path, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (at->is_symlink(unknown)) continue;
    if (holds_run(*at)) {
      folder.runs.push_back(at->path());
    } else if (at->is_directory(unknown) && !has_hidden_name(at->path())) {
      folder.folders.push_back(at->path());
    } else {
      folder.others.push_back(at->path());
    }
  }
  folder.was_read = !failure;
}

// The folders from `root` down, each with what is in it; after its parent.
std::vector<Folder> folders_below(const fs::path& root) {
  std::vector<Folder> folders(1);
  folders.front().path = root;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    read(folders[i]);
    const int level = folders[i].level + 1;
    for (const fs::path& path : std::exchange(folders[i].folders, {})) {
      if (level < k_levels_of_runs && folders.size() < k_folders_read_max) {
        folders.push_back({path, i, level});
      } else {
        folders[i].others.push_back(path);
      }
    }
  }
  for (std::size_t i = folders.size(); i-- > 1;) {
    Folder& parent = folders[folders[i].parent];
    (folders[i].holds_runs_alone() ? parent.runs : parent.others).push_back(folders[i].path);
  }
  return folders;
}

// Each run by itself or, where they are most of what is there, all of it but the rest: a jail takes
// some thousand binds.
void hide_runs(const Folder& folder, std::vector<sandbox::Bind>& binds) {
  if (folder.runs.size() <= folder.others.size()) {
    for (const fs::path& run : folder.runs) binds.push_back(hidden(run));
    return;
  }
  binds.push_back(hidden(folder.path));
  for (const fs::path& other : folder.others) binds.push_back({other, {}, false});
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
  std::error_code unknown;
  if (!fs::is_directory(path, unknown) || path == path.root_path()) return {};
  const std::vector<Folder> folders = folders_below(path);
  if (!folders.front().was_read) return {};
  std::vector<sandbox::Bind> binds{{path, {}, false}};
  for (const Folder& folder : folders) {
    if (&folder == &folders.front() || !folder.holds_runs_alone()) hide_runs(folder, binds);
  }
  for (const fs::path& other : folders.front().others) {
    if (has_hidden_name(other)) binds.push_back(hidden(other));
  }
  return binds;
}

}  // namespace cupel::measure
