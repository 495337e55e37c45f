#include "tests/gpu/benchmark/timing.h"

#include <algorithm>
#include <stdexcept>

namespace quintet::gpu_tests {

namespace {

using namespace kernels;

// Two per run; all are queued before the host waits, so that the GPU never waits for the host.
class Events {
 public:
  Events(Device& device, int count) : device_(device) {
    for (int i = 0; i < count; ++i) all_.push_back(device.make_event(EventTimes::kept));
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    for (const StreamEvent event : all_) device_.destroy(event);
  }

  StreamEvent operator[](int number) const { return all_[static_cast<std::size_t>(number)]; }

 private:
  Device& device_;
  std::vector<StreamEvent> all_;
};

}  // namespace

double Timing::median() const {
  const std::size_t middle = seconds.size() / 2;
  return seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
}

Timer::Timer(Device& device)
    : device_(device),
      stream_(device.make_stream()),
      cache_filler_(device.allocate(cache_filler_bytes)) {
  if (cache_filler_ == nullptr)
    throw std::runtime_error("the GPU has not even 256 MiB of free memory");
}

Timer::~Timer() {
  device_.free(cache_filler_);
  device_.destroy(stream_);
}

Timing Timer::time(const std::function<void(Stream&)>& work) {
  for (int run = 0; run < warm_up_runs; ++run) work(stream_);
  device_.synchronise(stream_);
  const Events events(device_, 2 * timed_runs);
  for (int run = 0; run < timed_runs; ++run) {
    device_.zero(cache_filler_, cache_filler_bytes, stream_);
    device_.record(events[2 * run], stream_);
    work(stream_);
    device_.record(events[2 * run + 1], stream_);
  }
  device_.synchronise(stream_);
  Timing timing;
  for (int run = 0; run < timed_runs; ++run)
    timing.seconds.push_back(device_.seconds_between(events[2 * run], events[2 * run + 1]));
  std::sort(timing.seconds.begin(), timing.seconds.end());
  return timing;
}

}  // namespace quintet::gpu_tests
