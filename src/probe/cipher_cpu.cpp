// The cipher of cipher.h on the processor, where arenas lie in its memory: as RFC 8439 writes it.
#include "probe/cipher_cpu.h"

#include <string.h>

namespace cupel_probe {
namespace {

constexpr int k_state_words = 16;
constexpr int k_double_rounds = 4;
constexpr uint64_t k_vector_words = k_cupel_cipher_vector_bytes / 4;

uint32_t rotated(uint32_t word, int bits) {
  return word << bits | word >> (32 - bits);
}

void mix(uint32_t* x, int a, int b, int c, int d) {
  x[d] = rotated(x[d] ^ (x[a] += x[b]), 16);
  x[b] = rotated(x[b] ^ (x[c] += x[d]), 12);
  x[d] = rotated(x[d] ^ (x[a] += x[b]), 8);
  x[b] = rotated(x[b] ^ (x[c] += x[d]), 7);
}

void key_stream(const CupelCipherKey& key, uint32_t block, uint32_t* x) {
  uint32_t state[k_state_words] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  memcpy(state + 4, key.words, sizeof key.words);
  state[12] = block;
  memcpy(x, state, sizeof state);
  for (int round = 0; round < k_double_rounds; ++round) {
    for (int i = 0; i < 4; ++i) mix(x, i, 4 + i, 8 + i, 12 + i);
    for (int i = 0; i < 4; ++i) mix(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
  }
  for (int i = 0; i < k_state_words; ++i) x[i] += state[i];
}

}  // namespace

void cipher_on_cpu(void* at, uint64_t bytes, const CupelCipherKey& key) {
  auto* memory = static_cast<unsigned char*>(at);
  const uint64_t vectors = bytes / k_cupel_cipher_vector_bytes;
  uint32_t stream[k_state_words];
  for (uint64_t block = 0; block < k_cupel_cipher_threads * cupel_cipher_tiles(bytes); ++block) {
    key_stream(key, static_cast<uint32_t>(block), stream);
    const uint64_t first = block / k_cupel_cipher_threads * k_cupel_cipher_tile_vectors +
                           block % k_cupel_cipher_threads;
    for (uint64_t k = 0; k < k_state_words / k_vector_words; ++k) {
      const uint64_t vector = first + k * k_cupel_cipher_threads;
      if (vector >= vectors) break;
      uint32_t words[k_vector_words];
      unsigned char* place = memory + vector * k_cupel_cipher_vector_bytes;
      memcpy(words, place, sizeof words);
      for (uint64_t i = 0; i < k_vector_words; ++i) words[i] ^= stream[k * k_vector_words + i];
      memcpy(place, words, sizeof words);
    }
  }
}

}  // namespace cupel_probe
