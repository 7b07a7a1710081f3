#include "measure/device/device.h"

#include <charconv>

namespace cupel::measure {

Result<std::shared_ptr<Device>> open_device(const std::string& name) {
  constexpr std::string_view k_cuda = "cuda";
  if (name == "cpu") return open_cpu();
  if (name == k_cuda) return open_gpu(0);
  int ordinal = -1;
  if (name.starts_with("cuda:")) {
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + k_cuda.size() + 1, end, ordinal);
    if (read.ptr != end || read.ec != std::errc()) ordinal = -1;
  }
  if (ordinal >= 0) return open_gpu(ordinal);
  return input_error("there is no device '" + name + "'", "--device",
                     "use cpu, cuda, or cuda:1 for the second GPU");
}

}  // namespace cupel::measure
