#include "propose/archive/task_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "base/words.h"
#include "propose/python_text.h"

namespace cupel::propose {
namespace {

// A task of more operations is described well enough by these.
constexpr std::size_t k_words_max = 64;
constexpr std::size_t k_word_bytes_max = 40;

// Members and functions that every module has, or that move no data.
constexpr auto k_idle = std::to_array<std::string_view>(
    {"module",     "parameter",  "randn",  "rand",   "randint",  "shape",      "size",
     "view",       "reshape",    "dim",    "super",  "forward",  "contiguous", "register_buffer",
     "nn",         "functional", "torch",  "init",   "__init__", "eval",       "train",
     "unsqueeze",  "squeeze",    "expand", "numel",  "device",   "dtype",      "to",
     "float",      "zeros",      "ones",   "empty",  "arange",   "tensor",     "float32",
     "no_grad",    "sqrt",       "list",   "append", "items",    "keys",       "range",
     "sequential", "modulelist", "full",   "chunk",  "split",    "transpose",  "permute"});

bool is_idle(std::string_view word) {
  return word.size() > k_word_bytes_max ||
         std::find(k_idle.begin(), k_idle.end(), word) != k_idle.end();
}

std::string lower_letters(std::string_view word) {
  std::string out = lower_case(word);
  std::erase(out, '_');
  return out;
}

// Members that are called: nn.Linear(...), F.gelu(...), x.sum(...). `self.NAME(...)` calls a layer
// that its constructor has named already.
void add_operations(std::string_view code, std::set<std::string>& words) {
  for (std::size_t at = code.find('.'); at != code.npos; at = code.find('.', at + 1)) {
    const std::string_view word = word_at(code, at + 1);
    const std::size_t end = at + 1 + word.size();
    const bool own = at >= 4 && code.substr(at - 4, 4) == "self";
    if (word.empty() || own || end >= code.size() || code[end] != '(' ||
        is_idle(lower_letters(word)))
      continue;
    if (words.size() < k_words_max) words.insert(lower_letters(word));
  }
  if (code.find(" @ ") != code.npos) words.insert("matmul");
  if (find_word(code, "for") != code.npos) words.insert("loop");
}

// floor(log4(n)): 512 and 1023 agree, 512 and 4096 do not.
int power_of_four(std::int64_t n) {
  int power = 0;
  for (; n >= 4; n /= 4) ++power;
  return power;
}

void add_shapes(const TaskFacts& facts, std::set<std::string>& words) {
  for (const TensorSpec& input : facts.inputs) {
    std::int64_t elements = 1;
    for (const std::int64_t size : input.shape) elements *= std::max<std::int64_t>(size, 1);
    words.insert(input.dtype);
    words.insert(fmt::format("rank:{}", input.shape.size()));
    words.insert(fmt::format("elements:4^{}", power_of_four(elements)));
    if (!input.shape.empty()) {
      words.insert(fmt::format("last:4^{}", power_of_four(input.shape.back())));
    }
  }
}

}  // namespace

std::set<std::string> words_of_task(const Task& task, const TaskFacts& facts) {
  std::set<std::string> words;
  add_operations(scan_python(task.source).code, words);
  add_shapes(facts, words);
  return words;
}

}  // namespace cupel::propose
