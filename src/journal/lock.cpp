#include "journal/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace cupel::journal {
namespace {

// The file's text is for people; the lock itself is the kernel's.
std::string owner_of(int fd) {
  char text[32] = {};
  const ssize_t got = ::pread(fd, text, sizeof text - 1, 0);
  return got > 0 ? " (process " + std::string(text, static_cast<std::size_t>(got)) + ")" : "";
}

Status sign(int fd, const std::string& path) {
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return errno_error("cannot write the lock", path);
  }
  return {};
}

}  // namespace

RunLock::~RunLock() {
  if (fd_.valid()) ::flock(fd_.get(), LOCK_UN);
}

Result<RunLock> RunLock::take(const std::filesystem::path& run_dir) {
  const std::string path = (run_dir / "lock").string();
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) return errno_error("cannot open the run's lock", path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return errno_error("cannot lock the run", path);
    return input_error("another process works on this run" + owner_of(fd.get()), run_dir.string(),
                       "wait until it ends, or stop it");
  }
  CUPEL_TRY_STATUS(sign(fd.get(), path));
  return RunLock(std::move(fd));
}

}  // namespace cupel::journal
