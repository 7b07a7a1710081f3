// A free variant as a point in layout x precision x threads x runner, and its Python text.
#pragma once

#include <string>
#include <string_view>

namespace cupel::propose {

enum class Layout { as_is, channels_last, channels_last_3d };

enum class Precision {
  as_is,
  bf16,         // weights and activations in bfloat16, float32 interface
  autocast,     // torch.autocast to bfloat16
  onednn_bf16,  // float32 everywhere, matrix products of oneDNN in bfloat16
  onednn_tf32,  // the same in TF32, where the CPU has it
};

enum class Runner {
  eager,
  inference_mode,
  traced,       // torch.jit.trace, freeze, optimize_for_inference
  folded,       // batch norms folded into convolutions
  compiled,     // torch.compile, defaults
  frozen,       // torch.compile with Inductor's freezing
  cpp_wrapper,  // torch.compile with a C++ wrapper around the kernels
  frozen_cpp_wrapper,
  max_autotune,  // torch.compile(mode="max-autotune")
  frozen_max_autotune,
};

struct Recipe {
  Layout layout = Layout::as_is;
  Precision precision = Precision::as_is;
  bool one_thread = false;
  Runner runner = Runner::eager;
};

// Short and stable, of words joined by '+': "compile", "channels_last+bf16+freezing".
std::string name_of(const Recipe& recipe);

// For people: "channels_last, bfloat16, torch.compile with frozen weights".
std::string label_of(const Recipe& recipe);

// Rough wall time before the first call on two cores; 0: negligible.
double expected_compile_s(const Recipe& recipe);

// The candidate's file: `task_source` as it is, and a ModelNew derived from its Model, so that
// parameters keep their names and the file needs nothing but torch. Weight transforms stand in
// prepare(), which is called after the weights are loaded; what compiles does so at first call.
// `base`: the class in that source from which ModelNew derives; another than the task's Model only
// where the recipe traces and folds nothing.
std::string render(const Recipe& recipe, std::string_view task_source,
                   std::string_view base = "Model");

}  // namespace cupel::propose
