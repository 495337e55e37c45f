// Events of a device, made once and used again and again; and what they are for, order between two
// streams.
#pragma once

#include <vector>

#include "kernels/device.h"

namespace quintet::engine {

// Used by one thread at a time; the device outlives it.
class EventPool {
 public:
  explicit EventPool(kernels::Device& device, kernels::EventTimes times = kernels::EventTimes::none)
      : device_(device), times_(times) {}
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  ~EventPool() {
    for (const kernels::StreamEvent event : made_) device_.destroy(event);
  }

  // At the end of what is on the stream now.
  kernels::StreamEvent record(const kernels::Stream& stream) {
    if (free_.empty()) {
      made_.push_back(device_.make_event(times_));
      free_.push_back(made_.back());
    }
    const kernels::StreamEvent event = free_.back();
    free_.pop_back();
    device_.record(event, stream);
    return event;
  }

  // Streams that were told to wait for the event keep waiting for that record of it.
  void give_back(kernels::StreamEvent event) { free_.push_back(event); }

  // What is put on `later` from here on begins after what is on `earlier` now.
  void order(const kernels::Stream& earlier, const kernels::Stream& later) {
    const kernels::StreamEvent event = record(earlier);
    device_.wait(later, event);
    give_back(event);
  }

 private:
  kernels::Device& device_;
  kernels::EventTimes times_;
  std::vector<kernels::StreamEvent> made_, free_;
};

}  // namespace quintet::engine
