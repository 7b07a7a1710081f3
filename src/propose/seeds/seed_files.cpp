#include "propose/seeds/seed_files.h"

namespace cupel::propose {

std::string seed_file(std::string_view name, std::initializer_list<Filling> fillings) {
  return "\n" + filled(embedded_text(seed_files(), name), fillings) + "\n";
}

std::string seed_lines(std::string_view name, int blanks, std::initializer_list<Filling> fillings) {
  return indented(filled(embedded_text(seed_files(), name), fillings), blanks);
}

}  // namespace cupel::propose
