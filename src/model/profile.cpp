#include "model/profile.h"

#include "model/codec.h"

namespace cupel {

CUPEL_JSON_STRUCT(ProfiledOperator, name, calls, ns, device_ns, bytes, flops)
CUPEL_JSON_STRUCT(ProfiledKernel, name, launches, ns, registers, shared_bytes, spilled_bytes,
                  block_threads, blocks, occupancy)
CUPEL_JSON_STRUCT(Profile, candidate_id, label, claimed, device, problem, seconds, call_ns, cores,
                  threads, vector_bits, operators, kernels, copied_bytes_per_s, float32_flops_per_s)

std::string encode(const Profile& profile) {
  return encode_value(profile);
}

Result<Profile> decode_profile(std::string_view json) {
  return decode_value<Profile>(json, "profile");
}

}  // namespace cupel
