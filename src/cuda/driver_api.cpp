#include "cuda/driver_api.h"

#include <dlfcn.h>

namespace cupel::cuda {
namespace {

constexpr const char* k_library = "libcuda.so.1";

tl::unexpected<Error> no_gpu(std::string what) {
  return environment_error(std::move(what), k_library,
                           "install NVIDIA's driver, or use --device cpu");
}

Result<DriverApi> load() {
  void* const library = ::dlopen(k_library, RTLD_NOW | RTLD_LOCAL);
  if (!library) return no_gpu("no NVIDIA driver was found");
  DriverApi api;
#define CUPEL_CUDA_FIND(member, symbol, parameters)                              \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(library, symbol)); \
  if (!api.member) return no_gpu("the NVIDIA driver is too old: it has no " symbol);
  CUPEL_CUDA_FUNCTIONS(CUPEL_CUDA_FIND)
#undef CUPEL_CUDA_FIND
  if (const int code = api.init(0); code != 0) {
    return no_gpu("the NVIDIA driver does not start (error " + std::to_string(code) + ")");
  }
  return api;
}

}  // namespace

Result<const DriverApi*> driver_api() {
  static const Result<DriverApi> api = load();
  if (!api) return fail(api.error());
  return &*api;
}

Status check(int code, const char* what) {
  if (code == 0) return {};
  const char* text = nullptr;
  if (const auto api = driver_api()) (*api)->error_text(code, &text);
  return infra_error(std::string(what) + ": " + (text ? text : "CUDA error") + " (" +
                     std::to_string(code) + ")");
}

}  // namespace cupel::cuda
