#include "llm/wire/http.h"

#define CURL_DISABLE_TYPECHECK  // its macros stand for functions that we call through pointers
#include <curl/curl.h>
#include <dlfcn.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace cupel::llm {
namespace {

#define CUPEL_CURL_FUNCTIONS(X) \
  X(global_init)                \
  X(easy_init)                  \
  X(easy_cleanup)               \
  X(easy_setopt)                \
  X(easy_getinfo)               \
  X(easy_strerror)              \
  X(slist_append)               \
  X(slist_free_all)             \
  X(multi_init)                 \
  X(multi_cleanup)              \
  X(multi_add_handle)           \
  X(multi_remove_handle)        \
  X(multi_perform)              \
  X(multi_poll)                 \
  X(multi_info_read)

struct CurlApi {
#define CUPEL_CURL_MEMBER(name) decltype(&::curl_##name) name = nullptr;
  CUPEL_CURL_FUNCTIONS(CUPEL_CURL_MEMBER)
#undef CUPEL_CURL_MEMBER
};

// OpenSSL's flavour, else Debian's with GnuTLS.
const std::vector<std::string> k_libraries{"libcurl.so.4", "libcurl-gnutls.so.4"};
constexpr int k_poll_ms = 50;  // how late a raised stop flag or a stall may be noticed

tl::unexpected<Error> no_curl(std::string what) {
  return environment_error(std::move(what), "libcurl.so.4",
                           "apt-get install libcurl4 (Ubuntu 24.04: libcurl4t64)");
}

Result<CurlApi> load(const std::vector<std::string>& libraries) {
  void* library = nullptr;
  for (const std::string& name : libraries) {
    if (!library) library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) return no_curl("LLM services are reached through libcurl, which was not found");
  CurlApi api;
#define CUPEL_CURL_FIND(name)                                                       \
  api.name = reinterpret_cast<decltype(api.name)>(::dlsym(library, "curl_" #name)); \
  if (!api.name) return no_curl("libcurl is too old: it has no curl_" #name);
  CUPEL_CURL_FUNCTIONS(CUPEL_CURL_FIND)
#undef CUPEL_CURL_FIND
  return api;
}

Result<CurlApi> start(const std::vector<std::string>& libraries) {
  CUPEL_TRY(const CurlApi api, load(libraries));
  if (api.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return no_curl("libcurl does not start");
  return api;
}

Result<const CurlApi*> curl_api() {
  static const Result<CurlApi> api = start(k_libraries);
  if (!api) return fail(api.error());
  return &*api;
}

// One request under way. libcurl calls back into it from multi_perform.
class Transfer {
 public:
  Transfer(const CurlApi& curl, const Clock& clock, const HttpRequest& request,
           const HttpLimits& limits, const BodySink& sink)
      : curl_(curl), clock_(clock), limits_(limits), sink_(sink), start_ns_(clock.now_ns()) {
    easy_ = curl_.easy_init();
    multi_ = curl_.multi_init();
    CUPEL_CHECK(easy_ && multi_);
    configure(request);
    curl_.multi_add_handle(multi_, easy_);
  }
  ~Transfer() {
    curl_.multi_remove_handle(multi_, easy_);
    curl_.easy_cleanup(easy_);
    curl_.multi_cleanup(multi_);
    curl_.slist_free_all(headers_);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  HttpResult run(const StopFlag& stop) {
    last_byte_ns_ = start_ns_;
    int running = 1;
    for (;;) {
      curl_.multi_perform(multi_, &running);
      if (running == 0) break;
      if (std::string problem = limit_passed(stop); !problem.empty()) return ended(problem);
      curl_.multi_poll(multi_, nullptr, 0, k_poll_ms, nullptr);
    }
    return ended(outcome());
  }

 private:
  template <class T>
  void set(CURLoption option, T value) {
    CUPEL_CHECK(curl_.easy_setopt(easy_, option, value) == CURLE_OK);
  }

  void configure(const HttpRequest& request) {
    for (const std::string& header : request.headers) append_header(header);
    append_header("Content-Type: application/json");
    append_header("Accept: text/event-stream");
    append_header("Expect:");  // no round trip before a large body
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_HTTPHEADER, headers_);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_COPYPOSTFIELDS, request.body.c_str());
    set(CURLOPT_USERAGENT, "cupel");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_FOLLOWLOCATION, 0L);  // a key goes to no other host
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits_.connect_timeout_s * 1e3));
    if (is_loopback_url(request.url)) set(CURLOPT_PROXY, "");
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  }

  void append_header(const std::string& header) {
    headers_ = curl_.slist_append(headers_, header.c_str());
  }

  static std::size_t on_body(char* bytes, std::size_t size, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->take_body({bytes, size * count}) ? size * count : 0;
  }
  static std::size_t on_header(char* bytes, std::size_t size, std::size_t count, void* self) {
    static_cast<Transfer*>(self)->take_header({bytes, size * count});
    return size * count;
  }

  bool take_body(std::string_view bytes) {
    last_byte_ns_ = clock_.now_ns();
    bytes_ += bytes.size();
    if (too_large()) return false;
    sink_(status(), bytes);
    return true;
  }

  void take_header(std::string_view line) {
    last_byte_ns_ = clock_.now_ns();
    constexpr std::string_view k_name = "retry-after:";
    if (lower_case(line.substr(0, k_name.size())) != k_name) return;
    std::string_view value = line.substr(k_name.size());
    while (!value.empty() && std::isspace(static_cast<unsigned char>(value.front()))) {
      value.remove_prefix(1);
    }
    while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back()))) {
      value.remove_suffix(1);
    }
    retry_after_ = value;
  }

  bool too_large() const { return bytes_ > limits_.reply_bytes_max; }

  int status() const {
    long status = 0;
    curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    return static_cast<int>(status);
  }

  // Why to give up now, or "".
  std::string limit_passed(const StopFlag& stop) const {
    const std::int64_t now_ns = clock_.now_ns();
    const auto seconds_since = [now_ns](std::int64_t then_ns) {
      return static_cast<double>(now_ns - then_ns) / k_ns_per_s;
    };
    if (stop.raised()) return "stopped by request";
    if (seconds_since(start_ns_) > limits_.overall_s) {
      return "no end after " + std::to_string(static_cast<int>(limits_.overall_s)) + " s";
    }
    if (seconds_since(last_byte_ns_) > limits_.stall_s) {
      return "no byte for " + std::to_string(static_cast<int>(limits_.stall_s)) + " s";
    }
    return "";
  }

  // After the last byte: "" for a whole reply, or libcurl's reason.
  std::string outcome() {
    int left = 0;
    const CURLMsg* message = curl_.multi_info_read(multi_, &left);
    CUPEL_CHECK(message && message->msg == CURLMSG_DONE);
    const CURLcode code = message->data.result;
    if (code == CURLE_OK) return "";
    if (too_large()) {
      return "the reply is larger than " + std::to_string(limits_.reply_bytes_max) + " bytes";
    }
    return curl_.easy_strerror(code);
  }

  HttpResult ended(const std::string& problem) const {
    long request_bytes = 0;
    curl_.easy_getinfo(easy_, CURLINFO_REQUEST_SIZE, &request_bytes);
    HttpResult result;
    result.status = status();
    result.whole = problem.empty();
    result.sent = request_bytes > 0;
    result.too_large = too_large();
    result.retry_after = retry_after_;
    result.problem = problem;
    return result;
  }

  const CurlApi& curl_;
  const Clock& clock_;
  const HttpLimits& limits_;
  const BodySink& sink_;
  CURL* easy_ = nullptr;
  CURLM* multi_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::string retry_after_;
  std::size_t bytes_ = 0;
  std::int64_t start_ns_ = 0;
  std::int64_t last_byte_ns_ = 0;
};

class CurlTransport final : public HttpTransport {
 public:
  CurlTransport(const CurlApi& curl, const Clock& clock) : curl_(curl), clock_(clock) {}
  HttpResult post(const HttpRequest& request, const HttpLimits& limits, const BodySink& sink,
                  const StopFlag& stop) override {
    return Transfer(curl_, clock_, request, limits, sink).run(stop);
  }

 private:
  const CurlApi& curl_;
  const Clock& clock_;
};

}  // namespace

Result<std::unique_ptr<HttpTransport>> make_curl_transport(const Clock& clock) {
  CUPEL_TRY(const CurlApi* curl, curl_api());
  return std::make_unique<CurlTransport>(*curl, clock);
}

Status check_curl(const std::vector<std::string>& libraries) {
  CUPEL_TRY([[maybe_unused]] const CurlApi api, load(libraries));
  return {};
}

bool is_loopback_url(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return false;
  std::string_view host = url.substr(scheme + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (host.find('@') != std::string_view::npos) return false;
  if (host.starts_with("[::1]")) return true;
  host = host.substr(0, host.find(':'));
  const bool numeric = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || (numeric && host.starts_with("127."));
}

}  // namespace cupel::llm
