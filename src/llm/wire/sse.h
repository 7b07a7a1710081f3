// Server-sent events, taken apart from bytes that arrive in pieces of any size.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace cupel::llm {

struct SseEvent {
  std::string name;  // of the "event:" field; often empty
  std::string data;  // lines joined by "\n"
};

// As in the WHATWG HTML standard, section "Server-sent events": lines end in LF, CR LF or CR, a
// blank line ends an event, a line that starts with a colon is a comment. Not thread-safe.
class SseParser {
 public:
  explicit SseParser(std::function<void(const SseEvent&)> on_event)
      : on_event_(std::move(on_event)) {}

  void feed(std::string_view bytes);
  // The end of the stream: an event whose lines are whole counts, half a line does not.
  void finish();

 private:
  void take_line();
  void dispatch();

  std::function<void(const SseEvent&)> on_event_;
  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;  // the LF of a CR LF may come in the next piece
  bool first_line_ = true;
};

}  // namespace cupel::llm
