#include "task/module_source.h"

#include <gtest/gtest.h>

namespace cupel::task {
namespace {

TEST(ModuleName, TakesModuleAndClassApart) {
  const auto name = parse_module_name("my_pkg.my_module:MyNet");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->module, "my_pkg.my_module");
  EXPECT_EQ(name->class_name, "MyNet");
}

TEST(ModuleName, RefusesWhatPythonCouldNotImport) {
  for (const char* text : {"pkg.mod:", ":Net", "pkg..mod:Net", "pkg.mod:Net()", "1pkg:Net",
                           "pkg.mod", "os;import x:Net"}) {
    EXPECT_FALSE(parse_module_name(text)) << text;
  }
}

TEST(Init, BecomesOneList) {
  EXPECT_EQ(*normalize_init(""), "[]");
  EXPECT_EQ(*normalize_init("16, 4"), "[16, 4]");
  EXPECT_EQ(*normalize_init(" [16, [4]] "), "[16, [4]]");
  EXPECT_EQ(*normalize_init("[16], [4]"), "[[16], [4]]");
  EXPECT_EQ(*normalize_init("'a]\\'b'"), "['a]\\'b']");
}

TEST(Init, RefusesWhatDoesNotMatch) {
  for (const char* text : {"[16", "16]", "(1]", "'open", "1\n2", "1 # two"}) {
    EXPECT_FALSE(normalize_init(text)) << text;
  }
}

TEST(FunctionTaskSource, IsATaskFile) {
  EXPECT_EQ(function_task_source({"pkg.mod", "scale"}, {{"float32", {4}, 0}}),
            R"("""pkg.mod:scale, called with tensors."""

import torch

from pkg.mod import scale


class Model(torch.nn.Module):
    def forward(self, *inputs):
        return scale(*inputs)


def get_inputs():
    return [
        torch.randn((4,)),
    ]
)");
}

TEST(FunctionTaskSource, HandsKeywordsOn) {
  const std::vector<InputTensor> inputs = {{"float32", {4}, 0}, {"bool", {4}, 0, "mask"}};
  EXPECT_NE(function_task_source({"pkg.mod", "scale"}, inputs).find(R"(class Model(torch.nn.Module):
    def forward(self, input_0, mask):
        return scale(input_0, mask=mask)


def get_inputs():)"),
            std::string::npos);
}

TEST(ModuleTaskSource, HandsKeywordsOn) {
  const std::vector<InputTensor> inputs = {{"float32", {4}, 0, "x"}, {"bool", {4}, 0, "mask"}};
  EXPECT_NE(module_task_source({"pkg.mod", "Net"}, inputs, "[]", Mode::inference)
                .find(R"(        self.eval()

    def forward(self, x, mask):
        return super().forward(x=x, mask=mask)


def get_inputs():)"),
            std::string::npos);
}

TEST(NamesFunction, ByTheFirstLetter) {
  EXPECT_TRUE(names_function({"pkg", "scale"}));
  EXPECT_TRUE(names_function({"pkg", "_scale"}));
  EXPECT_FALSE(names_function({"pkg", "Net"}));
  EXPECT_FALSE(names_function({"pkg", "_Net"}));
}

TEST(ModuleTaskSource, IsATaskFile) {
  const std::vector<InputTensor> inputs = {
      {"float32", {16, 256}, 0}, {"int64", {8}, 100}, {"bool", {}, 0}, {"float16", {2}, 0}};
  EXPECT_EQ(module_task_source({"pkg.mod", "Net"}, inputs, "[256]", Mode::inference),
            R"("""pkg.mod:Net, as it is served: in inference mode."""

import torch

from pkg.mod import Net


class Model(Net):
    def __init__(self, *init):
        super().__init__(*init)
        self.eval()


def get_inputs():
    return [
        torch.randn((16, 256)),
        torch.randint(0, 100, (8,), dtype=torch.int64),
        torch.randint(0, 2, (), dtype=torch.bool),
        torch.randn((2,), dtype=torch.float16),
    ]


def get_init_inputs():
    return [256]
)");
}

TEST(ModuleTaskSource, LeavesAModelAsItIsConstructed) {
  const std::string source =
      module_task_source({"pkg.mod", "Net"}, {{"float32", {2}, 0}}, "[]", Mode::as_constructed);
  EXPECT_EQ(source.find("eval()"), std::string::npos);
  EXPECT_NE(source.find("Net, as its constructor leaves it."), std::string::npos);
  EXPECT_NE(source.find("        super().__init__(*init)\n\n\ndef get_inputs"), std::string::npos);
}

}  // namespace
}  // namespace cupel::task
