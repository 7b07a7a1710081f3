#include "llm/providers/scripted.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "llm/providers/question.h"
#include "simulated_time.h"

namespace cupel::llm {
namespace {

namespace fs = std::filesystem;

class ScriptedTest : public ::testing::Test {
 protected:
  ScriptedTest() : folder(std::move(*TempDir::create(fs::temp_directory_path(), "scripted"))) {
    settings.clock = &clock;
    settings.sleeper = &sleeper;
    provider = std::move(*make_scripted(folder.path(), settings));
  }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file_atomic(folder.path() / name, text));
  }
  Reply ask(const std::string& id, const std::string& agent, const std::string& user = "u") {
    prompt.proposal_id = id;
    prompt.agent = agent;
    prompt.user = user;
    return provider->ask(prompt, stop);
  }

  TempDir folder;
  SimulatedClock clock;
  SimulatedSleeper sleeper{clock};
  ProviderSettings settings;
  std::unique_ptr<Provider> provider;
  StopFlag stop;
  Prompt prompt;
};

TEST_F(ScriptedTest, TheMostParticularFileAnswers) {
  write("default.md", "by default");
  EXPECT_EQ(ask("p0001", "write").text, "by default");
  write("write.md", "by agent");
  EXPECT_EQ(ask("p0001", "write").text, "by agent");
  write("write.1.md", "first turn");
  write("write.2.md", "second turn");
  EXPECT_EQ(ask("p0002", "write").text, "first turn");
  EXPECT_EQ(ask("p0001", "write").text, "second turn");
  write(question_hash(prompt) + ".md", "by content");
  EXPECT_EQ(ask("p0001", "write").text, "by content");
  EXPECT_EQ(ask("p0001", "write", "another").text, "second turn");
  write("p0001.md", "by id");
  EXPECT_EQ(ask("p0001", "write").text, "by id");
  EXPECT_EQ(ask("p0001", "fix").text, "by id");
  EXPECT_EQ(ask("p0003", "fix").text, "by default");
}

TEST_F(ScriptedTest, NumbersBesideAReplySimulateBillsAndFaults) {
  write("write.md", "half");
  write("write.json", R"({"end": "truncated", "problem": "cut", "model": "m-1", "delay_s": 20,
      "usage": {"prompt_tokens": 5, "reply_tokens": 7}, "nano_usd": 30, "nano_usd_max": 90})");
  const Reply reply = ask("p0001", "write");
  EXPECT_EQ(provider->nano_usd_max(prompt), 90);
  EXPECT_EQ(reply.end, Reply::End::truncated);
  EXPECT_EQ(reply.problem, "cut");
  EXPECT_EQ(reply.model, "m-1");
  EXPECT_EQ(reply.usage.reply_tokens, 7);
  EXPECT_EQ(reply.nano_usd, 30);
  EXPECT_EQ(sleeper.sleeps_s(), std::vector<double>{20});
}

TEST_F(ScriptedTest, TheBoundIsNeverBelowTheBill) {
  write("write.md", "x");
  write("write.json", R"({"nano_usd": 30, "nano_usd_max": 9})");
  ask("p0001", "write");
  EXPECT_EQ(provider->nano_usd_max(prompt), 30);
}

TEST_F(ScriptedTest, WithoutAFileItFailsAndSaysWhatWasAsked) {
  const Reply reply = ask("p0007", "cross");
  EXPECT_EQ(reply.end, Reply::End::failed);
  for (const std::string& part :
       {std::string("p0007"), std::string("cross"), question_hash(prompt)}) {
    EXPECT_NE(reply.problem.find(part), std::string::npos) << reply.problem;
  }
}

TEST_F(ScriptedTest, BadNumbersFailAndNameTheFile) {
  write("write.md", "x");
  for (const char* text : {"[", "[]", R"({"end": "perfect"})"}) {
    write("write.json", text);
    const Reply reply = ask("p0001", "write");
    EXPECT_EQ(reply.end, Reply::End::failed) << text;
  }
}

TEST_F(ScriptedTest, ADirectoryMustBeThere) {
  const auto made = make_scripted(folder.path() / "none", settings);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().tag, ErrorTag::input);
}

}  // namespace
}  // namespace cupel::llm
