// The cipher of probe/cipher.h, once more: as RFC 8439 writes it, for the processor.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "probe/cipher.h"

namespace cupel::measure {

using CipherBlock = std::array<std::uint32_t, 16>;

inline CipherBlock chacha_block(const CipherBlock& state, int double_rounds) {
  CipherBlock x = state;
  const auto quarter = [&x](int a, int b, int c, int d) {
    const auto at = [&x](int i) -> std::uint32_t& { return x[static_cast<std::size_t>(i)]; };
    at(a) += at(b), at(d) = std::rotl(at(d) ^ at(a), 16);
    at(c) += at(d), at(b) = std::rotl(at(b) ^ at(c), 12);
    at(a) += at(b), at(d) = std::rotl(at(d) ^ at(a), 8);
    at(c) += at(d), at(b) = std::rotl(at(b) ^ at(c), 7);
  };
  for (int round = 0; round < double_rounds; ++round) {
    for (int i = 0; i < 4; ++i) quarter(i, 4 + i, 8 + i, 12 + i);
    for (int i = 0; i < 4; ++i) quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += state[i];
  return x;
}

inline CipherBlock cipher_state(const CupelCipherKey& key, std::uint32_t block) {
  CipherBlock state{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (std::size_t i = 0; i < 8; ++i) state[4 + i] = key.words[i];
  state[12] = block;
  return state;
}

// In place; bytes.size() is a multiple of 16.
inline void cipher_by_reference(std::span<std::byte> bytes, const CupelCipherKey& key) {
  for (std::size_t vector = 0; vector < bytes.size() / 16; ++vector) {
    const std::size_t tile = vector / 1024, k = vector % 1024 / 256, t = vector % 256;
    const auto stream =
        chacha_block(cipher_state(key, static_cast<std::uint32_t>(256 * tile + t)), 4);
    for (std::size_t word = 0; word < 4; ++word) {
      std::uint32_t value;
      std::memcpy(&value, &bytes[16 * vector + 4 * word], sizeof value);
      value ^= stream[4 * k + word];
      std::memcpy(&bytes[16 * vector + 4 * word], &value, sizeof value);
    }
  }
}

}  // namespace cupel::measure
