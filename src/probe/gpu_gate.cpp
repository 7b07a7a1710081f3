#include "probe/gpu_gate.h"

namespace cupel_probe {
namespace {

// Multiprocessors have 1024, 1536 or 2048 threads: a multiple each.
constexpr unsigned k_block_threads = 512;
constexpr size_t k_words_bytes = 64;

// One thread of the first block looks at the host's word and at the clock, and tells the first
// threads of the other blocks through the flag.
constexpr const char* k_ptx = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry cupel_gate(.param .u64 words, .param .u64 flag, .param .u64 limit_ns,
                           .param .u32 number)
{
  .reg .pred %p<5>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [words];
  ld.param.u64 %rd2, [flag];
  ld.param.u64 %rd3, [limit_ns];
  ld.param.u32 %r1, [number];
  mov.u32 %r2, %tid.x;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra end;
  mov.u32 %r3, %ctaid.x;
  setp.ne.u32 %p2, %r3, 0;
  @%p2 bra follow;
  mov.u64 %rd4, %globaltimer;
  add.u64 %rd5, %rd4, %rd3;
lead:
  ld.volatile.global.u32 %r4, [%rd1];
  setp.eq.u32 %p3, %r4, %r1;
  @%p3 bra open;
  mov.u64 %rd6, %globaltimer;
  setp.lt.u64 %p4, %rd6, %rd5;
  @%p4 bra lead;
  st.volatile.global.u32 [%rd1+4], %r1;
open:
  st.volatile.global.u32 [%rd2], %r1;
  bra end;
follow:
  ld.volatile.global.u32 %r4, [%rd2];
  setp.ne.u32 %p3, %r4, %r1;
  @%p3 bra follow;
end:
  bar.sync 0;
  ret;
}
)";

}  // namespace

int Gate::prepare(const Driver& driver, int32_t device) {
  if (prepared_) return 0;
  Handle module = nullptr;
  void* words = nullptr;
  int handle = 0;
  int multiprocessors = 0;
  int per_multiprocessor = 0;
  int code = driver.load(&module, k_ptx);
  if (code == 0) code = driver.function(&function_, module, "cupel_gate");
  if (code == 0) code = driver.event_create(&end_, k_event_default);
  if (code == 0) code = driver.allocate_host(&words, k_words_bytes, k_host_memory_mapped);
  if (code == 0) code = driver.address_of_host(&words_on_device_, words, 0);
  if (code == 0) code = driver.allocate(&flag_, k_words_bytes);
  if (code == 0) code = driver.fill(flag_, 0, k_words_bytes / sizeof(uint32_t), nullptr);
  if (code == 0) code = driver.device_get(&handle, device);
  if (code == 0) code = driver.attribute(&multiprocessors, k_attribute_multiprocessors, handle);
  if (code == 0) {
    code = driver.blocks_per_multiprocessor(&per_multiprocessor, function_, k_block_threads, 0);
  }
  if (code != 0) return code;
  words_ = static_cast<volatile uint32_t*>(words);
  words_[0] = 0;
  words_[1] = 0;
  blocks_ = multiprocessors * per_multiprocessor;
  prepared_ = true;
  return 0;
}

int Gate::close(const Driver& driver, int32_t device, uint64_t limit_ns) {
  if (closed_) open();  // of a call that did not return
  int code = prepare(driver, device);
  if (code != 0) return code;
  ++number_;
  void* arguments[] = {&words_on_device_, &flag_, &limit_ns, &number_};
  code = driver.launch(function_, static_cast<unsigned>(blocks_), 1, 1, k_block_threads, 1, 1, 0,
                       nullptr, arguments, nullptr);
  if (code == 0) code = driver.event_record(end_, nullptr);
  closed_ = code == 0;
  return code;
}

void Gate::open() {
  words_[0] = number_;
  closed_ = false;
}

bool Gate::ended_by_itself() const {
  return words_[1] == number_;
}

}  // namespace cupel_probe
