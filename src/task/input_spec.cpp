#include "task/input_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

#include "base/words.h"

namespace cupel::task {
namespace {

constexpr std::size_t k_tensors_max = 64;        // arguments of one call; more is a typing error
constexpr std::size_t k_dimensions_max = 16;     // more than any operator of torch takes
constexpr std::int64_t k_bytes_max = 1ll << 40;  // one tensor; keeps all later sums in 64 bits
constexpr std::string_view k_grammar = "write tensors as f32[16,256], i64[8,4]<100, mask=bool[3]";

struct Dtype {
  std::string_view short_name;
  std::string_view name;
  std::int64_t bytes;
  std::int64_t bound_max;  // largest exclusive bound; 0: takes none
};
constexpr std::int64_t k_i64_max = std::numeric_limits<std::int64_t>::max();
constexpr auto k_dtypes = std::to_array<Dtype>({{"f32", "float32", 4, 0},
                                                {"f64", "float64", 8, 0},
                                                {"f16", "float16", 2, 0},
                                                {"bf16", "bfloat16", 2, 0},
                                                {"i64", "int64", 8, k_i64_max},
                                                {"i32", "int32", 4, 1ll << 31},
                                                {"i16", "int16", 2, 1ll << 15},
                                                {"i8", "int8", 1, 1ll << 7},
                                                {"u8", "uint8", 1, 1ll << 8},
                                                {"bool", "bool", 1, 0}});

std::string known_dtypes() {
  std::string names;
  for (const Dtype& dtype : k_dtypes)
    names += (names.empty() ? "" : ", ") + std::string(dtype.short_name);
  return names;
}

// Reads the text from left to right; every failure names the column, counted from 1.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<std::vector<InputTensor>> tensors() {
    std::vector<InputTensor> found;
    do {
      if (found.size() == k_tensors_max)
        return error(fmt::format("more than {} tensors", k_tensors_max));
      CUPEL_TRY(InputTensor next, tensor());
      CUPEL_TRY_STATUS(check_place(next, found));
      found.push_back(std::move(next));
    } while (take(','));
    skip_spaces();
    if (at_ < text_.size()) return error("expected ',' between tensors");
    return found;
  }

 private:
  Result<InputTensor> tensor() {
    std::string keyword = this->keyword();
    CUPEL_TRY(const Dtype* dtype, this->dtype());
    CUPEL_TRY(auto shape, this->shape(*dtype));
    CUPEL_TRY(const std::int64_t bound, this->bound(*dtype));
    return InputTensor{std::string(dtype->name), std::move(shape), bound, std::move(keyword)};
  }

  // "mask" of "mask=bool[3]"; empty where a dtype comes at once.
  std::string keyword() {
    skip_spaces();
    std::size_t end = at_;
    while (end < text_.size() && is_word_char(text_[end])) ++end;
    const auto name = text_.substr(at_, end - at_);
    const bool named = end < text_.size() && text_[end] == '=';
    if (!named || name.empty() || std::isdigit(static_cast<unsigned char>(name.front()))) return "";
    at_ = end + 1;
    return std::string(name);
  }

  Status check_place(const InputTensor& next, const std::vector<InputTensor>& before) const {
    if (next.keyword.empty() && !before.empty() && !before.back().keyword.empty()) {
      return error("a tensor without a name after one with a name");
    }
    const auto same = std::ranges::find(before, next.keyword, &InputTensor::keyword);
    if (next.keyword.empty() || same == before.end()) return {};
    return error("two tensors called " + next.keyword);
  }

  Result<const Dtype*> dtype() {
    skip_spaces();
    const std::size_t start = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
    const auto name = text_.substr(start, at_ - start);
    for (const Dtype& dtype : k_dtypes) {
      if (dtype.short_name == name) return &dtype;
    }
    at_ = start;
    return error(name.empty() ? "expected a dtype" : fmt::format("unknown dtype '{}'", name),
                 "one of " + known_dtypes());
  }

  Result<std::vector<std::int64_t>> shape(const Dtype& dtype) {
    std::vector<std::int64_t> sizes;
    if (!take('[')) return error(fmt::format("expected '[' after {}", dtype.short_name));
    if (take(']')) return sizes;
    std::int64_t bytes = dtype.bytes;
    do {
      CUPEL_TRY(const std::int64_t size, number("a size"));
      if (size > 0 && bytes > k_bytes_max / size) return error("tensor is larger than 1 TiB");
      bytes *= std::max<std::int64_t>(size, 1);
      sizes.push_back(size);
    } while (take(','));
    if (!take(']')) return error("expected ',' or ']' after a size");
    if (sizes.size() > k_dimensions_max)
      return error(fmt::format("more than {} dimensions", k_dimensions_max));
    return sizes;
  }

  Result<std::int64_t> bound(const Dtype& dtype) {
    const bool given = take('<');
    if (dtype.bound_max == 0) {
      return given ? Result<std::int64_t>(
                         error(fmt::format("{} takes no '<' bound", dtype.short_name)))
                   : Result<std::int64_t>(0);
    }
    if (!given) {
      return error(fmt::format("{} needs a bound", dtype.short_name),
                   fmt::format("{}[..]<100 draws integers from 0 to 99", dtype.short_name));
    }
    CUPEL_TRY(const std::int64_t bound, number("a bound"));
    if (bound < 1 || bound > dtype.bound_max) {
      return error(fmt::format("bound of {} must be 1 to {}", dtype.short_name, dtype.bound_max));
    }
    return bound;
  }

  Result<std::int64_t> number(std::string_view what) {
    skip_spaces();
    std::int64_t value = 0;
    const char* const first = text_.data() + at_;
    const auto [end, problem] = std::from_chars(first, text_.data() + text_.size(), value);
    if (problem != std::errc() || value < 0) return error(fmt::format("expected {}", what));
    at_ += static_cast<std::size_t>(end - first);
    return value;
  }

  bool take(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  tl::unexpected<Error> error(std::string what, std::string_view hint = k_grammar) const {
    return input_error(fmt::format("{} at column {} of '{}'", what, at_ + 1, text_), "--inputs",
                       std::string(hint));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<InputTensor>> parse_input_spec(std::string_view text) {
  if (text.find_first_not_of(' ') == std::string_view::npos) {
    return input_error("no input tensors given", "--inputs", std::string(k_grammar));
  }
  return Reader(text).tensors();
}

}  // namespace cupel::task
