// Sealed inputs: a call's input lies in its slot enciphered, and its key comes with the baton. So
// nobody reads it before the call's clock runs, and the judge has no work for the GPU between two
// calls. Opening it leaves it in the GPU's caches, where the layer before would have left it.
//
// The cipher is ChaCha with 8 rounds (Bernstein 2008; RFC 8439 has the layout of its state), each
// key used once, the nonce zero. Block b's key stream is its words 0 to 15. Memory is in tiles of
// 16 KiB, 256 blocks each: vector k * 256 + t of a tile, of 16 bytes, goes with words 4k to 4k + 3
// of the tile's block t, so that neighbouring threads touch neighbouring memory.
#pragma once

#include <stdint.h>

enum {
  k_cupel_cipher_key_words = 8,
  k_cupel_cipher_vector_bytes = 16,
  k_cupel_cipher_threads = 256,  // of a block of the kernel's, which does one tile
  k_cupel_cipher_tile_vectors = 1024,
};

struct CupelCipherKey {
  uint32_t words[k_cupel_cipher_key_words];
};

inline uint64_t cupel_cipher_tiles(uint64_t bytes) {
  constexpr uint64_t k_tile_bytes = k_cupel_cipher_tile_vectors * k_cupel_cipher_vector_bytes;
  return (bytes + k_tile_bytes - 1) / k_tile_bytes;
}

// PTX of the entry cupel_cipher(u64 to, u64 from, u64 vectors, u32 key 0, ..., u32 key 7):
// enciphers what is plain, and the other way round. `to` may be `from`. The grid has a block for
// each tile.
inline constexpr char k_cupel_cipher_entry[] = "cupel_cipher";
// clang-format off
#define CUPEL_MIX(sum, other, mixed, bits)                    \
  "add.u32 " sum ", " sum ", " other ";\n"                    \
  "xor.b32 " mixed ", " mixed ", " sum ";\n"                  \
  "shf.l.wrap.b32 " mixed ", " mixed ", " mixed ", " bits ";\n"
