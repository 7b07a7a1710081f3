#include "task/input_spec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/task.h"

namespace cupel::task {
namespace {

TEST(InputSpec, ReadsDtypesShapesAndBounds) {
  const auto tensors = parse_input_spec(" f32[16, 256],i64[8,4]<100 , bool[3],bf16[]");
  ASSERT_TRUE(tensors) << tensors.error().describe();
  ASSERT_EQ(tensors->size(), 4u);
  EXPECT_EQ((*tensors)[0].dtype, "float32");
  EXPECT_EQ((*tensors)[0].shape, (std::vector<std::int64_t>{16, 256}));
  EXPECT_EQ((*tensors)[1].dtype, "int64");
  EXPECT_EQ((*tensors)[1].bound, 100);
  EXPECT_EQ((*tensors)[2].dtype, "bool");
  EXPECT_TRUE((*tensors)[3].shape.empty());
}

TEST(InputSpec, ReadsNames) {
  const auto tensors = parse_input_spec("f32[2], mask=bool[3],f32_scale = f32[]");
  ASSERT_FALSE(tensors) << "a space before '=' is no name";
  const auto named = parse_input_spec("f32[2], mask=bool[3],f32_scale=f32[]");
  ASSERT_TRUE(named) << named.error().describe();
  EXPECT_EQ((*named)[0].keyword, "");
  EXPECT_EQ((*named)[1].keyword, "mask");
  EXPECT_EQ((*named)[1].dtype, "bool");
  EXPECT_EQ((*named)[2].keyword, "f32_scale");
}

struct BadSpec {
  const char* text;
  const char* what;  // must occur in the error
};

class BadInputSpec : public testing::TestWithParam<BadSpec> {};

TEST_P(BadInputSpec, IsRefusedWithThePlace) {
  const auto tensors = parse_input_spec(GetParam().text);
  ASSERT_FALSE(tensors) << GetParam().text;
  EXPECT_EQ(tensors.error().tag, ErrorTag::input);
  EXPECT_NE(tensors.error().what.find(GetParam().what), std::string::npos)
      << tensors.error().describe();
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInputSpec,
    testing::Values(BadSpec{"", "no input tensors"}, BadSpec{"   ", "no input tensors"},
                    BadSpec{"float[2]", "unknown dtype 'float' at column 1"},
                    BadSpec{"f32", "expected '[' after f32 at column 4"},
                    BadSpec{"f32[2", "expected ',' or ']'"}, BadSpec{"f32[-1]", "expected a size"},
                    BadSpec{"f32[2]x", "expected ',' between tensors"},
                    BadSpec{"f32[2],", "expected a dtype"},
                    BadSpec{"a=f32[2],f32[2]", "without a name after one with a name"},
                    BadSpec{"a=f32[2],a=f32[2]", "two tensors called a"},
                    BadSpec{"2a=f32[2]", "unknown dtype"}, BadSpec{"i64[2]", "needs a bound"},
                    BadSpec{"f32[2]<5", "takes no '<' bound"}, BadSpec{"i8[2]<129", "1 to 128"},
                    BadSpec{"u8[2]<0", "1 to 256"},
                    BadSpec{"f32[99999999999999999999]", "expected a size"},
                    BadSpec{"f32[1000000,1000000,1000000]", "larger than 1 TiB"}));

// What describe() prints of a float tensor reads back as the same tensor.
RC_GTEST_PROP(InputSpecProperty, ReadsWhatDescribeWrites, ()) {
  const auto shape =
      *rc::gen::resize(5, rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange(0, 9)));
  const TensorSpec spec{
      *rc::gen::element<std::string>("float32", "bfloat16", "bool"), shape, {}, 0};
  const auto tensors = parse_input_spec(describe(spec));
  RC_ASSERT(tensors.has_value());
  RC_ASSERT(tensors->size() == 1u);
  RC_ASSERT(tensors->front().dtype == spec.dtype);
  RC_ASSERT(tensors->front().shape == shape);
}

// No text whatever makes the reader do anything but answer.
RC_GTEST_PROP(InputSpecProperty, AnswersAnyText, (const std::string& text)) {
  const auto tensors = parse_input_spec(text);
  RC_ASSERT(tensors.has_value() || tensors.error().tag == ErrorTag::input);
}

}  // namespace
}  // namespace cupel::task
