// Shell completion, made from the grammar itself.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace cupel::cli {

// For bash: commands first, then the command's options, otherwise files.
std::string completion_script(CLI::App& app);

}  // namespace cupel::cli
