#include "model/kernel_body.h"

#include "model/names.h"

namespace cupel {
namespace {

constexpr NameTable<KernelBody, 3> k_bodies{
    {{KernelBody::own, "own"}, {KernelBody::returns, "returns"}, {KernelBody::traps, "traps"}}};

}  // namespace

std::string_view to_string(KernelBody body) {
  return name_of(k_bodies, body);
}

}  // namespace cupel
