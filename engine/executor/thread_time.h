// Processor time of the calling thread.
#pragma once

#include <time.h>

#include <cstdint>

#include "sim/base/units.h"

namespace quintet::engine {

// Since the calling thread began, as far as it ran.
inline Duration thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return {(std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec) * 1000};
}

}  // namespace quintet::engine
