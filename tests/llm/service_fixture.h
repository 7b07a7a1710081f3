// A provider that talks to a FakeService, in simulated time.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fake_service.h"
#include "llm/factory.h"
#include "simulated_time.h"

namespace cupel::llm {

inline constexpr const char* k_test_key = "sk-test-0123456789abcdef0123456789";

inline std::string spec_of(Speech speech) {
  switch (speech) {
    case Speech::chat:
      return "openai:fake-model";
    case Speech::responses:
      return "openai-responses:fake-model";
    case Speech::messages:
      return "anthropic:fake-model";
    default:
      return "gemini:fake-model";
  }
}

inline std::string name_of(Speech speech) {
  const std::string spec = spec_of(speech);
  std::string name = spec.substr(0, spec.find(':'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class ServiceFixture {
 public:
  explicit ServiceFixture(Speech speech) : sleeper(clock), service(speech, clock), speech_(speech) {
    settings.base_url = service.base_url();
    settings.prices = {"fake-model=1,0.1,10"};
    settings.price_files = {"/nonexistent/prices.json"};
    settings.clock = &clock;
    settings.sleeper = &sleeper;
    settings.limits.stall_s = 30;
    settings.limits.overall_s = 1e9;
    settings.environment = [](const std::string&) { return std::string(k_test_key); };
  }

  std::unique_ptr<Provider> provider() const {
    auto made = make_provider(spec_of(speech_), settings);
    EXPECT_TRUE(made) << made.error().describe();
    return std::move(*made);
  }

  Reply ask(std::vector<Turn> turns) { return ask(*provider(), std::move(turns)); }
  Reply ask(Provider& asked, std::vector<Turn> turns) {
    service.script(std::move(turns));
    const Reply reply = asked.ask(prompt, stop);
    service.release_stalled();
    EXPECT_LE(reply.nano_usd, asked.nano_usd_max(prompt));
    return reply;
  }

  // What the service bills, at the price of `settings`.
  std::int64_t billed_nano_usd() const {
    PriceTable table;
    EXPECT_TRUE(table.add_spec(settings.prices.front()));
    std::int64_t sum = 0;
    for (const Usage& usage : service.billed()) {
      sum += cost_nano_usd(*table.find("fake-model"), usage);
    }
    return sum;
  }

  SimulatedClock clock;
  SimulatedSleeper sleeper;
  FakeService service;
  ProviderSettings settings;
  StopFlag stop;
  Prompt prompt{
      "p0001", "write", Tier::strong, "You write kernels.", "Write one.\n\"Fast\" \xC3\xA9",
      0.8,     1000};

 private:
  Speech speech_;
};

inline const auto k_all_speeches =
    ::testing::Values(Speech::chat, Speech::responses, Speech::messages, Speech::gemini);

inline std::string speech_name(const ::testing::TestParamInfo<Speech>& info) {
  return name_of(info.param);
}

}  // namespace cupel::llm
