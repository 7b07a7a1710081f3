#include "ship/machine.h"

namespace cupel::ship {
namespace {

std::string fact(const std::map<std::string, std::string>& facts, const char* name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

std::string short_version(const std::string& version) {
  const std::size_t dot = version.find('.');
  return dot == std::string::npos ? version : version.substr(0, version.find('.', dot + 1));
}

}  // namespace

Machine machine_of(const std::map<std::string, std::string>& facts, bool gpu) {
  return {fact(facts, gpu ? "gpu" : "cpu"), short_version(fact(facts, "torch"))};
}

}  // namespace cupel::ship
