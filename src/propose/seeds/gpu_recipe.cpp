#include "propose/seeds/gpu_recipe.h"

#include <fmt/format.h>

#include <vector>

#include "propose/seeds/seed_files.h"
#include "propose/seeds/seed_text.h"

namespace cupel::propose {
namespace {

Words words_of(GpuPrecision precision) {
  switch (precision) {
    case GpuPrecision::tf32:
      return {"tf32", "TF32"};
    case GpuPrecision::fp16:
      return {"fp16", "float16"};
    case GpuPrecision::bf16:
      return {"bf16", "bfloat16"};
    case GpuPrecision::amp_fp16:
      return {"autocast_fp16", "autocast to float16"};
    case GpuPrecision::amp_bf16:
      return {"autocast_bf16", "autocast to bfloat16"};
    case GpuPrecision::as_is:
    case GpuPrecision::exact:
      break;
  }
  return {};
}

Words words_of(GpuCompiler compiler, Launch launch) {
  const bool own_graph = launch == Launch::own_graph;
  switch (compiler) {
    case GpuCompiler::inductor:
      if (own_graph) return {"reduce_overhead", "torch.compile reduce-overhead"};
      return {"compile", "torch.compile"};
    case GpuCompiler::frozen:
      return {"freezing", "torch.compile, frozen weights"};
    case GpuCompiler::tuned:
      if (own_graph) return {"max_autotune", "torch.compile max-autotune"};
      return {"autotuned", "torch.compile max-autotune-no-cudagraphs"};
    case GpuCompiler::frozen_tuned:
      return {"freezing_autotuned", "torch.compile max-autotune-no-cudagraphs, frozen weights"};
    case GpuCompiler::none:
      break;
  }
  return {};
}

std::vector<Words> words_of(const GpuRecipe& recipe) {
  std::vector<Words> words;
  const auto add = [&](Words more) {
    if (!more.name.empty()) words.push_back(more);
  };
  add(words_of(recipe.layout));
  add(words_of(recipe.precision));
  if (recipe.attention) add({"sdpa", "fused attention"});
  if (recipe.folded) add({"fold_norms", "batch norms folded into convolutions"});
  add(words_of(recipe.compiler, recipe.launch));
  if (recipe.launch == Launch::graph) add({"graph", "CUDA graph"});
  if (words.empty()) add({"eager", "eager"});
  return words;
}

bool is_amp(GpuPrecision precision) {
  return precision == GpuPrecision::amp_fp16 || precision == GpuPrecision::amp_bf16;
}

bool is_cast(GpuPrecision precision) {
  return precision == GpuPrecision::fp16 || precision == GpuPrecision::bf16;
}

std::string_view dtype_of(GpuPrecision precision) {
  const bool short_range = precision == GpuPrecision::fp16 || precision == GpuPrecision::amp_fp16;
  return short_range ? "torch.float16" : "torch.bfloat16";
}

bool converts_inputs(const GpuRecipe& recipe) {
  return recipe.layout != Layout::as_is || is_cast(recipe.precision);
}

bool reshapes(const GpuRecipe& recipe) {
  return recipe.reshapes && recipe.layout != Layout::as_is;
}

// What a graph returns lies in its own memory and is overwritten by the next call.
bool returns_copies(const GpuRecipe& recipe) {
  return recipe.launch != Launch::calls;
}

bool converts_outputs(const GpuRecipe& recipe) {
  return is_half(recipe.precision) || returns_copies(recipe);
}

// The compiler fuses conversions into its kernels; copying into a graph does them on the way.
bool converts_inputs_inside(const GpuRecipe& recipe) {
  return converts_inputs(recipe) && recipe.compiler != GpuCompiler::none &&
         recipe.launch != Launch::graph;
}

bool converts_outputs_inside(const GpuRecipe& recipe) {
  return converts_outputs(recipe) && recipe.compiler != GpuCompiler::none &&
         !returns_copies(recipe);
}

// --- the text's functions ------------------------------------------------------------------------

std::string own_function(const GpuRecipe& recipe) {
  std::string lines;
  if (is_cast(recipe.precision)) {
    lines += fmt::format("if value.dtype == torch.float32:\n    value = value.to({})",
                         dtype_of(recipe.precision));
  }
  if (recipe.layout != Layout::as_is) {
    if (!lines.empty()) lines += "\n";
    lines +=
        fmt::format("if value.dim() == {}:\n    value = value.contiguous(memory_format=torch.{})",
                    recipe.layout == Layout::channels_last ? 4 : 5, words_of(recipe.layout).name);
  }
  return seed_file("own.py", {{"lines", lines}});
}

std::string fresh_function(const GpuRecipe& recipe) {
  std::string lines;
  if (is_half(recipe.precision)) {
    lines += fmt::format("if value.dtype == {}:\n    return value.to(torch.float32)\n",
                         dtype_of(recipe.precision));
  }
  lines += returns_copies(recipe) ? "return value.clone()" : "return value";
  const std::string_view says = returns_copies(recipe)
                                    ? "An output outside of the graph's own memory."
                                    : "An output as the reference returns it.";
  return seed_file("fresh.py", {{"says", says}, {"lines", lines}});
}

std::string graph_functions(const GpuRecipe& recipe) {
  const std::string_view own =
      converts_inputs(recipe) ? "lambda value: seed_own(value).clone()" : "torch.clone";
  return seed_file("graph.py", {{"own", own}});
}

std::vector<Switch> switches_of(const GpuRecipe& recipe) {
  std::vector<Switch> switches;
  if (recipe.precision == GpuPrecision::tf32 || recipe.precision == GpuPrecision::exact) {
    const std::string_view on = recipe.precision == GpuPrecision::tf32 ? "True" : "False";
    switches.push_back({"torch.backends.cuda.matmul.allow_tf32",
                        "torch.backends.cuda.matmul.allow_tf32 = {}", on});
    switches.push_back(
        {"torch.backends.cudnn.allow_tf32", "torch.backends.cudnn.allow_tf32 = {}", on});
  }
  if (recipe.benchmarked) {
    switches.push_back(
        {"torch.backends.cudnn.benchmark", "torch.backends.cudnn.benchmark = {}", "True"});
  }
  return switches;
}

std::string functions_text(const GpuRecipe& recipe) {
  std::string text = switches_class(switches_of(recipe));
  if (converts_inputs(recipe) || converts_outputs(recipe)) text += seed_file("map.py");
  if (converts_inputs(recipe)) text += own_function(recipe);
  if (converts_outputs(recipe)) text += fresh_function(recipe);
  if (reshapes(recipe)) text += seed_file("views.py");
  if (recipe.launch == Launch::graph) text += graph_functions(recipe);
  // On the graph that torch.compile captures, because it has seen through all Python: masks, views,
  // nn.MultiheadAttention. An affine step between product and softmax becomes a scale of the
  // queries and a bias; the bias is what the steps make of zeros.
  if (recipe.attention) text += seed_file("attention.py");
  return text;
}

// --- the text's class ----------------------------------------------------------------------------

// Weights of products alone: norms keep float32, which autocast would cast them back to.
std::string weights_text(GpuPrecision precision) {
  if (!is_half(precision)) return "";
  return seed_lines(is_cast(precision) ? "cast_weights.py" : "amp_weights.py", k_in_method,
                    {{"dtype", dtype_of(precision)}});
}

constexpr std::string_view k_fold = "        self.__dict__[\"seed_folded\"] = fuse(plain)\n";

std::string prepare_text(const GpuRecipe& recipe, std::string_view base) {
  std::string lines = layout_line(recipe.layout) + weights_text(recipe.precision);
  if (recipe.folded) lines.append(plain_copy()).append(k_fold);
  return prepare_method(lines, base);
}

// What the reference's forward runs under, or "".
std::string contexts_text(const GpuRecipe& recipe) {
  std::string text = reshapes(recipe) ? "SeedViews()" : "";
  if (is_amp(recipe.precision)) {
    text += fmt::format("{}torch.autocast(\"cuda\", dtype={})", text.empty() ? "" : ", ",
                        dtype_of(recipe.precision));
  }
  return text;
}

std::string seed_forward_text(const GpuRecipe& recipe) {
  std::string text = "    def seed_forward(self, *inputs):\n";
  if (converts_inputs_inside(recipe)) {
    text += "        inputs = seed_map(inputs, seed_own)\n";
  }
  const std::string contexts = contexts_text(recipe);
  const std::string call = recipe.folded ? "self.seed_folded(*inputs)" : "super().forward(*inputs)";
  if (contexts.empty() && !converts_outputs_inside(recipe)) {
    return text + "        return " + call + "\n\n";
  }
  if (!contexts.empty()) text += "        with " + contexts + ":\n    ";
  text += "        output = " + call + "\n";
  return text + (converts_outputs_inside(recipe) ? "        return seed_map(output, seed_fresh)\n\n"
                                                 : "        return output\n\n");
}

std::string options_text(const GpuRecipe& recipe) {
  switch (recipe.compiler) {
    case GpuCompiler::frozen:
      return "{\"freezing\": True}";
    case GpuCompiler::tuned:
      return "{\"max_autotune\": True, \"coordinate_descent_tuning\": True}";
    case GpuCompiler::frozen_tuned:
      return "{\"max_autotune\": True, \"coordinate_descent_tuning\": True, \"freezing\": True}";
    default:
      return "";
  }
}

// The expression for what runs: seed_forward, compiled or not.
std::string run_text(const GpuRecipe& recipe) {
  const std::string options = options_text(recipe);
  if (recipe.attention) {
    const std::string how = recipe.compiler == GpuCompiler::none
                                ? "None"
                                : (options.empty() ? std::string("{}") : options);
    return fmt::format("seed_fused(self.seed_forward, {})", how);
  }
  if (recipe.compiler == GpuCompiler::none) return "self.seed_forward";
  std::string arguments;
  if (recipe.launch == Launch::own_graph) {
    arguments = recipe.compiler == GpuCompiler::tuned ? ", mode=\"max-autotune\""
                                                      : ", mode=\"reduce-overhead\"";
  } else if (!options.empty()) {
    arguments = ", options=" + options;
  }
  return fmt::format("torch.compile(self.seed_forward, dynamic=False{})", arguments);
}

std::string forward_text(const GpuRecipe& recipe) {
  const std::string run = run_text(recipe);
  if (recipe.launch == Launch::graph) {
    std::string make = "self.seed_graphs[key] = SeedGraph(self, self.seed_run, inputs)";
    if (!switches_of(recipe).empty()) {
      make.insert(0, "with SeedSwitches():  # what a graph holds is settled\n    ");
    }
    return seed_lines("replayed.py", k_in_class, {{"run", run}, {"make", make}});
  }
  const bool outside = converts_inputs(recipe) && !converts_inputs_inside(recipe);
  std::string output =
      fmt::format("self.seed_run(*{})", outside ? "seed_map(inputs, seed_own)" : "inputs");
  if (converts_outputs(recipe) && !converts_outputs_inside(recipe)) {
    output = fmt::format("seed_map({}, seed_fresh)", output);
  }
  return seed_lines("called.py", k_in_class, {{"run", run}, {"output", output}});
}

bool runs_as_the_reference(const GpuRecipe& recipe) {
  return recipe.compiler == GpuCompiler::none && recipe.launch == Launch::calls &&
         !recipe.attention && !recipe.folded && !converts_inputs(recipe) &&
         !converts_outputs(recipe);
}

std::string imports_text(const GpuRecipe& recipe) {
  std::string text;
  if (recipe.folded) text += "import copy\n";
  if (recipe.attention) text += "import operator\n";
  text += text.empty() ? "import torch\n" : "\nimport torch\n";
  if (reshapes(recipe)) text += "import torch.overrides\n";
  if (recipe.attention) text += "from torch._inductor.compile_fx import compile_fx\n";
  if (recipe.folded) text += "from torch.fx.experimental.optimization import fuse\n";
  return text;
}

}  // namespace

bool is_half(GpuPrecision precision) {
  return is_amp(precision) || is_cast(precision);
}

std::string name_of(const GpuRecipe& recipe) {
  return name_from(words_of(recipe));
}

std::string label_of(const GpuRecipe& recipe) {
  return label_from(words_of(recipe));
}

double expected_compile_s(const GpuRecipe& recipe) {
  const double own = recipe.attention ? 3 : recipe.launch == Launch::graph ? 0.5 : 0;
  switch (recipe.compiler) {
    case GpuCompiler::none:
      return own;
    case GpuCompiler::inductor:
      return 20 + own;
    case GpuCompiler::frozen:
      return 25 + own;
    case GpuCompiler::tuned:
      return 60 + own;
    case GpuCompiler::frozen_tuned:
      return 65 + own;
  }
  return own;
}

std::string render(const GpuRecipe& recipe, std::string_view task_source, std::string_view base) {
  std::string members = prepare_text(recipe, base);
  const bool switches = !switches_of(recipe).empty() && recipe.launch != Launch::graph;
  if (switches) members += switched_call();
  if (!runs_as_the_reference(recipe)) members += seed_forward_text(recipe) + forward_text(recipe);
  while (members.ends_with("\n\n")) members.pop_back();
  return file_text({name_of(recipe), label_of(recipe), task_source, imports_text(recipe),
                    functions_text(recipe), members, base});
}

}  // namespace cupel::propose
