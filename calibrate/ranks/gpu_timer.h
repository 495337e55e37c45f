// Times of what is queued on a GPU's streams, by the GPU's own clock: between events.
#pragma once

#include <functional>
#include <optional>

#include "calibrate/ranks/device_block.h"
#include "engine/device/event_pool.h"
#include "engine/nccl/nccl_group.h"
#include "kernels/device.h"

namespace quintet::calibrate {

// Used by one thread; device and failures outlive it.
class GpuTimer {
 public:
  // `hold_bytes`: cleared again and again to hold a stream up.
  GpuTimer(kernels::Device& device, const engine::Peers& peers, std::size_t hold_bytes);
  ~GpuTimer();  // waits for the streams, which nothing may hold up any more
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  kernels::Stream& moving() { return moving_; }
  kernels::Stream& computing() { return computing_; }

  kernels::StreamEvent mark(const kernels::Stream& stream) { return events_.record(stream); }
  void give_back(kernels::StreamEvent event) { events_.give_back(event); }
  // Both events must have happened; this gives both back.
  double seconds(kernels::StreamEvent from, kernels::StreamEvent to);

  // Waits, and hears of other ranks and of what went wrong in `group` meanwhile (null: nobody's).
  std::optional<Error> wait(kernels::StreamEvent event, engine::NcclGroup* group);
  std::optional<Error> wait_for_all(const kernels::Stream& stream, engine::NcclGroup* group);

  // Queues work on the moving stream for as long as queueing so many calls will take, as far as the
  // last time foretells.
  void hold(int calls);
  // Queues `count` calls, and remembers how long the host took for one.
  std::optional<Error> queue(int count, const std::function<std::optional<Error>()>& all);
  double queueing() const { return queueing_; }  // seconds of a call

 private:
  void clear(int times);

  kernels::Device& device_;
  const engine::Peers& peers_;
  kernels::Stream moving_, computing_;
  engine::EventPool events_;
  const DeviceBlock held_;
  double held_seconds_ = 0;   // that it takes to clear it; 0: not known yet
  double queueing_ = 300e-6;  // of NCCL 2.28 without blocking, about
};

}  // namespace quintet::calibrate
