// What tools call collectives.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calibrate/fit/measurements.h"
#include "sim/plan/ccl.h"

namespace quintet::calibrate {

// "all_reduce", "AllReduce", "alltoall", "sendrecv", "send_recv", ...: case, "_" and "-" do not
// count.
std::optional<Swept> swept_named(std::string_view word);
std::string_view name_of(Swept kind);

// As NCCL and its tools call them, in any case: "Ring", "NVLS_TREE", "LL128".
std::optional<Algorithm> algorithm_named(std::string_view word);
std::optional<Protocol> protocol_named(std::string_view word);

// The words accepted, for messages.
std::string swept_words();
// The one that a word like "all_reduce_perf" in the text stands for.
std::optional<Swept> swept_in(std::string_view text);

}  // namespace quintet::calibrate
