// Files and directories. All functions are thread-safe; none changes the working directory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace cupel {

// Owns a file descriptor; closes it when destroyed.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  ~UniqueFd() { reset(); }
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release();
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// The whole file; an input error if it is missing, unreadable, larger than `bytes_max`, or not a
// regular one: a pipe or a device could keep its reader waiting for good.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t bytes_max);

// Writes through a temporary file and rename(2), so that a reader sees old or new, never half.
Status write_file_atomic(const std::filesystem::path& path, std::string_view bytes);

Status make_directories(const std::filesystem::path& path);

// Is `path` the directory, or below it? By their names alone: no link is followed.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& directory);

// A fresh private directory below `parent` (mode 0700), removed with all it holds on destruction.
// While its process lives it is locked (flock), which is how sweep_temp_dirs() knows it.
class TempDir {
 public:
  static Result<TempDir> create(const std::filesystem::path& parent, std::string_view prefix);
  ~TempDir();
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  const std::filesystem::path& path() const { return path_; }

 private:
  TempDir(std::filesystem::path path, UniqueFd lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  void remove();
  std::filesystem::path path_;
  UniqueFd lock_;
};

// Removes what processes that were killed have left in `parent` of TempDir's directories. Safe
// beside others that make and use theirs there.
void sweep_temp_dirs(const std::filesystem::path& parent);

// $XDG_CACHE_HOME/cupel or ~/.cache/cupel; CUPEL_CACHE overrides both.
std::filesystem::path cache_directory();

// The user's directory that the variable `xdg` names, else `below_home` in his home: of
// configuration ("XDG_CONFIG_HOME", ".config") or data ("XDG_DATA_HOME", ".local/share").
std::filesystem::path user_directory(const char* xdg, const char* below_home);

// The directory that holds python/, tasks/ and prompts/: CUPEL_HOME if set, else found
// upwards from the running binary.
Result<std::filesystem::path> home_directory();

}  // namespace cupel
