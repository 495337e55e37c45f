// Until when what was queued on a stream of a stand-in for a GPU takes: on a clock that all
// processes of a machine share.
#pragma once

#include <chrono>
#include <cstdint>

namespace quintet::calibrate {

struct ScheduledStream {
  std::int64_t free_at = 0;
};

inline std::int64_t now() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace quintet::calibrate
