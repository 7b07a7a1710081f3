// A free variant on an NVIDIA GPU as a point in layout x precision x compiler x launch, and its
// Python text.
#pragma once

#include <string>
#include <string_view>

#include "propose/seeds/recipe.h"

namespace cupel::propose {

enum class GpuPrecision {
  as_is,     // torch's defaults: float32 products, TF32 convolutions and recurrent layers
  exact,     // float32 everywhere: TF32 off
  tf32,      // TF32 products too
  fp16,      // weights and activations in float16, float32 interface
  bf16,      // the same in bfloat16
  amp_fp16,  // torch.autocast to float16, weights of products cast once
  amp_bf16,  // the same to bfloat16
};

enum class GpuCompiler {
  none,
  inductor,  // torch.compile
  frozen,    // with Inductor's freezing
  tuned,     // max-autotune
  frozen_tuned,
};

enum class Launch {
  calls,      // kernel by kernel
  graph,      // one CUDA graph, captured at the first call with each set of shapes
  own_graph,  // torch.compile's own: reduce-overhead, and max-autotune as torch has it
};

struct GpuRecipe {
  Layout layout = Layout::as_is;
  GpuPrecision precision = GpuPrecision::as_is;
  bool attention = false;    // softmax(q k^T) v in one kernel; refuses where it finds none
  bool folded = false;       // batch norms folded into convolutions
  bool reshapes = false;     // with another layout: view() may have to copy
  bool benchmarked = false;  // cuDNN measures its algorithms and takes the fastest
  GpuCompiler compiler = GpuCompiler::none;
  Launch launch = Launch::calls;
};

bool is_half(GpuPrecision precision);

// As for the CPU's recipes. `exact`, `reshapes` and `benchmarked` have no word in the name: they go
// with the policy and the task, not with the seed.
std::string name_of(const GpuRecipe& recipe);
std::string label_of(const GpuRecipe& recipe);
double expected_compile_s(const GpuRecipe& recipe);

// The candidate's file, as for the CPU. What a graph returns is copied out of it, and inputs are
// copied in, so that a caller may keep what he got and change what he gave.
// `base`: as for the CPU; of another than the task's Model prepare() runs first.
std::string render(const GpuRecipe& recipe, std::string_view task_source,
                   std::string_view base = "Model");

}  // namespace cupel::propose
