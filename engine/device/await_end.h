// Waits for what is on a stream now, but not for ever.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "engine/device/event_pool.h"

namespace quintet::engine {

// Looks all the time, so it is for ends: of a measurement, of a job. Throws std::runtime_error
// where the device, asked for `what`, has not come there within that time.
inline void await_end(kernels::Device& device, const kernels::Stream& stream,
                      std::chrono::milliseconds within, const std::string& what) {
  EventPool events(device);
  const kernels::StreamEvent reached = events.record(stream);
  const auto start = std::chrono::steady_clock::now();
  while (!device.has_happened(reached)) {
    if (std::chrono::steady_clock::now() - start > within)
      throw std::runtime_error(
          fmt::format("has not done within {} ms what was queued: {}", within.count(), what));
    std::this_thread::yield();
  }
}

}  // namespace quintet::engine
