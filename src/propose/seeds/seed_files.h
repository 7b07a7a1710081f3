// Python of seeds that lies in files of its own (text/*.py). Some hold {names} that a recipe fills.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/embedded.h"

namespace cupel::propose {

// All of them.
std::span<const EmbeddedFile> seed_files();

// Functions and classes: the text of one, filled, between empty lines. Aborts where there is no
// such file.
std::string seed_file(std::string_view name, std::initializer_list<Filling> fillings = {});

// Parts of a class: the text of one, filled, with so many blanks before each line.
std::string seed_lines(std::string_view name, int blanks,
                       std::initializer_list<Filling> fillings = {});

}  // namespace cupel::propose
