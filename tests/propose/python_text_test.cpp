#include "propose/python_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cupel::propose {
namespace {

TEST(PythonText, BlanksStringsAndComments) {
  EXPECT_EQ(scan_python("a = 'b#c'  # d\n").code, "a = '   '     \n");
  EXPECT_EQ(scan_python("x = \"\"\"a\n'b\"\"\" + y").code, "x = \"\"\" \n  \"\"\" + y");
  EXPECT_EQ(scan_python("r'\\' + \"x\"").code, scan_python("r'\\' + \"x\"").code);
}

TEST(PythonText, KnowsWhereStringsLie) {
  const PythonText text = scan_python("s = r\"\"\"ab\"\"\" 'c\\'d'");
  ASSERT_EQ(text.strings.size(), 2U);
  EXPECT_TRUE(text.strings[0].triple && text.strings[0].raw);
  EXPECT_EQ(text.strings[0].end - text.strings[0].begin, 2U);
  EXPECT_EQ(text.strings[1].end - text.strings[1].begin, 4U);
}

TEST(PythonText, SaysWhatIsOpenAtTheEnd) {
  EXPECT_EQ(scan_python("a = (1, 2)\n").open, "");
  EXPECT_EQ(scan_python("a = (1,\nb = [2]\n").open, "'('");
  EXPECT_EQ(scan_python("a = '''b").open, "a string");
  EXPECT_EQ(scan_python("a = 'b\nc").open, "a string");
}

TEST(PythonText, StatementsHoldTheirBodiesAndBranches) {
  const std::string source =
      "@f\n@g(\n1)\nclass A(B):\n  x = '''\nnot a start\n'''\n\ntry:\n  a\nexcept E:\n  b\nc = "
      "(\n1\n)\n";
  const PythonText text = scan_python(source);
  const auto statements = top_level(text);
  ASSERT_EQ(statements.size(), 3U);
  EXPECT_EQ(source.substr(statements[0].head, 7), "class A");
  EXPECT_EQ(source.substr(statements[1].begin, 4), "try:");
  EXPECT_EQ(source.substr(statements[2].begin, 5), "c = (");
  const auto classes = top_level_classes(text);
  ASSERT_EQ(classes.size(), 1U);
  EXPECT_EQ(classes[0].name + "/" + classes[0].bases, "A/B");
}

TEST(PythonText, BindingIsSeen) {
  const auto bound = [](const std::string& source) { return binds(scan_python(source), "nn"); };
  for (const std::string source :
       {"import torch.nn as nn", "from torch import nn", "from torch import (\n    nn,\n)",
        "nn = 1", "class nn: pass", "def nn(): pass", "def f(a, nn): pass", "for nn in x: pass"}) {
    EXPECT_TRUE(bound(source)) << source;
  }
  for (const std::string source :
       {"x = nn.Linear(1, 2)", "f(nn)", "x.nn = 1", "nn == 1", "'nn = 1'"}) {
    EXPECT_FALSE(bound(source)) << source;
  }
}

TEST(PythonText, TopLevelNames) {
  const auto names =
      top_level_names(scan_python("A = 1\nx.y = 2\ndef f():\n  b = 1\nclass C: pass\n"));
  EXPECT_EQ(names, (std::vector<std::string>{"A", "x", "f", "C"}));
}

TEST(PythonText, ADocstringIsTheFirstStatement) {
  EXPECT_EQ(docstring_of("# a comment\n\"\"\"What it\ndoes.\"\"\"\nimport torch\n"),
            "What it\ndoes.");
  EXPECT_EQ(docstring_of("'short'\n"), "short");
  EXPECT_EQ(docstring_of("import torch\n'not first'\n"), "");
  EXPECT_EQ(docstring_of(""), "");
}

RC_GTEST_PROP(PythonText, TakesAnyBytes, (std::string bytes)) {
  const PythonText text = scan_python(bytes);
  RC_ASSERT(text.code.size() == bytes.size());
  for (const Statement& one : top_level(text))
    RC_ASSERT(one.begin <= one.head && one.head < one.end);
  top_level_classes(text);
}

}  // namespace
}  // namespace cupel::propose
