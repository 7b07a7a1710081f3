// The cipher of cipher.h on the processor. Slow beside a GPU's: some hundred MB a second.
#pragma once

#include <stdint.h>

#include "probe/cipher.h"

namespace cupel_probe {

// Enciphers what is plain, and the other way round. `bytes` is a multiple of 16.
void cipher_on_cpu(void* at, uint64_t bytes, const CupelCipherKey& key);

}  // namespace cupel_probe
