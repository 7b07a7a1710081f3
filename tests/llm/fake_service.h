// An HTTP server on loopback that speaks the four dialects as their documentation says, does what a
// script tells it, and keeps the books of what it would bill.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "model/exchange.h"
#include "simulated_time.h"

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace cupel::llm {

enum class Speech { chat, responses, messages, gemini };

// What the service does with one request.
struct Turn {
  enum class Kind {
    reply,      // a whole stream
    error,      // an HTTP status and a body
    cut,        // half a stream, then the connection closes
    stall,      // half a stream, then silence while the clock goes on
    malformed,  // a stream with an event that is no JSON
    silence,    // status 200 and no event
    whole,      // the whole reply in one piece, whatever was asked for
    document,   // status 200 and `body`, of `content_type`
  };
  Kind kind = Kind::reply;
  std::string text = "hello";
  Reply::End end = Reply::End::complete;
  Usage usage{100, 0, 10, 0};  // what is billed, wherever something is
  bool says_usage = true;
  std::size_t piece_bytes = 0;  // 0: a stream goes out at once
  std::string line_end = "\n";
  int status = 200;       // of Kind::error
  std::string body = {};  // of Kind::error and Kind::document
  std::string content_type = "application/json";
  std::string retry_after = {};
  std::vector<std::string> others = {};  // further answers; chat alone sells them
  int releases_before = 0;               // the service's own
};

struct SeenRequest {
  std::string path;
  std::string body;
  std::multimap<std::string, std::string> headers;
};

class FakeService {
 public:
  FakeService(Speech speech, SimulatedClock& clock);
  ~FakeService();

  std::string base_url() const;
  // Requests beyond the script get an HTTP error 500.
  void script(std::vector<Turn> turns);
  // Every request gets this, from here on.
  void always(const Turn& turn);
  // Lets the connections go that stall.
  void release_stalled();

  std::vector<SeenRequest> requests() const;
  std::vector<Usage> billed() const;

 private:
  void serve(const httplib::Request& request, httplib::Response& response);
  void send_stream(const Turn& turn, httplib::Response& response);
  Turn next_turn(const httplib::Request& request);

  const Speech speech_;
  SimulatedClock& clock_;
  const std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable released_;
  int releases_ = 0;
  std::deque<Turn> turns_;
  Turn otherwise_;
  std::vector<SeenRequest> requests_;
  std::vector<Usage> billed_;
};

// The stream of `turn`, as the service would send it whole.
std::string stream_of(Speech speech, const Turn& turn);
// The same reply in one piece.
std::string whole_of(Speech speech, const Turn& turn);

}  // namespace cupel::llm
