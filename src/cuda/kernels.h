// Device code, as PTX that the driver compiles for the GPU it finds.
#pragma once

namespace cupel::cuda {

// Entries, each with (u64 a, u64 b, u64 vectors, u64 flag): look at `vectors` times 16 bytes and
// store 1 at the 32-bit `flag` if
//   cupel_differ: the memory at a differs from that at b;
//   cupel_not_filled: the memory at a holds another 8-byte word than the value b.
extern const char* const k_kernels_ptx;

inline constexpr unsigned k_kernel_threads = 256;  // of a block
inline constexpr unsigned k_kernel_blocks_max = 2048;

}  // namespace cupel::cuda
