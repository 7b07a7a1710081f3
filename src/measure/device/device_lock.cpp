#include "measure/device/device_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "base/stop.h"

namespace cupel::measure {
namespace {

// For all users of the machine, so not in anybody's cache.
constexpr const char* k_directory = "/tmp";
constexpr mode_t k_mode = 0666;
constexpr unsigned k_retry_us = 2000;
// What somebody who waits to time loses to one who prepares, at most.
constexpr auto k_watch_period = std::chrono::milliseconds(10);

// A file of another user's can be locked all the same.
Result<UniqueFd> open_file(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, k_mode);
  if (fd < 0) fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return errno_error("cannot open the device's lock", path);
  ::fchmod(fd, k_mode);
  return UniqueFd(fd);
}

// flock() without its deafness to a stop.
Status lock_file(const UniqueFd& file, int how) {
  while (::flock(file.get(), how | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return errno_error("cannot lock the device");
    if (process_stop_flag().raised()) return infra_error("stopped on request");
    ::usleep(k_retry_us);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<DeviceLock>> DeviceLock::open(const std::string& id) {
  auto lock = std::make_shared<DeviceLock>();
  if (id.empty()) return lock;
  const std::string path = std::string(k_directory) + "/cupel-" + id;
  CUPEL_TRY(lock->gate_, open_file(path + ".gate"));
  CUPEL_TRY(lock->work_, open_file(path + ".work"));
  return lock;
}

Status DeviceLock::share() {
  if (!exists()) return {};
  CUPEL_TRY_STATUS(lock_file(gate_, LOCK_SH));
  const Status joined = lock_file(work_, LOCK_SH);
  ::flock(gate_.get(), LOCK_UN);
  return joined;
}

Status DeviceLock::hold() {
  if (!exists()) return {};
  CUPEL_TRY_STATUS(lock_file(gate_, LOCK_EX));
  const Status alone = lock_file(work_, LOCK_EX);
  if (!alone) leave();
  return alone;
}

void DeviceLock::leave() {
  if (!exists()) return;
  ::flock(work_.get(), LOCK_UN);
  ::flock(gate_.get(), LOCK_UN);
}

bool DeviceLock::wanted() const {
  if (!exists()) return false;
  if (::flock(gate_.get(), LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(gate_.get(), LOCK_UN);
  return false;
}

Result<std::unique_ptr<Alone>> Alone::wait(DeviceLock& lock) {
  CUPEL_TRY_STATUS(lock.hold());
  return std::unique_ptr<Alone>(new Alone(lock));
}

Result<std::unique_ptr<Sharing>> Sharing::start(DeviceLock& lock, Work work) {
  CUPEL_TRY_STATUS(lock.share());
  std::unique_ptr<Sharing> sharing(new Sharing(lock, std::move(work)));
  if (lock.exists()) sharing->watcher_ = std::thread([raw = sharing.get()] { raw->watch(); });
  return sharing;
}

Sharing::~Sharing() {
  {
    const std::lock_guard guard(ending_);
    ended_ = true;
  }
  ended_changed_.notify_all();
  if (watcher_.joinable()) watcher_.join();
  lock_.leave();
}

void Sharing::watch() {
  std::unique_lock guard(ending_);
  while (!ended_changed_.wait_for(guard, k_watch_period, [this] { return ended_; })) {
    if (!lock_.wanted()) continue;
    guard.unlock();
    give_way();
    guard.lock();
  }
}

// A stop while waiting lets the work go on: it ends for the same reason.
void Sharing::give_way() {
  const std::lock_guard guard(gate_);
  work_.pause();
  lock_.leave();
  static_cast<void>(lock_.share());
  work_.resume();
}

}  // namespace cupel::measure
