#include "propose/seeds/seed_files.h"

#include "base/result.h"

namespace cupel::propose {

std::string seed_file(std::string_view name) {
  for (const EmbeddedFile& file : seed_files()) {
    if (file.name == name) return "\n" + std::string(file.text);
  }
  CUPEL_CHECK(!"a seed's file is missing");
  return "";
}

}  // namespace cupel::propose
