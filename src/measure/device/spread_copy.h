// Copies as the threads of a layer would write: each core a part of each tensor, with ordinary
// stores. So the parts lie in the cores' own caches or in the one that they share, as what a
// model's next layer gets does. Written by one core, they would have to be fetched from it (seen:
// 0.24 ms a call instead of 0.21); past the caches, from memory (docs/timing.md has the figures).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <thread>

namespace cupel::measure {

// Not thread-safe. Its threads start with the first copy that needs them, each bound to one of the
// cores that this process was given but the first, which is the caller's.
class SpreadCopy {
 public:
  SpreadCopy() = default;
  SpreadCopy(const SpreadCopy&) = delete;
  SpreadCopy& operator=(const SpreadCopy&) = delete;
  ~SpreadCopy();

  // Sizes are equal. `starts`: where tensors begin, ascending from 0; each ends at the next one's.
  void copy(std::span<std::byte> to, std::span<const std::byte> from,
            std::span<const std::int64_t> starts);

 private:
  struct Job {
    std::span<std::byte> to;
    std::span<const std::byte> from;
    std::span<const std::int64_t> starts;
    int parts = 1;
  };

  struct Copier {
    void ask();

    std::atomic<std::uint32_t> asked = 0;  // how often; its thread has seen fewer while it works
    std::atomic<std::uint32_t> done = 0;
    std::thread thread;
  };

  void start();
  void work(Copier& copier, int part);
  static void await(const Copier& copier);
  static void copy_part(const Job& job, int part);

  Job job_;            // written before `asked`, read after it
  bool ends_ = false;  // likewise
  bool started_ = false;
  std::deque<Copier> copiers_;
};

}  // namespace cupel::measure
