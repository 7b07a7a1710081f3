#include "propose/seeds/recipe.h"

#include <fmt/format.h>

#include <vector>

#include "propose/seeds/seed_files.h"
#include "propose/seeds/seed_text.h"

namespace cupel::propose {
namespace {

Words words_of(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return {"bf16", "bfloat16"};
    case Precision::autocast:
      return {"autocast", "autocast to bfloat16"};
    case Precision::onednn_bf16:
      return {"onednn_bf16", "oneDNN products in bfloat16"};
    case Precision::onednn_tf32:
      return {"onednn_tf32", "oneDNN products in TF32"};
    case Precision::as_is:
      break;
  }
  return {};
}

Words words_of(Runner runner) {
  switch (runner) {
    case Runner::eager:
      return {"eager", "eager"};
    case Runner::inference_mode:
      return {"inference_mode", "inference mode"};
    case Runner::traced:
      return {"trace", "torch.jit.trace, frozen and optimized"};
    case Runner::folded:
      return {"fold_norms", "batch norms folded into convolutions"};
    case Runner::compiled:
      return {"compile", "torch.compile"};
    case Runner::frozen:
      return {"freezing", "torch.compile, frozen weights"};
    case Runner::cpp_wrapper:
      return {"cpp_wrapper", "torch.compile, C++ wrapper"};
    case Runner::frozen_cpp_wrapper:
      return {"freezing_cpp_wrapper", "torch.compile, frozen weights, C++ wrapper"};
    case Runner::max_autotune:
      return {"max_autotune", "torch.compile max-autotune"};
    case Runner::frozen_max_autotune:
      return {"freezing_max_autotune", "torch.compile max-autotune, frozen weights"};
  }
  return {};
}

std::vector<Words> words_of(const Recipe& recipe) {
  std::vector<Words> words;
  if (recipe.layout != Layout::as_is) words.push_back(words_of(recipe.layout));
  if (recipe.precision != Precision::as_is) words.push_back(words_of(recipe.precision));
  if (recipe.one_thread) words.push_back({"one_thread", "one thread"});
  if (words.empty() || recipe.runner != Runner::eager) words.push_back(words_of(recipe.runner));
  return words;
}

// --- the text, from the bottom up: prepare(), seed_forward(), forward()

bool casts(Precision precision) {
  return precision == Precision::bf16 || precision == Precision::autocast;
}

bool compiles(Runner runner) {
  return runner != Runner::eager && runner != Runner::inference_mode;
}

bool wraps_forward(const Recipe& recipe) {
  return recipe.layout != Layout::as_is || casts(recipe.precision);
}

std::vector<Switch> switches_of(const Recipe& recipe) {
  std::vector<Switch> switches;
  const bool is_bf16 = recipe.precision == Precision::onednn_bf16;
  if (is_bf16 || recipe.precision == Precision::onednn_tf32) {
    switches.push_back({"torch.get_float32_matmul_precision()",
                        "torch.set_float32_matmul_precision({})",
                        is_bf16 ? "\"medium\"" : "\"high\""});
  }
  if (recipe.one_thread) {
    switches.push_back({"torch.get_num_threads()", "torch.set_num_threads({})", "1"});
  }
  return switches;
}

bool freezes(Runner runner) {
  return runner == Runner::frozen || runner == Runner::frozen_cpp_wrapper ||
         runner == Runner::frozen_max_autotune;
}

std::string functions_text(const Recipe& recipe) {
  std::string text = switches_class(switches_of(recipe));
  if (freezes(recipe.runner)) text += seed_file("clamps.py");
  if (recipe.runner == Runner::traced) text += seed_file("trace.py");
  if (casts(recipe.precision)) text += seed_file("cast.py");
  if (recipe.layout != Layout::as_is) {
    const std::string_view rank = recipe.layout == Layout::channels_last ? "4" : "5";
    text += seed_file("layout.py", {{"rank", rank}, {"format", words_of(recipe.layout).name}});
  }
  return text;
}

std::string prepare_text(const Recipe& recipe, std::string_view base) {
  std::string lines = layout_line(recipe.layout);
  if (recipe.precision == Precision::bf16) lines += "        self.to(torch.bfloat16)\n";
  return prepare_method(lines, base);
}

// The reference's forward between the conversions, in a method of its own.
std::string seed_forward_text(const Recipe& recipe) {
  if (!wraps_forward(recipe)) return "";
  std::string text = "    def seed_forward(self, *inputs):\n";
  if (recipe.layout != Layout::as_is) {
    text += "        inputs = [seed_layout(value) for value in inputs]\n";
  }
  if (recipe.precision == Precision::bf16) {
    text += "        inputs = seed_cast(list(inputs), torch.float32, torch.bfloat16)\n";
  }
  if (recipe.precision == Precision::autocast) {
    text +=
        "        with torch.autocast(\"cpu\", dtype=torch.bfloat16):\n"
        "            output = super().forward(*inputs)\n";
  } else {
    text += "        output = super().forward(*inputs)\n";
  }
  text += casts(recipe.precision)
              ? "        return seed_cast(output, torch.bfloat16, torch.float32)\n\n"
              : "        return output\n\n";
  return text;
}

std::string_view compile_arguments(Runner runner) {
  switch (runner) {
    case Runner::cpp_wrapper:
    case Runner::frozen_cpp_wrapper:
      return ", options={\"cpp_wrapper\": True}";
    case Runner::max_autotune:
    case Runner::frozen_max_autotune:
      return ", mode=\"max-autotune\"";
    default:
      return "";
  }
}

std::string folded_text(const Recipe& recipe) {
  const std::string_view run = recipe.layout == Layout::as_is
                                   ? "folded.__call__"
                                   : "lambda *values: folded(*map(seed_layout, values))";
  // Symbolic tracing does not see through conversions, so they stay outside.
  return plain_copy() + seed_lines("folded.py", k_in_method, {{"run", run}});
}

std::string traced_text(const Recipe& recipe) {
  const std::string copy =
      wraps_forward(recipe) ? plain_copy("SeedBody", "the class that does the work") : plain_copy();
  return copy + seed_lines("traced.py", k_in_method);
}

// Sets self.seed_run at the first call, when the inputs' shapes are known.
std::string seed_compile_text(const Recipe& recipe) {
  if (recipe.runner == Runner::traced) return traced_text(recipe);
  if (recipe.runner == Runner::folded) return folded_text(recipe);
  const std::string_view body = wraps_forward(recipe) ? "self.seed_forward" : "super().forward";
  return seed_lines(freezes(recipe.runner) ? "compile_frozen.py" : "compile.py", k_in_method,
                    {{"body", body}, {"arguments", compile_arguments(recipe.runner)}});
}

std::string forward_text(const Recipe& recipe) {
  if (compiles(recipe.runner)) {
    return seed_lines("compiled.py", k_in_class) + seed_compile_text(recipe);
  }
  const std::string_view body = wraps_forward(recipe) ? "self.seed_forward" : "super().forward";
  if (recipe.runner == Runner::inference_mode) {
    return seed_lines("inference.py", k_in_class, {{"body", body}});
  }
  if (!wraps_forward(recipe)) return "";
  return "    def forward(self, *inputs):\n        return self.seed_forward(*inputs)\n";
}

std::string imports_text(const Recipe& recipe) {
  std::string text;
  if (recipe.runner == Runner::traced || recipe.runner == Runner::folded) text += "import copy\n\n";
  text += "import torch\n";
  if (freezes(recipe.runner)) text += "import torch._inductor.config\n";
  if (recipe.runner == Runner::folded) {
    text += "from torch.fx.experimental.optimization import fuse\n";
  }
  return text;
}

// What is traced is a class whose forward is the whole body.
std::string body_class_text(const Recipe& recipe) {
  if (recipe.runner != Runner::traced || !wraps_forward(recipe)) return "";
  std::string text = seed_forward_text(recipe);
  text.replace(text.find("seed_forward"), std::string_view("seed_forward").size(), "forward");
  text.pop_back();
  return "\nclass SeedBody(Model):\n" + text + "\n";
}

}  // namespace

