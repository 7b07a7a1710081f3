// Where in the vault one call's data lies, and which call it is.
#pragma once

#include <cstdint>
#include <string>

namespace cupel::measure {

struct CallPlace {
  std::int64_t input = 0;
  std::string value_class;
  std::string values;
  int set = 0;      // index into the vault's input sets
  int program = 0;  // index into the set's output slots
  int instance = 0;
};

}  // namespace cupel::measure
