// Times messages among GPUs of this host, a process for each.
#pragma once

#include <optional>
#include <string>

#include "calibrate/messages/message_job.h"

namespace quintet::calibrate {

// Each rank a process of `program`; what they measure is in the request's journal then.
std::optional<Error> measure_on_gpus(int ranks, const MessageRequest& request,
                                     const std::string& program);

}  // namespace quintet::calibrate