std::string name_of(const Recipe& recipe) {
  return name_from(words_of(recipe));
}

std::string label_of(const Recipe& recipe) {
  return label_from(words_of(recipe));
}

double expected_compile_s(const Recipe& recipe) {
  switch (recipe.runner) {
    case Runner::eager:
    case Runner::inference_mode:
      return 0;
    case Runner::folded:
      return 0.2;
    case Runner::traced:
      return 1;
    case Runner::compiled:
      return 8;
    case Runner::frozen:
      return 10;
    case Runner::cpp_wrapper:
      return 14;
    case Runner::frozen_cpp_wrapper:
      return 16;
    case Runner::max_autotune:
      return 20;
    case Runner::frozen_max_autotune:
      return 30;
  }
  return 0;
}

std::string render(const Recipe& recipe, std::string_view task_source, std::string_view base) {
  const std::string body_class = body_class_text(recipe);
  const bool has_own_forward = recipe.runner != Runner::traced && recipe.runner != Runner::folded;
  const std::string forward_part = has_own_forward ? seed_forward_text(recipe) : "";
  const std::string call = switches_of(recipe).empty() ? "" : switched_call();
  std::string members =
      prepare_text(recipe, base).append(call) + forward_part + forward_text(recipe);
  while (members.ends_with("\n\n")) members.pop_back();
  return file_text({name_of(recipe), label_of(recipe), task_source, imports_text(recipe),
                    functions_text(recipe) + body_class, members, base});
}

}  // namespace cupel::propose
