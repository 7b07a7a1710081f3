#include "base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <vector>

namespace cupel {
namespace {

constexpr std::size_t k_chunk_bytes = 1 << 20;

std::string to_hex(const unsigned char* bytes, std::size_t size) {
  static constexpr std::string_view k_digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * size);
  for (std::size_t i = 0; i < size; ++i) {
    text += k_digits[bytes[i] >> 4];
    text += k_digits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

struct Hasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
  void feed(std::string_view bytes) {
    CUPEL_CHECK(EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1);
  }
  void feed_sized(std::string_view bytes) {
    feed(std::to_string(bytes.size()));
    feed(":");
    feed(bytes);
  }
};

Hasher::Hasher(std::string_view domain) : state_(std::make_unique<State>()) {
  CUPEL_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
  state_->feed_sized(domain);
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::add(std::string_view name, std::string_view value) {
  state_->feed("s");
  state_->feed_sized(name);
  state_->feed_sized(value);
  return *this;
}

Hasher& Hasher::add(std::string_view name, std::int64_t value) {
  state_->feed("i");
  state_->feed_sized(name);
  state_->feed_sized(std::to_string(value));
  return *this;
}

std::string Hasher::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  CUPEL_CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), &size) == 1);
  return to_hex(digest.data(), size);
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  CUPEL_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) ==
              1);
  return to_hex(digest.data(), size);
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return input_error("cannot be read", path.string());
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  CUPEL_CHECK(EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1);
  std::vector<char> chunk(k_chunk_bytes);
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file.gcount() > 0) {
    CUPEL_CHECK(EVP_DigestUpdate(context, chunk.data(), static_cast<std::size_t>(file.gcount())) ==
                1);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  CUPEL_CHECK(EVP_DigestFinal_ex(context, digest.data(), &size) == 1);
  EVP_MD_CTX_free(context);
  if (file.bad()) return input_error("cannot be read to its end", path.string());
  return to_hex(digest.data(), size);
}

std::string short_id(std::string_view id) {
  return std::string(id.substr(0, k_short_id_chars));
}

}  // namespace cupel
