// Outcomes are values: every operation that can fail for a reason outside the
// program returns Result<T>. Broken invariants abort (see CUPEL_CHECK).
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace cupel {

// Whose problem an error is, and therefore what the caller should do about it.
enum class ErrorTag {
  input,        // what the user gave us is wrong: say what, where, how to mend it
  environment,  // this machine lacks something: say what to install or change
  infra,        // our own processes failed in a way that a retry may mend
  bug,          // we broke a promise of our own
};

std::string_view to_string(ErrorTag tag);

// An operating error. `what` is one sentence; `where` names a file, a line or an
// operation; `hint` says what to do next. `where` and `hint` may be empty.
struct Error {
  ErrorTag tag = ErrorTag::bug;
  std::string what;
  std::string where;
  std::string hint;

  // One line for a terminal: "WHERE: WHAT (HINT)".
  std::string describe() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}
tl::unexpected<Error> input_error(std::string what, std::string where = "", std::string hint = "");
tl::unexpected<Error> environment_error(std::string what, std::string where = "",
                                        std::string hint = "");
tl::unexpected<Error> infra_error(std::string what, std::string where = "", std::string hint = "");
tl::unexpected<Error> bug_error(std::string what, std::string where = "");
// An infra error that carries errno's text: "WHAT: No such file or directory".
tl::unexpected<Error> errno_error(std::string what, std::string where = "");

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace cupel

// Aborts the process when an invariant does not hold. Never for operating errors.
#define CUPEL_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::cupel::check_failed(#condition, __FILE__, __LINE__))

#define CUPEL_CONCAT_INNER(a, b) a##b
#define CUPEL_CONCAT(a, b) CUPEL_CONCAT_INNER(a, b)
// CUPEL_TRY(auto x, expression): returns the error of a failed Result, else binds its value.
#define CUPEL_TRY_INNER(temporary, declaration, expression)              \
  auto temporary = (expression);                                         \
  if (!temporary) return ::tl::unexpected(std::move(temporary).error()); \
  declaration = std::move(*temporary)
#define CUPEL_TRY(declaration, expression) \
  CUPEL_TRY_INNER(CUPEL_CONCAT(cupel_try_, __LINE__), declaration, expression)
// CUPEL_TRY_STATUS(expression): the same for a Status.
#define CUPEL_TRY_STATUS(expression)                            \
  do {                                                          \
    if (auto cupel_status = (expression); !cupel_status)        \
      return ::tl::unexpected(std::move(cupel_status).error()); \
  } while (false)
