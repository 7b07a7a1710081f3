#include "base/result.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cupel {

std::string_view to_string(ErrorTag tag) {
  switch (tag) {
    case ErrorTag::input:
      return "input";
    case ErrorTag::environment:
      return "environment";
    case ErrorTag::infra:
      return "infra";
    case ErrorTag::bug:
      return "bug";
  }
  return "bug";
}

std::string Error::describe() const {
  std::string line = where.empty() ? what : where + ": " + what;
  if (!hint.empty()) line += " (" + hint + ")";
  return line;
}

tl::unexpected<Error> input_error(std::string what, std::string where, std::string hint) {
  return fail({ErrorTag::input, std::move(what), std::move(where), std::move(hint)});
}

tl::unexpected<Error> environment_error(std::string what, std::string where, std::string hint) {
  return fail({ErrorTag::environment, std::move(what), std::move(where), std::move(hint)});
}

tl::unexpected<Error> infra_error(std::string what, std::string where, std::string hint) {
  return fail({ErrorTag::infra, std::move(what), std::move(where), std::move(hint)});
}

tl::unexpected<Error> bug_error(std::string what, std::string where) {
  return fail({ErrorTag::bug, std::move(what), std::move(where), ""});
}

tl::unexpected<Error> errno_error(std::string what, std::string where) {
  return infra_error(std::move(what) + ": " + std::strerror(errno), std::move(where));
}

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "cupel: broken invariant: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace cupel
