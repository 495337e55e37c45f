// A device's memory, streams and events for as long as they are needed.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/device.h"
#include "sim/base/units.h"

namespace quintet::calibrate {

enum class MemoryKind { device, pinned, pageable };

// Pageable memory is written once, so that it is there. Null where a device has not that much.
class HeldMemory {
 public:
  HeldMemory(kernels::Device& device, MemoryKind kind, std::size_t bytes)
      : device_(device), kind_(kind) {
    if (kind == MemoryKind::pageable) pageable_.assign(bytes, std::byte{1});
    at_ = kind == MemoryKind::device   ? device.allocate(bytes)
          : kind == MemoryKind::pinned ? device.allocate_pinned(bytes)
                                       : pageable_.data();
  }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory() {
    if (at_ != nullptr && kind_ == MemoryKind::device) device_.free(at_);
    if (at_ != nullptr && kind_ == MemoryKind::pinned) device_.free_pinned(at_);
  }
  void* at() const { return at_; }

 private:
  kernels::Device& device_;
  MemoryKind kind_;
  std::vector<std::byte> pageable_;
  void* at_ = nullptr;
};

class HeldStream {
 public:
  explicit HeldStream(kernels::Device& device) : device_(device), stream_(device.make_stream()) {}
  HeldStream(const HeldStream&) = delete;
  HeldStream& operator=(const HeldStream&) = delete;
  ~HeldStream() { device_.destroy(stream_); }
  kernels::Stream& operator*() { return stream_; }

 private:
  kernels::Device& device_;
  kernels::Stream stream_;
};

class HeldEvent {
 public:
  explicit HeldEvent(kernels::Device& device)
      : device_(device), event_(device.make_event(kernels::EventTimes::kept)) {}
  HeldEvent(const HeldEvent&) = delete;
  HeldEvent& operator=(const HeldEvent&) = delete;
  ~HeldEvent() { device_.destroy(event_); }
  kernels::StreamEvent operator*() const { return event_; }

 private:
  kernels::Device& device_;
  kernels::StreamEvent event_;
};

// The host's own time of `work`.
template <class Work>
Seconds host_time(Work&& work) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::forward<Work>(work)();
  return Seconds{std::chrono::duration<double>(Clock::now() - begin).count()};
}

}  // namespace quintet::calibrate
