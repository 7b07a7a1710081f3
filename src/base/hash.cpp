#include "base/hash.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>

namespace cupel {
namespace {

constexpr std::size_t k_chunk_bytes = 1 << 20;

// A SHA-256 under way.
class Digest {
 public:
  Digest() { CUPEL_CHECK(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1); }

  void feed(std::string_view bytes) {
    CUPEL_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }

  std::string finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    CUPEL_CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), &size) == 1);
    return to_hex({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(),
                                                                   &EVP_MD_CTX_free};
};

}  // namespace

std::string to_hex(std::string_view bytes) {
  static constexpr std::string_view k_digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += k_digits[value >> 4];
    text += k_digits[value & 15];
  }
  return text;
}

struct Hasher::State {
  Digest digest;
  void feed_sized(std::string_view bytes) {
    digest.feed(std::to_string(bytes.size()));
    digest.feed(":");
    digest.feed(bytes);
  }
};

Hasher::Hasher(std::string_view domain) : state_(std::make_unique<State>()) {
  state_->feed_sized(domain);
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

Hasher& Hasher::add(std::string_view name, std::string_view value) {
  state_->digest.feed("s");
  state_->feed_sized(name);
  state_->feed_sized(value);
  return *this;
}

Hasher& Hasher::add(std::string_view name, std::int64_t value) {
  state_->digest.feed("i");
  state_->feed_sized(name);
  state_->feed_sized(std::to_string(value));
  return *this;
}

std::string Hasher::finish() {
  return state_->digest.finish();
}

std::string sha256_hex(std::string_view bytes) {
  Digest digest;
  digest.feed(bytes);
  return digest.finish();
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return input_error("cannot be read", path.string());
  Digest digest;
  std::string chunk(k_chunk_bytes, '\0');
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file.gcount() > 0) {
    digest.feed(std::string_view(chunk).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  if (file.bad()) return input_error("cannot be read to its end", path.string());
  return digest.finish();
}

std::string short_id(std::string_view id) {
  return std::string(id.substr(0, k_short_id_chars));
}

}  // namespace cupel
