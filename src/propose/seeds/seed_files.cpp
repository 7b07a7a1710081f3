#include "propose/seeds/seed_files.h"

namespace cupel::propose {

std::string seed_file(std::string_view name) {
  return "\n" + std::string(embedded_text(seed_files(), name));
}

}  // namespace cupel::propose
