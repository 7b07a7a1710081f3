#include "cuda/kernels.h"

namespace cupel::cuda {

// Both walk over memory with a stride of the whole grid and write only where something is wrong.
const char* const k_kernels_ptx = R"ptx(
.version 6.0
.target sm_60
.address_size 64

.visible .entry cupel_differ(
  .param .u64 a, .param .u64 b, .param .u64 vectors, .param .u64 flag)
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [vectors];
  ld.param.u64 %rd4, [flag];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %rd5, %r1, %r2;
  cvt.u64.u32 %rd6, %r3;
  add.u64 %rd5, %rd5, %rd6;
  mul.wide.u32 %rd7, %r4, %r2;
  mov.u64 %rd8, 0;
loop:
  setp.ge.u64 %p1, %rd5, %rd3;
  @%p1 bra done;
  shl.b64 %rd9, %rd5, 4;
  add.u64 %rd10, %rd1, %rd9;
  ld.global.v2.u64 {%rd12, %rd13}, [%rd10];
  add.u64 %rd11, %rd2, %rd9;
  ld.global.v2.u64 {%rd14, %rd15}, [%rd11];
  xor.b64 %rd12, %rd12, %rd14;
  xor.b64 %rd13, %rd13, %rd15;
  or.b64 %rd12, %rd12, %rd13;
  or.b64 %rd8, %rd8, %rd12;
  add.u64 %rd5, %rd5, %rd7;
  bra loop;
done:
  setp.eq.u64 %p2, %rd8, 0;
  @%p2 bra leave;
  mov.u32 %r5, 1;
  st.global.u32 [%rd4], %r5;
leave:
  ret;
}

.visible .entry cupel_not_filled(
  .param .u64 a, .param .u64 b, .param .u64 vectors, .param .u64 flag)
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<16>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [vectors];
  ld.param.u64 %rd4, [flag];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %rd5, %r1, %r2;
  cvt.u64.u32 %rd6, %r3;
  add.u64 %rd5, %rd5, %rd6;
  mul.wide.u32 %rd7, %r4, %r2;
  mov.u64 %rd8, 0;
loop:
  setp.ge.u64 %p1, %rd5, %rd3;
  @%p1 bra done;
  shl.b64 %rd9, %rd5, 4;
  add.u64 %rd10, %rd1, %rd9;
  ld.global.v2.u64 {%rd12, %rd13}, [%rd10];
  xor.b64 %rd12, %rd12, %rd2;
  xor.b64 %rd13, %rd13, %rd2;
  or.b64 %rd12, %rd12, %rd13;
  or.b64 %rd8, %rd8, %rd12;
  add.u64 %rd5, %rd5, %rd7;
  bra loop;
done:
  setp.eq.u64 %p2, %rd8, 0;
  @%p2 bra leave;
  mov.u32 %r5, 1;
  st.global.u32 [%rd4], %r5;
leave:
  ret;
}
)ptx";

}  // namespace cupel::cuda
