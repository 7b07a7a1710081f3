#include "llm/providers/mailbox.h"

#include <cctype>
#include <optional>

#include "base/files.h"
#include "llm/providers/question.h"

namespace cupel::llm {
namespace {

namespace fs = std::filesystem;

constexpr double k_poll_s = 0.5;       // a person does not notice
constexpr int k_concurrency_max = 64;  // files that wait side by side
constexpr std::size_t k_reply_bytes_max = std::size_t{16} << 20;

std::string end_line(const Prompt& prompt) {
  return "END " + prompt.proposal_id + " " + question_hash(prompt);
}

// A fence longer than any run of backticks inside, so that prompts about Markdown stay whole.
std::string fence_for(const std::string& text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

std::string section(const std::string& title, const std::string& text) {
  const std::string fence = fence_for(text);
  return "## " + title + "\n\n" + fence + "text\n" + text + (text.ends_with('\n') ? "" : "\n") +
         fence + "\n\n";
}

// `answered`: a whole reply to another question of that number lies there.
std::string prompt_page(const Prompt& prompt, bool answered) {
  const std::string& id = prompt.proposal_id;
  std::string page = "# " + id + ": " + prompt.agent + "\n\n";
  if (answered) {
    page += "The `" + id +
            ".reply.md` in this folder answers an earlier question of this number, which knew "
            "less.\nLook whether it still holds, and end it with the line below.\n\n";
  }
  page +=
      "You play the language model. Read the system text and the user text below, and write "
      "your answer\nto `" +
      id + ".reply.md` in this folder. Its last line must be\n\n    " + end_line(prompt) + "\n\n";
  page +=
      "Until that line is there the reply counts as unfinished, so it may be written in any "
      "way and\nat any pace. The line itself is not part of the answer. Once it was read, "
      "changes to the\nreply have no effect. A model would be held to " +
      std::to_string(prompt.reply_tokens_max) + " tokens.\n\n";
  return page + section("System", prompt.system) + section("User", prompt.user);
}

std::string_view without_blank_end(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

// Whether the last line of `page` is that of a whole reply, of whatever question.
bool is_complete(std::string_view page, const std::string& proposal_id) {
  page = without_blank_end(page);
  const std::string_view line = page.substr(page.rfind('\n') + 1);
  return line.starts_with("END " + proposal_id + " ");
}

// The reply without its last line; nothing if that line is not `end`.
std::optional<std::string> complete_reply(std::string_view page, std::string_view end) {
  page = without_blank_end(page);
  if (!page.ends_with(end)) return std::nullopt;
  page.remove_suffix(end.size());
  if (!page.empty() && page.back() != '\n') return std::nullopt;
  if (page.ends_with('\n')) page.remove_suffix(1);
  return std::string(page);
}

class Mailbox final : public Provider {
 public:
  Mailbox(fs::path directory, const ProviderSettings& settings)
      : directory_(std::move(directory)), settings_(settings) {}

  std::string name() const override { return "mailbox:" + directory_.string(); }
  int concurrency_max() const override { return k_concurrency_max; }
  std::int64_t nano_usd_max(const Prompt&) const override { return 0; }

  Reply ask(const Prompt& prompt, const StopFlag& stop) override {
    const std::int64_t start_ns = settings_.clock->now_ns();
    Reply reply;
    reply.model = "mailbox";
    reply.usage_known = true;
    if (!is_file_name(prompt.proposal_id)) {
      reply.problem = "\"" + prompt.proposal_id + "\" is no name for a file";
      return reply;
    }
    reply.attempts = 1;
    answer(prompt, stop, start_ns, reply);
    reply.seconds = static_cast<double>(settings_.clock->now_ns() - start_ns) / k_ns_per_s;
    return reply;
  }

 private:
  fs::path file(const Prompt& prompt, const char* ending) const {
    return directory_ / (prompt.proposal_id + ending);
  }

  void answer(const Prompt& prompt, const StopFlag& stop, std::int64_t start_ns, Reply& reply) {
    if (take(prompt, reply)) return;
    const std::string page = prompt_page(prompt, is_answered(prompt));
    const Status written = write_file_atomic(file(prompt, ".prompt.md"), page);
    if (!written) {
      reply.problem = "the prompt could not be written: " + written.error().describe();
      return;
    }
    const double wait_ns = settings_.mailbox_wait_s * k_ns_per_s;
    while (!take(prompt, reply)) {
      const bool late = static_cast<double>(settings_.clock->now_ns() - start_ns) >= wait_ns;
      if (late) reply.problem = late_problem(prompt);
      if (!late && settings_.sleeper->sleep_s(k_poll_s, stop)) continue;
      if (!late) reply.problem = "stopped by request";
      return;
    }
  }

  bool is_answered(const Prompt& prompt) const {
    const auto page = read_file(file(prompt, ".reply.md"), k_reply_bytes_max);
    return page && is_complete(*page, prompt.proposal_id);
  }

  // True if the reply is there and complete.
  bool take(const Prompt& prompt, Reply& reply) const {
    std::error_code ignored;
    const fs::path path = file(prompt, ".reply.md");
    if (!fs::exists(path, ignored)) return false;
    const auto page = read_file(path, k_reply_bytes_max);
    if (!page) return false;
    std::optional<std::string> text = complete_reply(*page, end_line(prompt));
    if (!text) return false;
    reply.text = std::move(*text);
    reply.end = reply.text.empty() ? Reply::End::failed : Reply::End::complete;
    if (reply.text.empty()) reply.problem = "the reply is empty";
    return true;
  }

  std::string late_problem(const Prompt& prompt) const {
    const fs::path path = file(prompt, ".reply.md");
    const std::string waited =
        "after " + std::to_string(static_cast<int>(settings_.mailbox_wait_s)) + " s ";
    std::error_code ignored;
    if (fs::exists(path, ignored)) {
      return waited + path.string() + " does not end with the line \"" + end_line(prompt) + "\"";
    }
    return waited + "there is no " + path.string();
  }

  const fs::path directory_;
  const ProviderSettings settings_;
};

}  // namespace

Result<std::unique_ptr<Provider>> make_mailbox(const fs::path& directory,
                                               const ProviderSettings& settings) {
  CUPEL_TRY_STATUS(make_directories(directory));
  return std::make_unique<Mailbox>(directory, settings);
}

}  // namespace cupel::llm
