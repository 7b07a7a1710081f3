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
  if (freezes(recipe.runner)) text += seed_file("clamps.py") + "\n";
  if (recipe.runner == Runner::traced) text += seed_file("trace.py") + "\n";
  if (casts(recipe.precision)) text += seed_file("cast.py") + "\n";
  if (recipe.layout != Layout::as_is) {
    text += fmt::format(fmt::runtime(seed_file("layout.py") + "\n"),
                        fmt::arg("rank", recipe.layout == Layout::channels_last ? 4 : 5),
                        fmt::arg("format", words_of(recipe.layout).name));
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

constexpr std::string_view k_traced_text = R"(        plain = copy.copy(self)  # the same weights,
        plain.__class__ = {body_class}  # run as the class that does the work
        traced = torch.jit.trace(plain, inputs, check_trace=False, strict=False).eval()
        traced = torch.jit.freeze(traced)
        seed_keeps_nan(traced.graph)
        traced = torch.jit.optimize_for_inference(traced)
        self.seed_run = traced.__call__
)";

// Symbolic tracing does not see through conversions, so they stay outside.
constexpr std::string_view k_folded_text = R"(        folded = fuse(plain)
        self.seed_run = {run}
)";

std::string folded_text(const Recipe& recipe) {
  const std::string_view run = recipe.layout == Layout::as_is
                                   ? "folded.__call__"
                                   : "lambda *values: folded(*map(seed_layout, values))";
  return std::string(k_plain_copy) + fmt::format(fmt::runtime(k_folded_text), fmt::arg("run", run));
}

std::string traced_text(const Recipe& recipe) {
  return fmt::format(fmt::runtime(k_traced_text),
                     fmt::arg("body_class", wraps_forward(recipe) ? "SeedBody" : "Model"));
}

// Sets self.seed_run at the first call, when the inputs' shapes are known.
std::string seed_compile_text(const Recipe& recipe) {
  const std::string_view body = wraps_forward(recipe) ? "self.seed_forward" : "super().forward";
  constexpr std::string_view k_run = "        return self.seed_run(*inputs)\n";
  if (recipe.runner == Runner::traced) return traced_text(recipe).append(k_run);
  if (recipe.runner == Runner::folded) return folded_text(recipe).append(k_run);
  std::string text = fmt::format("        self.seed_run = torch.compile({}, dynamic=False{})\n",
                                 body, compile_arguments(recipe.runner));
  if (!freezes(recipe.runner)) return text.append(k_run);
  return text +
         "        with torch._inductor.config.patch(\n"
         "                freezing=True, post_grad_custom_pre_pass=seed_clamps_apart):\n"
         "            return self.seed_run(*inputs)\n";
}

constexpr std::string_view k_compiled_forward = R"(    seed_run = None

    def forward(self, *inputs):
        with torch.no_grad():
            if self.seed_run is None:
                return self.seed_compile(*inputs)
            return self.seed_run(*inputs)

    def seed_compile(self, *inputs):
        """The first call."""
)";

std::string forward_text(const Recipe& recipe) {
  if (compiles(recipe.runner)) return std::string(k_compiled_forward) + seed_compile_text(recipe);
  const std::string_view body = wraps_forward(recipe) ? "self.seed_forward" : "super().forward";
  if (recipe.runner == Runner::inference_mode) {
    return fmt::format(
        "    def forward(self, *inputs):\n        with torch.inference_mode():\n"
        "            return {}(*inputs)\n",
        body);
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
  const std::string_view call = switches_of(recipe).empty() ? "" : k_switched_call;
  std::string members =
      prepare_text(recipe, base).append(call) + forward_part + forward_text(recipe);
  while (members.ends_with("\n\n")) members.pop_back();
  return file_text({name_of(recipe), label_of(recipe), task_source, imports_text(recipe),
                    functions_text(recipe) + body_class, members, base});
}

}  // namespace cupel::propose
