// What the texts of all free variants share: their names, prepare() and the frame of the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "propose/seeds/recipe.h"

namespace cupel::propose {

// How a choice is called, in names and in sentences.
struct Words {
  std::string_view name;
  std::string_view label;
};

// Empty for as_is.
Words words_of(Layout layout);

// "channels_last+bf16+compile".
std::string name_from(const std::vector<Words>& words);
// "channels_last, bfloat16, torch.compile".
std::string label_from(const std::vector<Words>& words);

// The line of prepare() that brings the weights into the layout; "" for as_is.
std::string layout_line(Layout layout);

// Blanks before the parts of a class, and before the lines of its methods.
inline constexpr int k_in_class = 4;
inline constexpr int k_in_method = 8;

// The lines of a method that make a copy of the model named `plain`, of the reference's own class
// or of another one, with the words for it.
std::string plain_copy(std::string_view own_class = "Model",
                       std::string_view whose = "the reference's class");

// The method with these lines as its body, after that of a class other than the task's Model; ""
// without lines.
std::string prepare_method(const std::string& lines, std::string_view base);

// Something that holds for the whole process: how Python reads it, and how it sets it to `{}`.
struct Switch {
  std::string_view read;
  std::string_view set;
  std::string_view value;
};
// A class that sets them for the time of a call and puts them back; "" without any.
std::string switches_class(const std::vector<Switch>& switches);
// The method that calls under it.
std::string switched_call();

// Parts of a seed's file.
struct SeedFile {
  std::string name;
  std::string label;
  std::string_view task_source;
  std::string imports;
  std::string functions;            // and classes, before ModelNew
  std::string members;              // of ModelNew
  std::string_view base = "Model";  // what ModelNew derives from
};
std::string file_text(const SeedFile& file);

}  // namespace cupel::propose
