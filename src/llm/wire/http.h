// One POST whose reply streams in. HTTP itself is libcurl's business, which is loaded when the
// first provider needs it: everything else of Cupel runs on machines without it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/stop.h"

namespace cupel::llm {

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"; keys are in here: never print them
  std::string body;
};

struct HttpLimits {
  double connect_timeout_s = 15;
  double stall_s = 300;     // no byte for so long ends it; reasoning models think in silence
  double overall_s = 1800;  // from the request to the last byte
  std::size_t reply_bytes_max = std::size_t{16} << 20;
};

struct HttpResult {
  int status = 0;           // 0: no status line arrived
  bool whole = false;       // the reply ended as HTTP says it must
  bool sent = false;        // the request may have reached the service: it may be billed
  bool too_large = false;   // more bytes came than are taken
  std::string retry_after;  // the header's text; "": there was none
  std::string problem;      // what cut it, if not whole
};

// Pieces of the reply's body, in order. `status` is known by then.
using BodySink = std::function<void(int status, std::string_view bytes)>;

class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  // Thread-safe; returns within a fraction of a second once `stop` is raised.
  virtual HttpResult post(const HttpRequest& request, const HttpLimits& limits,
                          const BodySink& sink, const StopFlag& stop) = 0;
};

// libcurl; an environment error that names the package where it is missing. `clock` measures
// stalls and the overall limit, and must outlive the transport.
Result<std::unique_ptr<HttpTransport>> make_curl_transport(const Clock& clock);

// Whether one of `libraries` can be loaded and is new enough; else that environment error.
Status check_curl(const std::vector<std::string>& libraries = {"libcurl.so.4",
                                                               "libcurl-gnutls.so.4"});

// The machine that runs this process: "http://localhost:8000/v1", "http://127.0.0.1/",
// "http://[::1]".
bool is_loopback_url(std::string_view url);

}  // namespace cupel::llm
