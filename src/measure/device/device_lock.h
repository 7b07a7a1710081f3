// Who may use a device when, across the processes of a machine: whoever times is alone on it, and
// what others prepare there stands still meanwhile. Advisory; a process that ends gives up its
// place.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/files.h"
#include "base/result.h"

namespace cupel::measure {

// One place of this process at one device. Not thread-safe, but for wanted(). Waiting ends with an
// infra error when the process is asked to stop.
class DeviceLock {
 public:
  // `id` names the device for all processes. "": nobody else uses it, and nothing ever waits.
  static Result<std::shared_ptr<DeviceLock>> open(const std::string& id);

  // Joins those who prepare, once nobody times or waits for that.
  Status share();
  // Waits until all others have left, then is alone.
  Status hold();
  void leave();
  // Does somebody wait to be alone?
  bool wanted() const;
  bool exists() const { return work_.valid(); }

 private:
  UniqueFd gate_;  // held alone by who times or waits for that: nobody else comes in
  UniqueFd work_;  // held together by who prepares, alone by who times
};

// Alone on a device while it lives.
class Alone {
 public:
  static Result<std::unique_ptr<Alone>> wait(DeviceLock& lock);
  ~Alone() { lock_.leave(); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  explicit Alone(DeviceLock& lock) : lock_(lock) {}
  DeviceLock& lock_;
};

// Shares a device while it lives, and gives way: when somebody wants to be alone, what this process
// does there is paused until he is done.
class Sharing {
 public:
  // Both run on a thread of this object's, with gate() held from the one to the end of the other.
  struct Work {
    std::function<void()> pause;
    std::function<void()> resume;
  };
  static Result<std::unique_ptr<Sharing>> start(DeviceLock& lock, Work work);
  ~Sharing();
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

  // To be held by whoever uses the device himself, or changes what pause() stops.
  std::mutex& gate() { return gate_; }

 private:
  Sharing(DeviceLock& lock, Work work) : lock_(lock), work_(std::move(work)) {}
  void watch();
  void give_way();

  DeviceLock& lock_;
  Work work_;
  std::mutex gate_;
  std::mutex ending_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::thread watcher_;
};

}  // namespace cupel::measure
