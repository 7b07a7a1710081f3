#include "llm/providers/scripted.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.h"
#include "llm/providers/question.h"
#include "llm/wire/json_fields.h"

namespace cupel::llm {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int k_concurrency_max = 64;
constexpr std::size_t k_file_bytes_max = std::size_t{16} << 20;

struct Fixture {
  Reply reply;
  std::int64_t nano_usd_max = 0;
  double delay_s = 0;
};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

Usage read_usage(const json& usage) {
  return {count_field(usage, "prompt_tokens"), count_field(usage, "cached_tokens"),
          count_field(usage, "reply_tokens"), count_field(usage, "thought_tokens")};
}

void read_numbers(const json& settings, Fixture& fixture) {
  Reply& reply = fixture.reply;
  reply.usage = read_usage(field(settings, "usage"));
  reply.nano_usd = count_field(settings, "nano_usd");
  fixture.nano_usd_max = std::max(reply.nano_usd, count_field(settings, "nano_usd_max"));
  const json& delay = field(settings, "delay_s");
  if (delay.is_number()) fixture.delay_s = std::max(0.0, delay.get<double>());
}

Status read_settings(const fs::path& path, Fixture& fixture) {
  if (!is_file(path)) return {};
  CUPEL_TRY(const std::string text, read_file(path, k_file_bytes_max));
  const json settings = parse_or_null(text);
  if (!settings.is_object()) return input_error("not a JSON object", path.string());
  read_numbers(settings, fixture);
  fixture.reply.problem = text_field(settings, "problem");
  const std::string model = text_field(settings, "model");
  if (!model.empty()) fixture.reply.model = model;
  const std::string end = text_field(settings, "end");
  if (end.empty()) return {};
  CUPEL_TRY(fixture.reply.end, parse_reply_end(end));
  return {};
}

Result<Fixture> read_fixture(const fs::path& path) {
  Fixture fixture;
  fixture.reply.end = Reply::End::complete;
  fixture.reply.model = "scripted";
  fixture.reply.usage_known = true;
  fixture.reply.attempts = 1;
  CUPEL_TRY(fixture.reply.text, read_file(path, k_file_bytes_max));
  CUPEL_TRY_STATUS(read_settings(fs::path(path).replace_extension(".json"), fixture));
  return fixture;
}

class Scripted final : public Provider {
 public:
  Scripted(fs::path directory, const ProviderSettings& settings)
      : directory_(std::move(directory)), settings_(settings) {}

  std::string name() const override { return "scripted:" + directory_.string(); }
  int concurrency_max() const override { return k_concurrency_max; }
  std::int64_t nano_usd_max(const Prompt& prompt) const override {
    const auto fixture = fixture_for(prompt);
    return fixture ? fixture->nano_usd_max : 0;
  }

  Reply ask(const Prompt& prompt, const StopFlag& stop) override {
    auto fixture = fixture_for(prompt);
    if (!fixture) return failed(fixture.error().describe());
    if (fixture->delay_s > 0 && !settings_.sleeper->sleep_s(fixture->delay_s, stop)) {
      return failed("stopped by request");
    }
    fixture->reply.seconds = fixture->delay_s;
    return std::move(fixture->reply);
  }

 private:
  static Reply failed(std::string problem) {
    Reply reply;
    reply.problem = std::move(problem);
    return reply;
  }

  Result<Fixture> fixture_for(const Prompt& prompt) const {
    const std::optional<fs::path> path = find(prompt);
    if (path) return read_fixture(*path);
    return input_error("no reply for " + prompt.proposal_id + " (" + prompt.agent + ", " +
                           question_hash(prompt) + ")",
                       directory_.string());
  }

  std::optional<fs::path> find(const Prompt& prompt) const {
    const std::string turn = turn_of(prompt);
    for (const std::string& name :
         {prompt.proposal_id, question_hash(prompt), turn, prompt.agent, std::string("default")}) {
      if (is_file_name(name) && is_file(directory_ / (name + ".md")))
        return directory_ / (name + ".md");
    }
    return std::nullopt;
  }

  // "improve.2" if there is an "improve.1.md": which of them depends on nothing but the proposal.
  std::string turn_of(const Prompt& prompt) const {
    std::size_t count = 0;
    while (is_file(directory_ / (prompt.agent + "." + std::to_string(count + 1) + ".md"))) ++count;
    if (count == 0) return "";
    return prompt.agent + "." + std::to_string(number_of(prompt.proposal_id) % count + 1);
  }

  const fs::path directory_;
  const ProviderSettings settings_;
};

}  // namespace

Result<std::unique_ptr<Provider>> make_scripted(const fs::path& directory,
                                                const ProviderSettings& settings) {
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) {
    return input_error("there is no such directory of replies", directory.string());
  }
  return std::make_unique<Scripted>(directory, settings);
}

}  // namespace cupel::llm
