#include "output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

namespace cupel::cli {
namespace {

constexpr int k_columns_max = 100;
constexpr int k_columns_min = 60;

int columns_of(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return k_columns_max;
  return std::clamp(static_cast<int>(size.ws_col), k_columns_min, k_columns_max);
}

std::string error_json(const Error& error) {
  const nlohmann::json json{
      {"version", 1},       {"kind", "error"},      {"tag", to_string(error.tag)},
      {"what", error.what}, {"where", error.where}, {"hint", error.hint}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

bool is_terminal(std::FILE* stream) {
  const char* const terminal = std::getenv("TERM");
  return ::isatty(::fileno(stream)) == 1 && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

report::Style style_for(std::FILE* stream) {
  const char* const no_color = std::getenv("NO_COLOR");
  const bool wanted = no_color == nullptr || *no_color == '\0';
  return {.color = wanted && is_terminal(stream), .width = columns_of(stream)};
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void print_error(const Error& error, bool json) {
  if (json) return print(error_json(error));
  std::fprintf(stderr, "cupel: %s\n", error.describe().c_str());
}

}  // namespace cupel::cli
