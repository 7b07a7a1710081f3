#include "propose/replies/cpp_includes.h"

#include <algorithm>
#include <string>

#include "base/words.h"
#include "propose/python_text.h"

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;

// One header: names that need it. A name that ends in '*' is a prefix; "std::" is part of a name
// where the bare word means nothing. `also`: headers that bring the same names.
struct Header {
  std::string_view header;
  std::string_view also;
  std::string_view names;  // separated by blanks
};

constexpr Header k_cpp_headers[] = {
    {"algorithm", "",
     "std::min std::max std::clamp std::fill std::fill_n std::copy std::copy_n std::sort "
     "std::swap_ranges std::transform std::max_element std::min_element std::nth_element"},
    {"array", "", "std::array"},
    {"atomic", "", "std::atomic"},
    {"bit", "", "std::bit_cast std::popcount std::countl_zero std::countr_zero"},
    {"cfloat", "float.h", "FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_EPSILON"},
    {"climits", "limits.h", "INT_MAX INT_MIN UINT_MAX LLONG_MAX"},
    {"cmath", "math.h",
     "std::exp std::exp2 std::expm1 std::log std::log1p std::log2 std::sqrt std::cbrt std::pow "
     "std::fabs std::tanh std::sinh std::cosh std::sin std::cos std::tan std::atan2 std::erf "
     "std::erfc std::floor std::ceil std::round std::nearbyint std::fma std::fmax std::fmin "
     "std::isnan std::isinf std::ldexp std::lgamma expf exp2f expm1f logf log1pf sqrtf powf fabsf "
     "tanhf sinf cosf erff floorf ceilf roundf fmaf fmaxf fminf INFINITY NAN M_PI M_SQRT1_2"},
    {"cstdint", "stdint.h",
     "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t"},
    {"cstddef", "stddef.h", "ptrdiff_t"},
    {"cstdio", "stdio.h", "printf fprintf snprintf"},
    {"cstdlib", "stdlib.h", "aligned_alloc malloc calloc free std::abort"},
    {"cstring", "string.h", "memcpy memset memmove memcmp"},
    {"functional", "", "std::function"},
    {"immintrin.h", "x86intrin.h", "_mm_* _mm256_* _mm512_* __m128 __m256 __m512 __m256i __m512i"},
    {"limits", "", "std::numeric_limits"},
    {"memory", "", "std::unique_ptr std::make_unique std::shared_ptr std::assume_aligned"},
    {"numeric", "", "std::accumulate std::inner_product std::iota std::reduce"},
    {"omp.h", "", "omp_get_* omp_set_* omp_in_parallel"},
    {"string", "", "std::string std::to_string"},
    {"thread", "", "std::thread"},
    {"utility", "", "std::pair std::exchange std::index_sequence"},
    {"vector", "", "std::vector"},
};

constexpr Header k_cuda_headers[] = {
    {"cooperative_groups.h", "", "cooperative_groups"},
    {"cuda_bf16.h", "", "__nv_bfloat16 __nv_bfloat162 __float2bfloat16 __bfloat162float"},
    {"cuda_fp16.h", "", "__half __half2 half2 __float2half __half2float __hadd __hmul __hfma2"},
    {"mma.h", "", "nvcuda"},
};

// The text without comments, strings and preprocessor lines, so that only code counts as use.
std::string code_of(std::string_view source) {
  std::string code(source);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < std::min(to, code.size()); ++at) {
      if (code[at] != '\n') code[at] = ' ';
    }
    return std::min(to, code.size());
  };
  bool line_begins = true;
  for (std::size_t at = 0; at < code.size();) {
    const char c = code[at];
    if (code.compare(at, 2, "//") == 0 || (line_begins && c == '#')) {
      at = blank(at, std::min(code.find('\n', at), code.size()));
    } else if (code.compare(at, 2, "/*") == 0) {
      const std::size_t end = code.find("*/", at + 2);
      at = blank(at, end == npos ? code.size() : end + 2);
    } else {
      line_begins = c == '\n' || (line_begins && (c == ' ' || c == '\t'));
      ++at;
    }
  }
  return code;
}

bool includes(std::string_view source, std::string_view header) {
  return !header.empty() && (source.find("<" + std::string(header) + ">") != npos ||
                             source.find("\"" + std::string(header) + "\"") != npos);
}

bool has_prefix_word(std::string_view code, std::string_view prefix) {
  for (std::size_t at = code.find(prefix); at != npos; at = code.find(prefix, at + 1)) {
    if (at == 0 || !is_word_char(code[at - 1])) return true;
  }
  return false;
}

bool uses(std::string_view code, std::string_view name) {
  if (name.ends_with('*')) return has_prefix_word(code, name.substr(0, name.size() - 1));
  return find_word(code, name) != npos;
}

bool uses_any(std::string_view code, std::string_view names) {
  while (!names.empty()) {
    const std::size_t end = names.find(' ');
    if (uses(code, names.substr(0, end))) return true;
    names.remove_prefix(end == npos ? names.size() : end + 1);
  }
  return false;
}

template <std::size_t N>
std::string missing_of(const Header (&headers)[N], std::string_view source) {
  const std::string code = code_of(source);
  std::string lines;
  for (const Header& header : headers) {
    if (includes(source, header.header) || includes(source, header.also)) continue;
    if (uses_any(code, header.names)) {
      lines.append("#include <").append(header.header).append(">\n");
    }
  }
  return lines;
}

bool brings_everything(std::string_view source) {
  return source.find("bits/stdc++.h") != npos || source.find("torch/") != npos ||
         source.find("ATen/") != npos || source.find("import std;") != npos;
}

}  // namespace

std::string missing_includes(std::string_view source, bool cuda) {
  if (brings_everything(source)) return "";
  return cuda ? missing_of(k_cuda_headers, source) : missing_of(k_cpp_headers, source);
}

}  // namespace cupel::propose
