#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "propose/agent.h"
#include "propose/sample_context.h"

namespace cupel::propose {
namespace {

constexpr const char* k_module = R"("""One pass."""
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()

    def forward(self, x, bias):
        return x + bias
)";

std::string fence(const std::string& code, const std::string& language = "python") {
  return "```" + language + "\n" + code + "```\n";
}

class ReplyTest : public ::testing::Test {
 protected:
  Parsed parse(const std::string& text, Proposal::Kind kind = Proposal::Kind::write,
               Reply::End end = Reply::End::complete) {
    Reply reply;
    reply.end = end;
    reply.text = text;
    return parse_reply(sample_proposal(kind), reply, sample_.context);
  }
  void expect_module(const std::string& reply, const std::vector<std::string>& mended = {},
                     const std::string& source = k_module) {
    const Parsed parsed = parse(reply);
    ASSERT_TRUE(parsed.candidate) << parsed.problem << "\n" << reply;
    EXPECT_EQ(parsed.candidate->source, source);
    EXPECT_EQ(parsed.mended, mended);
    EXPECT_EQ(parsed.problem, "");
  }
  void expect_problem(const Parsed& parsed, const std::string& words) {
    EXPECT_FALSE(parsed.candidate);
    EXPECT_NE(parsed.problem.find(words), std::string::npos) << parsed.problem;
  }
  const Judged& parent() {
    const Judged& one = sample_.add("p0001", Outcome::faster, 2, k_module);
    sample_.context.parents = {&one};
    return one;
  }

  SampleContext sample_;
};

TEST_F(ReplyTest, OneBlock) {
  expect_module("I fuse it.\n\n" + fence(k_module) + "\nDone.\n");
}

TEST_F(ReplyTest, LineEndsAndAByteOrderMark) {
  std::string text = "\xef\xbb\xbf" + fence(k_module);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.insert(at, "\r");
  expect_module(text);
}

TEST_F(ReplyTest, TheBlockWithTheModelIsChosen) {
  expect_module(fence("x = 1\n") + fence(k_module) + "Use it so:\n" +
                fence("model = ModelNew(8)\n"));
  expect_module(fence("import torch\nclass ModelNew(object):\n  def forward(self): pass\n") +
                "Better:\n" + fence(k_module));
}

TEST_F(ReplyTest, WrongLanguageTag) {
  expect_module(fence(k_module, "cpp"), {"language of the code block"});
  expect_module(fence(k_module, "py"));
  expect_module(fence(k_module, ""));
}

TEST_F(ReplyTest, NoFenceAtAll) {
  expect_module(k_module, {"no code fence"});
  expect_module("Here it is:\n\n" + std::string(k_module) + "\nThis program fuses all of it.\n",
                {"no code fence"}, std::string(k_module) + "\n");
}

TEST_F(ReplyTest, AFenceThatIsNeverClosed) {
  expect_module("```python\n" + std::string(k_module), {"code fence"});
}

TEST_F(ReplyTest, ATruncatedReplyIsNotJudged) {
  const std::string text = "```python\n" + std::string(k_module).substr(0, 180);
  expect_problem(parse(text, Proposal::Kind::write, Reply::End::truncated),
                 "the reply is truncated");
  expect_problem(parse("```python\nS = r'''\nint x", Proposal::Kind::write),
                 "none of its 1 code blocks");
  expect_problem(parse(fence(std::string(k_module) + "S = (1,\n")), "ends inside of '('");
  // What came whole before the cut is used.
  EXPECT_TRUE(
      parse(fence(k_module) + "It is fast bec", Proposal::Kind::write, Reply::End::truncated)
          .candidate);
}

TEST_F(ReplyTest, BlocksThatLeanOnEachOtherAreMerged) {
  const std::string source = "SOURCE = r'''int x;'''\n";
  const std::string user = std::string(k_module) + "\nX = len(SOURCE)\n";
  expect_module(fence(source) + "and\n" + fence(user), {"merged code blocks"},
                source + "\n" + user);
}

TEST_F(ReplyTest, JsonAroundTheCode) {
  expect_module("{\"code\": \"class ModelNew(nn.Module):\\n  def forward(self): pass\\n\"}",
                {"JSON", "missing import"},
                "import torch.nn as nn\nclass ModelNew(nn.Module):\n  def forward(self): pass\n");
}

TEST_F(ReplyTest, EditsOfTheFirstParent) {
  parent();
  const std::string edit =
      "<<<<<<< SEARCH\n        return x + bias\n=======\n        return bias + x\n>>>>>>> "
      "REPLACE\n";
  std::string wanted = k_module;
  wanted.replace(wanted.find("x + bias"), 8, "bias + x");
  expect_module("Swap them.\n\n" + edit, {}, wanted);
  expect_module(fence(edit), {}, wanted);
  expect_module("```diff\n@@ -10 +10 @@\n-        return x + bias\n+        return bias + x\n```\n",
                {}, wanted);
}

TEST_F(ReplyTest, EditsThatDoNotFitSayWhy) {
  const std::string edit = "<<<<<<< SEARCH\nzzz\n=======\ny\n>>>>>>> REPLACE\n";
  expect_problem(parse(edit), "there is none");
  parent();
  expect_problem(parse(edit), "matches nothing in the parent; it begins with 'zzz'");
  expect_problem(parse("<<<<<<< SEARCH\nzzz\n"), "cut off or malformed");
}

TEST_F(ReplyTest, AFullProgramBeatsEdits) {
  parent();
  expect_module("<<<<<<< SEARCH\nzzz\n=======\ny\n>>>>>>> REPLACE\n\n" + fence(k_module));
}

TEST_F(ReplyTest, HopelessRepliesSayWhatWasFound) {
  expect_problem(parse(""), "the reply is empty");
  expect_problem(parse("I am sorry, I cannot."),
                 "no code in 21 bytes of prose that begin with 'I am sorry");
  expect_problem(parse(fence("int main() {}\n", "cpp")), "the first is 'cpp'");
  expect_problem(parse(fence(k_sample_source)), "repeats the task's own source");
  expect_problem(parse("no", Proposal::Kind::write, Reply::End::refused), "the reply is refused");
  expect_problem(parse(fence(std::string(k_module) + std::string(300 << 10, '#'))),
                 "bytes, at most");
}

TEST_F(ReplyTest, IdeasAndPlans) {
  EXPECT_EQ(parse("1. a b\n2. c d\n", Proposal::Kind::brainstorm).texts,
            (std::vector<std::string>{"a b", "c d"}));
  EXPECT_EQ(parse("PLAN: fuse", Proposal::Kind::analyse).texts,
            std::vector<std::string>{"Plan: fuse"});
  expect_problem(parse("Hm.", Proposal::Kind::brainstorm),
                 "no numbered, bulleted or JSON ideas in 3 bytes");
}

TEST_F(ReplyTest, TheLabelSaysWhatWasTried) {
  Proposal proposal = sample_proposal(Proposal::Kind::write);
  proposal.idea = "fuse\nall";
  Reply reply;
  reply.end = Reply::End::complete;
  reply.text = fence(k_module);
  EXPECT_EQ(parse_reply(proposal, reply, sample_.context).candidate->label, "write: fuse all");
}

TEST_F(ReplyTest, AMegabyteIsReadAtOnce) {
  // Quadratic work on any of these would take minutes; the test's own limit would end it.
  const std::string pieces[] = {"nn ",
                                "```python\n",
                                "<<<<<<< SEARCH\n",
                                "(",
                                "\"\"\"",
                                "import nn\n",
                                "1. x\n",
                                "class A(nn.Module):\n def forward(self): pass\n",
                                "@@ -1 +1 @@\n-a\n",
                                "\xff",
                                "{\"a\":",
                                "[",
                                "Model",
                                "except:\n x()\n",
                                "```\n"};
  for (const std::string& piece : pieces) {
    std::string text;
    while (text.size() < (1 << 20)) text += piece;
    for (const auto kind :
         {Proposal::Kind::write, Proposal::Kind::brainstorm, Proposal::Kind::analyse}) {
      const Parsed parsed = parse(text, kind);
      EXPECT_TRUE(parsed.candidate || !parsed.texts.empty() || !parsed.problem.empty()) << piece;
    }
  }
}

void check_says_something(const std::string& text) {
  SampleContext sample;
  const Judged& one = sample.add("p0001", Outcome::faster, 2, k_module);
  sample.context.parents = {&one};
  for (const auto kind : {Proposal::Kind::write, Proposal::Kind::fix, Proposal::Kind::brainstorm}) {
    Reply reply;
    reply.end = Reply::End::complete;
    reply.text = text;
    const Parsed parsed = parse_reply(sample_proposal(kind), reply, sample.context);
    const bool usable = parsed.candidate.has_value() || !parsed.texts.empty();
    RC_ASSERT(usable == parsed.problem.empty());
  }
}

RC_GTEST_PROP(ReplyProperty, AnyBytesAreUsedOrSayWhyNot, (std::string bytes)) {
  check_says_something(bytes);
  check_says_something("```python\n" + bytes + "\n```\n");
}

RC_GTEST_PROP(ReplyProperty, MutatedGoodRepliesAreUsedOrSayWhyNot, ()) {
  std::string text =
      "Words.\n" + fence(k_module) +
      "<<<<<<< SEARCH\n        return x + bias\n=======\n        return bias\n>>>>>>> REPLACE\n";
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto count = *rc::gen::inRange<std::size_t>(0, 40);
    text.replace(at, count,
                 *rc::gen::element<std::string>("", "`", "```\n", "\"\"\"", "\n", "(", "#",
                                                "\xe2\x80\x9c", "\t"));
  }
  check_says_something(text);
}

}  // namespace
}  // namespace cupel::propose
