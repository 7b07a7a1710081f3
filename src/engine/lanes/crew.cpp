#include "engine/lanes/crew.h"

#include <utility>

namespace cupel::engine {

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    jobs_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::run(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  const bool all_busy = static_cast<int>(jobs_.size()) > idle_;
  if (all_busy && static_cast<int>(threads_.size()) < size_max_) {
    threads_.emplace_back([this] { work(); });
  }
  wake_.notify_one();
}

void Crew::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
    --idle_;
    if (ended_) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace cupel::engine
