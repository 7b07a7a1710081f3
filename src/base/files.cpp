#include "base/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <vector>

namespace cupel {
namespace fs = std::filesystem;

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) reset(other.release());
  return *this;
}

int UniqueFd::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

// Neither opening nor reading waits for anybody.
static Result<UniqueFd> open_regular(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) {
    return input_error("cannot read the file: " + std::generic_category().message(errno),
                       path.string(), "check the path");
  }
  struct stat found {};
  if (::fstat(fd.get(), &found) != 0) return errno_error("cannot look at the file", path.string());
  if (!S_ISREG(found.st_mode)) {
    return input_error("not a regular file", path.string(),
                       "name a file; of a pipe's text make one first");
  }
  return fd;
}

Result<std::string> read_file(const fs::path& path, std::size_t bytes_max) {
  CUPEL_TRY(const UniqueFd fd, open_regular(path));
  std::string bytes;
  char chunk[65536];
  for (;;) {
    const ssize_t got = ::read(fd.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return input_error("cannot read the file: " + std::generic_category().message(errno),
                         path.string());
    }
    if (got == 0) return bytes;
    bytes.append(chunk, static_cast<std::size_t>(got));
    if (bytes.size() > bytes_max) {
      return input_error("the file is larger than " + std::to_string(bytes_max) + " bytes",
                         path.string());
    }
  }
}

static Status write_all(int fd, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno_error("cannot write", path.string());
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

// Unique in the machine, so that two writers of one path never share a staged file.
static fs::path staging_path(const fs::path& path) {
  static std::atomic<unsigned> count{0};
  return path.string() + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(count++);
}

static Status write_synced(const fs::path& path, std::string_view bytes) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.valid()) return errno_error("cannot create", path.string());
  CUPEL_TRY_STATUS(write_all(fd.get(), bytes, path));
  if (::fsync(fd.get()) != 0) return errno_error("cannot sync", path.string());
  return {};
}

Status write_file_atomic(const fs::path& path, std::string_view bytes) {
  const fs::path staged = staging_path(path);
  Status written = write_synced(staged, bytes);
  if (written && ::rename(staged.c_str(), path.c_str()) != 0) {
    written = errno_error("cannot rename", path.string());
  }
  if (!written) ::unlink(staged.c_str());
  return written;
}

bool lies_in(const std::filesystem::path& path, const std::filesystem::path& directory) {
  const std::filesystem::path relative = path.lexically_relative(directory);
  return !relative.empty() && *relative.begin() != "..";
}

Status make_directories(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) {
    return environment_error("cannot create the directory: " + failure.message(), path.string());
  }
  return {};
}

// The lock on a directory; not valid where it is gone, or another process holds it and `wait` is
// false.
static UniqueFd lock_directory(const fs::path& path, bool wait) {
  UniqueFd lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  while (lock.valid() && ::flock(lock.get(), LOCK_EX | (wait ? 0 : LOCK_NB)) != 0) {
    if (errno != EINTR) return {};
  }
  return lock;
}

// mkdtemp's part of a name, behind the prefix and a dot.
static constexpr std::string_view k_random_part = ".XXXXXX";

// A sweeper may come between making a directory and locking it, and take that away.
Result<TempDir> TempDir::create(const fs::path& parent, std::string_view prefix) {
  CUPEL_TRY_STATUS(make_directories(parent));
  constexpr int k_attempts = 100;
  for (int attempt = 0; attempt < k_attempts; ++attempt) {
    std::string pattern = (parent / (std::string(prefix).append(k_random_part))).string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      return errno_error("cannot create a temporary directory", pattern);
    }
    UniqueFd lock = lock_directory(pattern, true);
    std::error_code unknown;
    if (fs::exists(pattern, unknown)) return TempDir(fs::path(pattern), std::move(lock));
  }
  return infra_error("cannot create a temporary directory that stays", parent.string());
}

static bool has_random_part(const std::string& name) {
  return name.size() > k_random_part.size() &&
         name[name.size() - k_random_part.size()] == k_random_part.front();
}

void sweep_temp_dirs(const fs::path& parent) {
  std::error_code failure;
  std::vector<fs::path> left;
  for (fs::directory_iterator at(parent, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (has_random_part(at->path().filename().string())) left.push_back(at->path());
  }
  for (const fs::path& path : left) {
    const UniqueFd lock = lock_directory(path, false);
    if (lock.valid()) fs::remove_all(path, failure);
  }
}

TempDir::~TempDir() {
  remove();
}

TempDir::TempDir(TempDir&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::move(other.lock_)) {
  other.path_.clear();
}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::move(other.path_);
    lock_ = std::move(other.lock_);
    other.path_.clear();
  }
  return *this;
}

void TempDir::remove() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

fs::path cache_directory() {
  if (const char* chosen = std::getenv("CUPEL_CACHE"); chosen && *chosen) return chosen;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg) return fs::path(xdg) / "cupel";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache/cupel";
  return fs::temp_directory_path() / "cupel-cache";
}

fs::path user_directory(const char* xdg, const char* below_home) {
  if (const char* chosen = std::getenv(xdg); chosen && *chosen) return chosen;
  const char* home = std::getenv("HOME");
  return fs::path(home && *home ? home : "/") / below_home;
}

Result<fs::path> home_directory() {
  if (const char* chosen = std::getenv("CUPEL_HOME"); chosen && *chosen) {
    return fs::absolute(chosen);  // jails and fork servers are elsewhere
  }
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  for (fs::path at = self.parent_path(); !failure && !at.empty() && at != at.root_path();
       at = at.parent_path()) {
    if (fs::exists(at / "python/cupel/host.py")) return at;
    if (fs::exists(at / "share/cupel/python/cupel/host.py")) return at / "share/cupel";
  }
  return environment_error("cannot find Cupel's Python files", self.string(),
                           "set CUPEL_HOME to the directory that holds python/ and tasks/");
}

}  // namespace cupel
