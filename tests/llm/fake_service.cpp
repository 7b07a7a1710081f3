#include "fake_service.h"

#include <httplib.h>

#include <chrono>
#include <stdexcept>

// The library initialises a static text at its first use, which ThreadSanitizer does not see
// guarded: the library is not built with it.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libcpp-httplib\n";
}

namespace cupel::llm {
namespace {

// Of simulated time. The clock goes on until the client has hung up, however late that comes on a
// busy machine, and no longer: it would time out the next question, too.
constexpr double k_stall_step_s = 10;
constexpr std::chrono::milliseconds k_stall_tick{2};

bool bills(const Turn& turn) {
  if (turn.kind == Turn::Kind::document) {
    return turn.body.starts_with('{') && turn.body.find("\"error\"") == std::string::npos;
  }
  return turn.kind != Turn::Kind::error || turn.status == 502 || turn.status == 504;
}

std::string bytes_of(Speech speech, const Turn& turn) {
  const std::string whole = stream_of(speech, turn);
  switch (turn.kind) {
    case Turn::Kind::cut:
    case Turn::Kind::stall:
      return whole.substr(0, whole.size() / 2);
    case Turn::Kind::malformed:
      return "data: {\"choices\": [{\n\n" + whole;
    case Turn::Kind::silence:
      return "";
    default:
      return whole;
  }
}

}  // namespace

FakeService::FakeService(Speech speech, SimulatedClock& clock)
    : speech_(speech), clock_(clock), server_(std::make_unique<httplib::Server>()) {
  server_->Post(".*", [this](const httplib::Request& request, httplib::Response& response) {
    serve(request, response);
  });
  server_->set_keep_alive_max_count(1);
  port_ = server_->bind_to_any_port("127.0.0.1");
  if (port_ <= 0) throw std::runtime_error("no port on loopback");
  thread_ = std::thread([this] { server_->listen_after_bind(); });
  while (!server_->is_running()) std::this_thread::yield();
}

FakeService::~FakeService() {
  release_stalled();
  server_->stop();
  thread_.join();
}

std::string FakeService::base_url() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

void FakeService::script(std::vector<Turn> turns) {
  const std::lock_guard lock(mutex_);
  turns_.assign(turns.begin(), turns.end());
  otherwise_ = Turn();
  otherwise_.kind = Turn::Kind::error;
  otherwise_.status = 500;
  requests_.clear();
  billed_.clear();
}

void FakeService::always(const Turn& turn) {
  script({});
  const std::lock_guard lock(mutex_);
  otherwise_ = turn;
}

void FakeService::release_stalled() {
  const std::lock_guard lock(mutex_);
  ++releases_;
  released_.notify_all();
}

std::vector<SeenRequest> FakeService::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::vector<Usage> FakeService::billed() const {
  const std::lock_guard lock(mutex_);
  return billed_;
}

Turn FakeService::next_turn(const httplib::Request& request) {
  const std::lock_guard lock(mutex_);
  SeenRequest seen{request.path, request.body, {}};
  for (const auto& [name, value] : request.headers) seen.headers.emplace(name, value);
  for (const auto& [name, value] : request.params) seen.path += "?" + name + "=" + value;
  requests_.push_back(std::move(seen));
  Turn turn = otherwise_;
  if (!turns_.empty()) {
    turn = turns_.front();
    turns_.pop_front();
  }
  if (bills(turn)) billed_.push_back(turn.usage);
  turn.releases_before = releases_;  // whoever sees the request may release it at once
  return turn;
}

void FakeService::serve(const httplib::Request& request, httplib::Response& response) {
  const Turn turn = next_turn(request);
  if (turn.kind == Turn::Kind::document) return response.set_content(turn.body, turn.content_type);
  if (turn.kind == Turn::Kind::whole) {
    return response.set_content(whole_of(speech_, turn), turn.content_type);
  }
  if (turn.kind != Turn::Kind::error) return send_stream(turn, response);
  response.status = turn.status;
  if (!turn.retry_after.empty()) response.set_header("Retry-After", turn.retry_after);
  response.set_content(turn.body, "application/json");
}

void FakeService::send_stream(const Turn& turn, httplib::Response& response) {
  const std::string bytes = bytes_of(speech_, turn);
  const auto provide = [this, turn, bytes](std::size_t, httplib::DataSink& sink) {
    const std::size_t step =
        turn.piece_bytes ? turn.piece_bytes : std::max<std::size_t>(1, bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const std::string piece = bytes.substr(at, step);
      if (!sink.write(piece.data(), piece.size())) return false;
    }
    if (turn.kind == Turn::Kind::stall) {
      std::unique_lock lock(mutex_);
      while (releases_ == turn.releases_before && sink.is_writable()) {
        clock_.advance_s(k_stall_step_s);
        released_.wait_for(lock, k_stall_tick);
      }
    }
    if (turn.kind == Turn::Kind::cut || turn.kind == Turn::Kind::stall) return false;
    sink.done();
    return true;
  };
  response.set_chunked_content_provider("text/event-stream", provide);
}

}  // namespace cupel::llm