#define CUPEL_QUARTER(a, b, c, d)                             \
  CUPEL_MIX("%x" #a, "%x" #b, "%x" #d, "16")                  \
  CUPEL_MIX("%x" #c, "%x" #d, "%x" #b, "12")                  \
  CUPEL_MIX("%x" #a, "%x" #b, "%x" #d, "8")                   \
  CUPEL_MIX("%x" #c, "%x" #d, "%x" #b, "7")
// Vector k of the thread's: its address is base + 16 * (k * 256 + t) of the tile.
#define CUPEL_LOAD(k, d0, d1, d2, d3)                         \
  "setp.lt.u64 %p" #k ", %v" #k ", %vectors;\n"               \
  "shl.b64 %a" #k ", %v" #k ", 4;\n"                          \
  "add.u64 %s, %from, %a" #k ";\n"                            \
  "@%p" #k " ld.global.v4.u32 {%d" #d0 ", %d" #d1 ", %d" #d2 ", %d" #d3 "}, [%s];\n"
#define CUPEL_STORE(k, d0, d1, d2, d3)                        \
  "xor.b32 %d" #d0 ", %d" #d0 ", %x" #d0 ";\n"                \
  "xor.b32 %d" #d1 ", %d" #d1 ", %x" #d1 ";\n"                \
  "xor.b32 %d" #d2 ", %d" #d2 ", %x" #d2 ";\n"                \
  "xor.b32 %d" #d3 ", %d" #d3 ", %x" #d3 ";\n"                \
  "add.u64 %s, %to, %a" #k ";\n"                              \
  "@%p" #k " st.global.v4.u32 [%s], {%d" #d0 ", %d" #d1 ", %d" #d2 ", %d" #d3 "};\n"
#define CUPEL_KEY(n, x) "ld.param.u32 %x" #x ", [k" #n "];\n"
#define CUPEL_ADD_KEY(n, x)                                   \
  "ld.param.u32 %w, [k" #n "];\n"                             \
  "add.u32 %x" #x ", %x" #x ", %w;\n"
inline constexpr char k_cupel_cipher_ptx[] =
  ".version 6.0\n.target sm_60\n.address_size 64\n"
  ".visible .entry cupel_cipher(.param .u64 to, .param .u64 from, .param .u64 vectors,\n"
  "  .param .u32 k0, .param .u32 k1, .param .u32 k2, .param .u32 k3,\n"
  "  .param .u32 k4, .param .u32 k5, .param .u32 k6, .param .u32 k7)\n{\n"
  ".reg .pred %p<5>;\n.reg .b32 %x<16>;\n.reg .b32 %d<16>;\n.reg .b32 %w;\n.reg .b32 %block;\n"
  ".reg .b32 %thread;\n.reg .b32 %tile;\n.reg .b32 %left;\n.reg .b64 %a<4>;\n.reg .b64 %v<4>;\n"
  ".reg .b64 %s;\n.reg .b64 %to;\n.reg .b64 %from;\n.reg .b64 %vectors;\n"
  "ld.param.u64 %to, [to];\nld.param.u64 %from, [from];\nld.param.u64 %vectors, [vectors];\n"
  "mov.u32 %thread, %tid.x;\nmov.u32 %tile, %ctaid.x;\n"
  "mad.lo.u32 %block, %tile, 256, %thread;\n"
  "mul.wide.u32 %v0, %tile, 1024;\ncvt.u64.u32 %s, %thread;\nadd.u64 %v0, %v0, %s;\n"
  "add.u64 %v1, %v0, 256;\nadd.u64 %v2, %v0, 512;\nadd.u64 %v3, %v0, 768;\n"
  CUPEL_LOAD(0, 0, 1, 2, 3) CUPEL_LOAD(1, 4, 5, 6, 7)
  CUPEL_LOAD(2, 8, 9, 10, 11) CUPEL_LOAD(3, 12, 13, 14, 15)
  "mov.u32 %x0, 0x61707865;\nmov.u32 %x1, 0x3320646e;\n"  // "expand 32-byte k"
  "mov.u32 %x2, 0x79622d32;\nmov.u32 %x3, 0x6b206574;\n"
  CUPEL_KEY(0, 4) CUPEL_KEY(1, 5) CUPEL_KEY(2, 6) CUPEL_KEY(3, 7)
  CUPEL_KEY(4, 8) CUPEL_KEY(5, 9) CUPEL_KEY(6, 10) CUPEL_KEY(7, 11)
  "mov.u32 %x12, %block;\nmov.u32 %x13, 0;\nmov.u32 %x14, 0;\nmov.u32 %x15, 0;\n"
  "mov.u32 %left, 4;\n"  // double rounds
  "rounds:\n"
  CUPEL_QUARTER(0, 4, 8, 12) CUPEL_QUARTER(1, 5, 9, 13)
  CUPEL_QUARTER(2, 6, 10, 14) CUPEL_QUARTER(3, 7, 11, 15)
  CUPEL_QUARTER(0, 5, 10, 15) CUPEL_QUARTER(1, 6, 11, 12)
  CUPEL_QUARTER(2, 7, 8, 13) CUPEL_QUARTER(3, 4, 9, 14)
  "sub.u32 %left, %left, 1;\nsetp.ne.u32 %p4, %left, 0;\n@%p4 bra rounds;\n"
  "add.u32 %x0, %x0, 0x61707865;\nadd.u32 %x1, %x1, 0x3320646e;\n"
  "add.u32 %x2, %x2, 0x79622d32;\nadd.u32 %x3, %x3, 0x6b206574;\n"
  CUPEL_ADD_KEY(0, 4) CUPEL_ADD_KEY(1, 5) CUPEL_ADD_KEY(2, 6) CUPEL_ADD_KEY(3, 7)
  CUPEL_ADD_KEY(4, 8) CUPEL_ADD_KEY(5, 9) CUPEL_ADD_KEY(6, 10) CUPEL_ADD_KEY(7, 11)
  "add.u32 %x12, %x12, %block;\n"
  CUPEL_STORE(0, 0, 1, 2, 3) CUPEL_STORE(1, 4, 5, 6, 7)
  CUPEL_STORE(2, 8, 9, 10, 11) CUPEL_STORE(3, 12, 13, 14, 15)
  "ret;\n}\n";
// clang-format on
#undef CUPEL_MIX
#undef CUPEL_QUARTER
#undef CUPEL_LOAD
#undef CUPEL_STORE
#undef CUPEL_KEY
#undef CUPEL_ADD_KEY
