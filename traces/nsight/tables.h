// An export's tables, one reader each: they fill the processes' traces. Order matters where it is
// said.
#pragma once

#include <optional>

#include "traces/nsight/processes.h"

namespace quintet::nsight {

// Of tables that may say who the rows of old versions belong to.
std::optional<Error> read_only_process(const Database& database, Processes& processes);
std::optional<Error> read_thread_names(const Database& database, Processes& processes);
// Kernels, copies, fills and graphs.
std::optional<Error> read_streams(const Database& database, Processes& processes);
// Waits and what they wait for, before the calls.
std::optional<Error> read_waits(const Database& database, Processes& processes);
// Calls of the runtime and the driver, after the streams.
std::optional<Error> read_calls(const Database& database, Processes& processes);
std::optional<Error> read_nvtx(const Database& database, Processes& processes);
// Devices, hosts, when the session began, ranks of MPI: after all others.
std::optional<Error> read_targets(const Database& database, Processes& processes);

}  // namespace quintet::nsight
