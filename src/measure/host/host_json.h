// The frames between judge and host as JSON (docs/protocol.md), and what a host's replies say.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "measure/host/host_messages.h"
#include "measure/jail/host_settings.h"
#include "model/evidence.h"

namespace cupel::measure {

// What a reply of the kind "failed" tells; throws json::exception where it is malformed.
HostFault fault_of_failure(const nlohmann::json& reply, const std::string& phase);
HostFault protocol_breach(const std::string& phase, const std::string& what);

nlohmann::json load_message(const LoadRequest& request, const HostSettings& settings);
nlohmann::json one_call(const char* op, const CallRequest& request);
nlohmann::json several_calls(const char* op, const CallRequest& request);

// Runs `read`, which takes fields from a reply; a missing or mistyped one is the host's breach.
void read_fields(HostReply& reply, const std::string& phase, const std::function<void()>& read);
// To be run by read_fields(). One result; one for each call of `request`.
ResultForm result_form(const nlohmann::json& message);
// A time that a host tells: no time at all, which no claim may be, where it is no count of
// nanoseconds that a call could take. Throws, as nlohmann::json does, where it is no number.
std::int64_t told_ns(const nlohmann::json& value);
void read_results(const nlohmann::json& message, const CallRequest& request,
                  const std::string& phase, HostReply& reply);
// The reply to a call, with its times.
void read_done(const nlohmann::json& message, HostReply& reply);

// Why a source is not run: its file would be another program to some. Kind none: it is run.
HostFault refusal_of(const std::string& source);

// Of the reply to `state`.
void read_changes(const nlohmann::json& message, HostReply& reply);

}  // namespace cupel::measure
