// Threads that work off a queue of jobs.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cupel::engine {

// Threads are started as they are needed and kept to the end: a child process that one of them
// made dies with its thread. run() is for one thread; jobs must not throw.
class Crew {
 public:
  explicit Crew(int size_max) : size_max_(size_max) {}
  // Waits for the jobs under way and drops those that were not begun.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void run(std::function<void()> job);

 private:
  void work();

  int size_max_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  int idle_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace cupel::engine
