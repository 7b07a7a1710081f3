// The judge's end of the socket to a referee or a host: length-prefixed JSON frames
// (docs/protocol.md), with deadlines, while the peer's output and exit are watched.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/deadline.h"
#include "base/files.h"
#include "base/result.h"
#include "base/stop.h"

namespace cupel::measure {

inline constexpr std::size_t k_frame_bytes_max = 4 << 20;

// A connected pair: [0] stays here (close-on-exec), [1] goes to the child.
Result<std::pair<UniqueFd, UniqueFd>> make_socket_pair();

// Closes on a thread of its own. What an untrusted peer has sent may hold descriptors, and closing
// the last one of a socket may block for as long as the peer has wished (SO_LINGER).
void close_aside(std::vector<UniqueFd> descriptors);

// The message that a frame holds: an object. Null where it is something else, or nests more deeply
// than any of ours: copying or printing what nests without end overflows the stack.
nlohmann::json message_in(std::string_view body);
// Is it a message of this kind, by its "re"? False where that is no text.
bool answers(const nlohmann::json& message, std::string_view kind);

// A message as it travels: length and text.
std::string framed(const nlohmann::json& message);

// Sends one frame, with descriptors beside it. Blocks until the kernel has taken it; a peer that
// does not read makes it fail after `seconds_max`.
Status send_framed(int socket, std::string_view frame, const std::vector<int>& fds,
                   double seconds_max);
Status send_frame(int socket, const nlohmann::json& message, const std::vector<int>& fds,
                  double seconds_max);

// A frame of this size always fits a socket nobody reads from at the moment.
inline constexpr std::size_t k_frame_bytes_unread_max = 32 << 10;

// How waiting for a frame ended.
// `malformed`: too long, or with descriptors beside it; `stopped`: by the watch.
enum class Waited { frame, closed, malformed, timeout, stopped };

// What is watched while waiting.
struct WaitWatch {
  int output_fd = -1;                               // drained as it comes
  std::function<void(std::string_view)> on_output;  // gets what was drained
  std::function<bool()> on_tick;                    // every k_tick_ms; true: stop waiting
  std::function<void(std::string_view)> on_frame;   // at once when a whole frame is here
  const StopFlag* stop = &process_stop_flag();      // raised: stop waiting
};
inline constexpr int k_tick_ms = 50;

// True when bytes lie in the socket that nobody asked for.
bool has_unread(int socket);

// Waits until the deadline for one frame. `arrived_ns` is read when the whole frame is here: a
// first byte sent early gains nothing.
struct Received {
  Waited waited = Waited::timeout;
  std::string body;
  std::int64_t arrived_ns = 0;
};
Received receive_frame(int socket, const Deadline& deadline, const WaitWatch& watch);
Received receive_frame(int socket, std::int64_t deadline_ns, const WaitWatch& watch);  // monotonic

}  // namespace cupel::measure
