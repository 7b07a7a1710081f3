// Reads Python source as text, without a Python: where strings and comments lie, what stands at
// the top level, which names are bound. Linear in the text's length; any bytes are taken.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cupel::propose {

// A string literal: [begin, end) is its content, quotes excluded.
struct PythonString {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool triple = false;
  bool raw = false;
};

struct PythonText {
  std::string code;  // as long as the source; the insides of strings, and comments, are blanks
  std::vector<PythonString> strings;
  std::string open;         // what is still open at the end: "a string", "'('"; empty: nothing
  std::size_t open_at = 0;  // where it was opened
};
PythonText scan_python(std::string_view source);

// A statement at the top level with everything that belongs to it: decorators before a class or
// function, its body, else and except branches, comments that follow. Offsets into the source.
struct Statement {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t head = 0;  // begin, or past the decorators
};
std::vector<Statement> top_level(const PythonText& text);

// "class NAME(BASES):" at the top level; bases without blanks.
struct ClassHead {
  std::string name;
  std::string bases;
  std::size_t at = 0;
  std::size_t end = 0;  // of its body
};
std::vector<ClassHead> top_level_classes(const PythonText& text);

// Whether the code binds the name anywhere: by import, assignment, def, class, for, with, or as a
// parameter. Errs on the side of yes.
bool binds(const PythonText& text, std::string_view name);

// Names bound at the top level by assignment, def, class or import.
std::vector<std::string> top_level_names(const PythonText& text);

// The module's docstring: the string that its first statement consists of; empty if there is none.
std::string docstring_of(const std::string& source);

// The word that begins at `at`; empty where none does.
std::string_view word_at(std::string_view text, std::size_t at);
std::size_t skip_blanks(std::string_view text, std::size_t at);  // spaces and tabs
std::string_view trimmed(std::string_view text);
// Lines without their line ends. An empty text has none.
std::vector<std::string_view> lines_of(std::string_view text);
// Counted from 1.
int line_number(std::string_view text, std::size_t at);

}  // namespace cupel::propose
