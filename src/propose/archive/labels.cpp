#include "propose/archive/labels.h"

#include <algorithm>
#include <initializer_list>

#include "base/words.h"
#include "propose/python_text.h"

namespace cupel::propose {
namespace {

constexpr auto npos = std::string_view::npos;

// What the rules look at. In `cpp` everything but embedded C++ is blank.
struct Scanned {
  std::string_view source;
  PythonText text;
  std::string cpp;
};

std::string cpp_of(std::string_view source, const PythonText& text) {
  std::string cpp(source.size(), ' ');
  for (const PythonString& one : text.strings) {
    const std::string_view inside = source.substr(one.begin, one.end - one.begin);
    if (!one.triple || inside.find('{') == npos || inside.find(';') == npos) continue;
    std::copy(inside.begin(), inside.end(), cpp.begin() + static_cast<std::ptrdiff_t>(one.begin));
  }
  return cpp;
}

// The first of the texts in the code; each begins at a word's beginning.
std::size_t first_of(std::string_view code, std::initializer_list<std::string_view> texts) {
  std::size_t first = npos;
  for (const std::string_view text : texts) {
    for (std::size_t at = code.find(text); at != npos; at = code.find(text, at + 1)) {
      if (at > 0 && is_word_char(code[at - 1]) && is_word_char(text[0])) continue;
      first = std::min(first, at);
      break;
    }
  }
  return first;
}

std::string_view line_around(std::string_view code, std::size_t at) {
  constexpr std::size_t k_seen = 512;
  const std::string_view before = code.substr(0, at).substr(at - std::min(at, k_seen));
  const std::size_t begin = at - before.size() + before.rfind('\n') + 1;
  return code.substr(begin, std::min(code.find('\n', at), code.size()) - begin);
}

// A call of Model outside of a class's bases, or of an inherited forward.
std::size_t calls_reference(const Scanned& scanned) {
  const std::string_view code = scanned.text.code;
  for (std::size_t at = find_word(code, "Model"); at != npos;
       at = find_word(code, "Model", at + 1)) {
    const std::string_view after = code.substr(at + 5).substr(0, 9);
    if (!after.starts_with('(') && !after.starts_with(".forward")) continue;
    if (!trimmed(line_around(code, at)).starts_with("class ")) return at;
  }
  return first_of(code, {"super().forward", "super().__call__", "super(ModelNew, self).forward"});
}

bool only_imports_or_marks(std::string_view line) {
  for (const std::string_view harmless : {"import ", "from ", "pass", "raise", "continue"}) {
    if (line.starts_with(harmless)) return true;
  }
  const std::size_t equals = line.find('=');
  return line.empty() || (equals != npos && line.find('(') == npos);  // NAME = None, True, ...
}

// An except branch that computes something, instead of marking or raising. Whose try only imports
// is a choice between packages, which is no fallback of a computation.
std::size_t falls_back(const Scanned& scanned) {
  const std::string_view code = scanned.text.code;
  std::size_t inside = npos, indent = 0;
  for (const std::string_view line : lines_of(code)) {
    const std::size_t at = static_cast<std::size_t>(line.data() - code.data());
    const std::string_view said = trimmed(line);
    if (said.empty()) continue;
    const std::size_t depth = skip_blanks(line, 0);
    if (inside != npos && depth <= indent) inside = npos;
    if (inside != npos && !only_imports_or_marks(said)) return inside;
    if (word_at(said, 0) == "except" && said.find("ImportError") == npos &&
        said.find("ModuleNotFoundError") == npos) {
      inside = at + depth;
      indent = depth;
      const std::size_t colon = said.rfind(':');
      if (colon != npos && !only_imports_or_marks(trimmed(said.substr(colon + 1)))) return inside;
    }
  }
  return npos;
}

std::size_t side_streams(const Scanned& scanned) {
  return std::min(
      first_of(scanned.text.code, {"cuda.Stream(", "cuda.stream(", "ExternalStream("}),
      first_of(scanned.cpp, {"cudaStreamCreate", "cuStreamCreate", "getStreamFromPool"}));
}

std::size_t threads(const Scanned& scanned) {
  return std::min(
      first_of(scanned.text.code,
               {"threading.Thread(", "Thread(", "ThreadPoolExecutor(", "ProcessPoolExecutor(",
                "multiprocessing.", "os.fork(", "subprocess.", "Popen("}),
      first_of(scanned.cpp,
               {"std::thread", "std::jthread", "std::async", "pthread_create", "fork("}));
}

bool is_setting(std::string_view target) {
  return target.starts_with("torch.backends.") || target.find("config") != npos ||
         target.starts_with("torch.set_");
}

// An assignment to something of torch's or the clock's, or setattr on it.
std::size_t patches(const Scanned& scanned) {
  const std::string_view code = scanned.text.code;
  for (const std::string_view line : lines_of(code)) {
    const std::string_view said = trimmed(line);
    const bool ours = said.starts_with("torch.") || said.starts_with("F.") ||
                      said.starts_with("nn.") || said.starts_with("time.");
    const std::size_t equals = said.find('=');
    if (!ours || equals == npos || said.substr(equals, 2) == "==") continue;
    const std::string_view target = trimmed(said.substr(0, equals));
    if (target.find('(') == npos && !is_setting(target)) {
      return static_cast<std::size_t>(said.data() - code.data());
    }
  }
  return first_of(code,
                  {"setattr(torch", "setattr(F,", "setattr(nn,", "setattr(time,", "sys.modules["});
}

std::size_t uses_compile(const Scanned& scanned) {
  return first_of(scanned.text.code, {"torch.compile"});
}
std::size_t uses_cpp(const Scanned& scanned) {
  return first_of(scanned.text.code, {"cpp_kernel("});
}
std::size_t uses_cuda(const Scanned& scanned) {
  return first_of(scanned.text.code, {"cuda_kernel("});
}
std::size_t uses_inline(const Scanned& scanned) {
  return first_of(scanned.text.code, {"load_inline(", "cpp_extension.load("});
}
std::size_t uses_triton(const Scanned& scanned) {
  return first_of(scanned.text.code, {"triton.jit", "@triton", "import triton"});
}

std::size_t only_compile(const Scanned& scanned) {
  const std::size_t at = uses_compile(scanned);
  const bool other = uses_cpp(scanned) != npos || uses_cuda(scanned) != npos ||
                     uses_inline(scanned) != npos || uses_triton(scanned) != npos;
  return other ? npos : at;
}

std::size_t graphs(const Scanned& scanned) {
  return first_of(scanned.text.code, {"CUDAGraph(", "make_graphed_callables(", "cuda.graph("});
}

std::size_t lower_precision(const Scanned& scanned) {
  return std::min(first_of(scanned.text.code, {"torch.bfloat16", "torch.float16", "torch.half",
                                               ".half()", ".bfloat16()", "autocast(", "allow_tf32",
                                               "set_float32_matmul_precision"}),
                  first_of(scanned.cpp, {"__half", "__nv_bfloat16", "_Float16", "__bf16"}));
}

std::size_t reads_addresses(const Scanned& scanned) {
  return first_of(scanned.text.code, {".data_ptr()", "id("});
}

// Where it is, who runs it, who calls it.
std::size_t looks_around(const Scanned& scanned) {
  return first_of(scanned.text.code, {"gethostname(", "getpass.", "os.getcwd(", "os.environ",
                                      "os.getenv(", "os.uname(", "platform.node(", "expanduser(",
                                      "sys._getframe(", "inspect.stack(", "inspect.currentframe(",
                                      "sys.argv", "sys.modules", "os.getppid(", "os.getuid("});
}

struct Rule {
  std::string_view label;
  std::size_t (*find)(const Scanned& scanned);  // where, or npos
};
constexpr Rule k_rules[] = {
    {"calls the reference", calls_reference},
    {"falls back in except", falls_back},
    {"side streams", side_streams},
    {"threads or processes", threads},
    {"patches torch", patches},
    {"only torch.compile", only_compile},
    {"torch.compile", uses_compile},
    {"cpp_kernel", uses_cpp},
    {"cuda_kernel", uses_cuda},
    {"load_inline", uses_inline},
    {"triton", uses_triton},
    {"CUDA graph", graphs},
    {"lower precision", lower_precision},
    {"reads addresses", reads_addresses},
    {"looks at its surroundings", looks_around},
};

}  // namespace

std::vector<Label> labels_of(std::string_view source) {
  Scanned scanned{source, scan_python(source), ""};
  scanned.cpp = cpp_of(source, scanned.text);
  std::vector<Label> labels;
  for (const Rule& rule : k_rules) {
    const std::size_t at = rule.find(scanned);
    if (at != npos) labels.push_back({std::string(rule.label), line_number(source, at)});
  }
  return labels;
}

}  // namespace cupel::propose
