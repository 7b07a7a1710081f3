#include "propose/replies/cpp_includes.h"

#include <gtest/gtest.h>

namespace cupel::propose {
namespace {

TEST(CppIncludes, FindsWhatIsMissing) {
  EXPECT_EQ(missing_includes("float f(float x) { return std::exp(x); }", false),
            "#include <cmath>\n");
  EXPECT_EQ(missing_includes("int n = omp_get_max_threads();", false), "#include <omp.h>\n");
  EXPECT_EQ(missing_includes("__m256 a = _mm256_setzero_ps();", false), "#include <immintrin.h>\n");
  EXPECT_EQ(missing_includes("std::vector<std::uint8_t> v;", false),
            "#include <cstdint>\n#include <vector>\n");
}

TEST(CppIncludes, OnlyCodeCounts) {
  EXPECT_EQ(missing_includes("// std::exp\n/* std::vector */\n#define X std::array\nint x;", false),
            "");
}

TEST(CppIncludes, AHeaderOrItsTwinIsEnough) {
  EXPECT_EQ(missing_includes("#include <math.h>\nfloat y = expf(1);", false), "");
  EXPECT_EQ(missing_includes("#include <bits/stdc++.h>\nstd::vector<int> v;", false), "");
  EXPECT_EQ(missing_includes("#include <torch/extension.h>\nstd::vector<int> v;", false), "");
}

TEST(CppIncludes, NvrtcBringsTheRest) {
  EXPECT_EQ(missing_includes("__global__ void k(int64_t* x) { *x = expf(1); }", true), "");
  EXPECT_EQ(missing_includes("__global__ void k(__half* x) {}", true), "#include <cuda_fp16.h>\n");
}

}  // namespace
}  // namespace cupel::propose
