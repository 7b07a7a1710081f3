#include "llm/providers/mailbox.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/files.h"
#include "llm/providers/question.h"
#include "simulated_time.h"

namespace cupel::llm {
namespace {

namespace fs = std::filesystem;

// Lets a test act while the mailbox waits.
class ActingSleeper final : public Sleeper {
 public:
  explicit ActingSleeper(SimulatedClock& clock) : clock_(clock) {}
  bool sleep_s(double seconds, const StopFlag& stop) override {
    if (stop.raised()) return false;
    clock_.advance_s(seconds);
    if (act) act(++sleeps);
    return !stop.raised();
  }
  std::function<void(int sleep)> act;
  int sleeps = 0;

 private:
  SimulatedClock& clock_;
};

class MailboxTest : public ::testing::Test {
 protected:
  MailboxTest() : folder(std::move(*TempDir::create(fs::temp_directory_path(), "mailbox"))) {
    settings.clock = &clock;
    settings.sleeper = &sleeper;
    settings.mailbox_wait_s = 60;
    provider = std::move(*make_mailbox(folder.path() / "box", settings));
  }
  fs::path box(const std::string& name) const { return folder.path() / "box" / name; }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file_atomic(box(name), text));
  }
  std::string read(const std::string& name) const { return *read_file(box(name), 1 << 20); }
  std::string end_line() const { return "END " + prompt.proposal_id + " " + question_hash(prompt); }

  TempDir folder;
  SimulatedClock clock;
  ActingSleeper sleeper{clock};
  ProviderSettings settings;
  std::unique_ptr<Provider> provider;
  StopFlag stop;
  Prompt prompt{"p0001", "improve", Tier::strong, "You are terse.", "Do\n````\nthis\n````",
                0.8,     64};
};

TEST_F(MailboxTest, ThePromptSaysHowToAnswerAndHoldsBothTexts) {
  sleeper.act = [&](int) { stop.raise(); };
  const Reply reply = provider->ask(prompt, stop);
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_EQ(reply.problem, "stopped by request");
  const std::string page = read("p0001.prompt.md");
  EXPECT_NE(page.find(end_line()), std::string::npos);
  EXPECT_NE(page.find("p0001.reply.md"), std::string::npos);
  EXPECT_NE(page.find("You are terse."), std::string::npos);
  EXPECT_NE(page.find("`````text\nDo\n````\nthis\n````\n`````\n"), std::string::npos);
}

TEST_F(MailboxTest, AReplyIsTakenOnceItsLastLineIsThere) {
  const std::string whole = "An answer.\nEND p0001\nof two lines\n" + end_line() + "\n\n";
  std::size_t written = 0;
  sleeper.act = [&](int) {
    written = std::min(whole.size(), written + 1);
    write("p0001.reply.md", whole.substr(0, written));
  };
  const Reply reply = provider->ask(prompt, stop);
  EXPECT_EQ(reply.end, Reply::End::complete);
  EXPECT_EQ(reply.text, "An answer.\nEND p0001\nof two lines");
  EXPECT_GE(written + 2, whole.size());
  EXPECT_EQ(reply.nano_usd, 0);
  EXPECT_GT(reply.seconds, 0);
}

TEST_F(MailboxTest, AReplyThatLiesThereIsTakenAtOnce) {
  write("p0001.reply.md", "early\n" + end_line());
  const Reply reply = provider->ask(prompt, stop);
  EXPECT_EQ(reply.text, "early");
  EXPECT_EQ(sleeper.sleeps, 0);
}

TEST_F(MailboxTest, AReplyToAnotherQuestionIsNotTaken) {
  write("p0001.reply.md", "old\n" + end_line());
  prompt.user = "something else";
  const Reply reply = provider->ask(prompt, stop);
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_NE(reply.problem.find(end_line()), std::string::npos) << reply.problem;
  EXPECT_NE(read("p0001.prompt.md").find("answers an earlier question"), std::string::npos);
}

TEST_F(MailboxTest, HalfAReplyIsNoReplyToAnEarlierQuestion) {
  write("p0001.reply.md", "old\nEND of the module");
  provider->ask(prompt, stop);
  EXPECT_EQ(read("p0001.prompt.md").find("earlier question"), std::string::npos);
}

TEST_F(MailboxTest, ItGivesUpAfterItsTimeAndFindsTheReplyLater) {
  const Reply late = provider->ask(prompt, stop);
  EXPECT_EQ(late.end, Reply::End::failed);
  EXPECT_NE(late.problem.find("60 s"), std::string::npos) << late.problem;
  EXPECT_NE(late.problem.find("p0001.reply.md"), std::string::npos);
  EXPECT_GE(clock.now_ns(), 60'000'000'000);
  write("p0001.reply.md", "meanwhile\n" + end_line());
  EXPECT_EQ(provider->ask(prompt, stop).text, "meanwhile");
}

TEST_F(MailboxTest, AnEmptyReplyIsAFailedOne) {
  write("p0001.reply.md", end_line());
  const Reply reply = provider->ask(prompt, stop);
  EXPECT_EQ(reply.end, Reply::End::failed);
  EXPECT_EQ(reply.problem, "the reply is empty");
}

TEST_F(MailboxTest, AnIdentifierCannotLeaveTheFolder) {
  for (const char* id : {"../p0001", "", ".hidden", "a/b"}) {
    prompt.proposal_id = id;
    EXPECT_EQ(provider->ask(prompt, stop).end, Reply::End::failed) << id;
  }
  EXPECT_TRUE(fs::is_empty(folder.path() / "box"));
}

}  // namespace
}  // namespace cupel::llm
