#include "base/embedded.h"

#include "base/result.h"

namespace cupel {

std::string_view embedded_text(std::span<const EmbeddedFile> files, std::string_view name) {
  for (const EmbeddedFile& file : files) {
    if (file.name == name) return file.text;
  }
  CUPEL_CHECK(!"an embedded file is missing");
  return "";
}

}  // namespace cupel
