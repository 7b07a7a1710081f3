#include "llm/wire/sse.h"

namespace cupel::llm {

void SseParser::feed(std::string_view bytes) {
  for (const char byte : bytes) {
    const bool second_half = after_cr_ && byte == '\n';
    after_cr_ = byte == '\r';
    if (second_half) continue;
    if (byte == '\n' || byte == '\r') {
      take_line();
    } else {
      line_ += byte;
    }
  }
}

void SseParser::finish() {
  line_.clear();
  dispatch();
}

void SseParser::take_line() {
  std::string line = std::move(line_);
  line_.clear();
  constexpr std::string_view k_byte_order_mark = "\xEF\xBB\xBF";
  if (first_line_ && line.rfind(k_byte_order_mark, 0) == 0) line.erase(0, 3);
  first_line_ = false;
  if (line.empty()) return dispatch();
  const std::size_t colon = line.find(':');
  const std::string field = line.substr(0, colon);
  std::string value = colon == std::string::npos ? "" : line.substr(colon + 1);
  if (!value.empty() && value.front() == ' ') value.erase(0, 1);
  if (field == "event") event_.name = value;
  if (field != "data") return;
  if (has_data_) event_.data += '\n';
  event_.data += value;
  has_data_ = true;
}

void SseParser::dispatch() {
  if (has_data_) on_event_(event_);
  event_ = {};
  has_data_ = false;
}

}  // namespace cupel::llm
