// Processor time of the calling thread, and of its process.
#pragma once

#include <time.h>

#include <cstdint>

#include "sim/base/units.h"

namespace quintet::engine {

inline Duration processor_time(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return {(std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec) * 1000};
}

// Since the calling thread began, as far as it ran.
inline Duration thread_time() {
  return processor_time(CLOCK_THREAD_CPUTIME_ID);
}

// Since the process began, of all its threads.
inline Duration process_time() {
  return processor_time(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace quintet::engine
