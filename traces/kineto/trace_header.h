// Values beside "traceEvents": of the job, the devices and the clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "traces/kineto/trace_parts.h"

namespace quintet::kineto {

bool is_header_value(std::string_view key);

// `where` is the file. What is there but is not what it should be is counted; without a clock's
// zero that can be read there is no trace.
std::optional<Error> take_header_value(TraceParts& parts, const std::string& where,
                                       const std::string& key, std::string_view value);

}  // namespace quintet::kineto
