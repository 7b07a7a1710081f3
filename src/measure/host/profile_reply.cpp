#include "measure/host/profile_reply.h"

#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace cupel::measure {
namespace {

constexpr std::size_t k_rows_max = 12;  // python/cupel/profiling.py tells no more
constexpr std::size_t k_name_bytes_max = 160;
constexpr double k_number_max = 1e18;  // more nanoseconds, bytes or operations no call has

void settle(double& number) {
  if (!std::isfinite(number) || std::abs(number) > k_number_max) number = 0;
}

void settle_each(std::initializer_list<double*> numbers) {
  for (double* number : numbers) settle(*number);
}

void settle(ProfiledOperator& row) {
  row.name = plain_text(row.name, k_name_bytes_max);
  settle_each({&row.calls, &row.ns, &row.device_ns, &row.bytes, &row.flops});
}

void settle(ProfiledKernel& row) {
  row.name = plain_text(row.name, k_name_bytes_max);
  settle_each({&row.launches, &row.ns, &row.registers, &row.shared_bytes, &row.spilled_bytes,
               &row.block_threads, &row.blocks, &row.occupancy});
}

template <class Row>
void settle_rows(std::vector<Row>& rows) {
  if (rows.size() > k_rows_max) rows.resize(k_rows_max);
  for (Row& row : rows) settle(row);
}

}  // namespace

Result<Profile> told_profile(const nlohmann::json& reply) {
  const auto found = reply.find("profile");
  if (found == reply.end()) return input_error("the reply holds no profile");
  CUPEL_TRY(Profile told, decode_profile(found->dump()));
  Profile profile;  // who it is of is not for the host to say
  profile.call_ns = told.call_ns;
  profile.cores = told.cores;
  profile.threads = told.threads;
  profile.vector_bits = told.vector_bits;
  profile.copied_bytes_per_s = told.copied_bytes_per_s;
  profile.float32_flops_per_s = told.float32_flops_per_s;
  profile.operators = std::move(told.operators);
  profile.kernels = std::move(told.kernels);
  settle_each({&profile.call_ns, &profile.cores, &profile.copied_bytes_per_s,
               &profile.float32_flops_per_s});
  settle_rows(profile.operators);
  settle_rows(profile.kernels);
  return profile;
}

}  // namespace cupel::measure
