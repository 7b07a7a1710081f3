#include "measure/device/spread_copy.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <ranges>

#include "sandbox/cores.h"

namespace cupel::measure {
namespace {

// A smaller part is copied sooner than a thread wakes.
constexpr std::size_t k_part_bytes_min = 64 << 10;
// So that memcpy() never finds a piece large enough to pass the caches by.
constexpr std::size_t k_piece_bytes = 32 << 10;

void copy_into_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += k_piece_bytes) {
    std::memcpy(to + at, from + at, std::min(k_piece_bytes, bytes - at));
  }
}

}  // namespace

void SpreadCopy::Copier::ask() {
  asked.fetch_add(1);
  asked.notify_one();
}

SpreadCopy::~SpreadCopy() {
  ends_ = true;
  for (Copier& copier : copiers_) {
    copier.ask();
    copier.thread.join();
  }
}

void SpreadCopy::start() {
  started_ = true;
  for (int core = sandbox::first_given_core() + 1; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &sandbox::given_cores())) continue;
    Copier& copier = copiers_.emplace_back();
    copier.thread = std::thread([this, &copier, core, part = static_cast<int>(copiers_.size())] {
      sandbox::stay_on(core);
      work(copier, part);
    });
  }
}

void SpreadCopy::work(Copier& copier, int part) {
  for (std::uint32_t seen = 0;; ++seen) {
    copier.asked.wait(seen);
    if (ends_) return;
    copy_part(job_, part);
    copier.done.store(seen + 1);
  }
}

void SpreadCopy::copy(std::span<std::byte> to, std::span<const std::byte> from,
                      std::span<const std::int64_t> starts) {
  const std::size_t parts = std::max<std::size_t>(1, to.size() / k_part_bytes_min);
  if (parts > 1 && !started_) start();
  job_ = {to, from, starts, static_cast<int>(std::min(parts, copiers_.size() + 1))};
  const auto others = copiers_ | std::views::take(job_.parts - 1);
  for (Copier& copier : others) copier.ask();
  copy_part(job_, 0);
  for (Copier& copier : others) await(copier);
}

// Awake: this core would be slow after a sleep, and the call comes next on it.
void SpreadCopy::await(const Copier& copier) {
  while (copier.done.load() != copier.asked.load()) ::sched_yield();
}

// Part k of n of each tensor.
void SpreadCopy::copy_part(const Job& job, int part) {
  for (std::size_t i = 0; i < job.starts.size(); ++i) {
    const auto start = static_cast<std::size_t>(job.starts[i]);
    const std::size_t end =
        i + 1 < job.starts.size() ? static_cast<std::size_t>(job.starts[i + 1]) : job.to.size();
    const std::size_t bytes = end - start;
    const std::size_t first = start + bytes * static_cast<std::size_t>(part) / job.parts;
    const std::size_t last = start + bytes * (static_cast<std::size_t>(part) + 1) / job.parts;
    copy_into_caches(job.to.data() + first, job.from.data() + first, last - first);
  }
}

}  // namespace cupel::measure
