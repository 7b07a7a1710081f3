// Runs the kernels of gpu_passes.cu on a CPU: a block after the other, a thread of the machine for
// each of a block's.
#include <barrier>
#include <bit>
#include <cmath>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#define __device__
#define __global__
#define __shared__ static  // of a block, and there is one at a time

struct Place {
  unsigned x;
};
static thread_local Place threadIdx, blockIdx, gridDim;
static std::barrier<>* threads_meet;
static std::mutex adding;

static void __syncthreads() {
  threads_meet->arrive_and_wait();
}
template <class Number>
static void atomicAdd(Number* sum, Number value) {
  const std::lock_guard guard(adding);
  *sum += value;
}
static float __uint_as_float(unsigned bits) {
  return std::bit_cast<float>(bits);
}
static long long __double_as_longlong(double value) {
  return std::bit_cast<long long>(value);
}

#include KERNELS

template <class Argument>
static void run(void (*kernel)(Argument), unsigned blocks, const void* argument) {
  for (unsigned block = 0; block < blocks; ++block) {
    std::barrier meeting(THREADS);
    threads_meet = &meeting;
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < THREADS; ++thread) {
      threads.emplace_back([=] {
        threadIdx = {thread};
        blockIdx = {block};
        gridDim = {blocks};
        kernel(*static_cast<const Argument*>(argument));
      });
    }
  }
}

// Returns whether there is a kernel of that name.
extern "C" bool emulate(const char* name, unsigned blocks, const void* argument) {
  const std::string_view wanted(name);
  const auto run_if = [&](std::string_view known, auto* kernel) {
    if (wanted == known) run(kernel, blocks, argument);
    return wanted == known;
  };
  return run_if("bands_of", bands_of) || run_if("compare_float64", compare_float64) ||
         run_if("compare_float32", compare_float32) || run_if("compare_float16", compare_float16) ||
         run_if("compare_bfloat16", compare_bfloat16);
}
