#include "calibrate/device/device_launches.h"

#include <algorithm>

#include "calibrate/device/device_things.h"
#include "sim/base/quantile.h"

namespace quintet::calibrate {
namespace {

// A stream and a kernel for it, each of whose runs needs what the one before it wrote.
class Chain {
 public:
  explicit Chain(kernels::Device& device)
      : device_(device),
        numbers_(device, MemoryKind::device, 2 * sizeof(float)),
        stream_(device),
        kernels_(device.make_kernels()) {
    device.zero(numbers_.at(), 2 * sizeof(float), *stream_);
    queue(1);  // the first finds nothing loaded
    wait();
  }

  void queue(int count) {
    auto* const numbers = static_cast<float*>(numbers_.at());
    for (int kernel = 0; kernel < count; ++kernel)
      kernels_->accumulate({1, numbers + 1, numbers}, *stream_);
  }
  void wait() { device_.synchronise(*stream_); }
  kernels::Stream& stream() { return *stream_; }

 private:
  kernels::Device& device_;
  HeldMemory numbers_;
  HeldStream stream_;
  std::unique_ptr<kernels::Kernels> kernels_;
};

class HeldGraph {
 public:
  HeldGraph(kernels::Device& device, Chain& chain, int count) : device_(device) {
    device.begin_capture(chain.stream());
    chain.queue(count);
    graph_ = device.end_capture(chain.stream());
  }
  HeldGraph(const HeldGraph&) = delete;
  HeldGraph& operator=(const HeldGraph&) = delete;
  ~HeldGraph() { device_.destroy(graph_); }
  kernels::Graph operator*() const { return graph_; }

 private:
  kernels::Device& device_;
  kernels::Graph graph_;
};

Seconds time_to_queue(Chain& chain, const LaunchSweep& sweep) {
  std::vector<Seconds> times;
  for (int repeat = 0; repeat < sweep.repeats; ++repeat) {
    times.push_back(host_time([&] { chain.queue(sweep.kernels); }));
    chain.wait();
  }
  return lower_median(std::move(times)) / static_cast<double>(sweep.kernels);
}

Seconds time_to_launch(kernels::Device& device, Chain& chain, int count, int repeats) {
  const HeldGraph graph(device, chain, count);
  std::vector<Seconds> times;
  for (int repeat = 0; repeat <= repeats; ++repeat) {
    const Seconds time = host_time([&] { device.launch(*graph, chain.stream()); });
    chain.wait();
    if (repeat > 0) times.push_back(time);  // the first brings the graph to the device
  }
  return lower_median(std::move(times));
}

// What a graph takes beside its kernels is the step's own.
Seconds time_per_node(kernels::Device& device, Chain& chain, const LaunchSweep& sweep) {
  const Seconds small = time_to_launch(device, chain, sweep.small_graph, sweep.repeats);
  const Seconds large = time_to_launch(device, chain, sweep.large_graph, sweep.repeats);
  return std::max(Seconds{}, large - small) /
         static_cast<double>(sweep.large_graph - sweep.small_graph);
}

Seconds time_to_hear(kernels::Device& device, Chain& chain, const LaunchSweep& sweep) {
  std::vector<Seconds> times;
  const HeldEvent over(device);
  for (int repeat = 0; repeat < sweep.repeats; ++repeat) {
    chain.queue(1);
    device.record(*over, chain.stream());
    while (!device.has_happened(*over)) {
    }
    times.push_back(host_time([&] { chain.wait(); }));
  }
  return lower_median(std::move(times));
}

}  // namespace

LaunchCosts measured_launches(kernels::Device& device, const LaunchSweep& sweep) {
  Chain chain(device);
  LaunchCosts costs;
  costs.eager = time_to_queue(chain, sweep);
  costs.collective = costs.eager;
  costs.graph = time_per_node(device, chain, sweep);
  costs.synchronise = time_to_hear(device, chain, sweep);
  return costs;
}

std::optional<Seconds> gap_between_kernels(kernels::Device& device,
                                           kernels::ActivityRecorder& recorder,
                                           const LaunchSweep& sweep) {
  Chain chain(device);
  recorder.collect();  // what was before
  chain.queue(sweep.kernels);
  chain.wait();
  kernels::DeviceRecords records = recorder.stop();
  std::vector<kernels::Activity>& kernels = records.activities;
  std::erase_if(kernels, [](const kernels::Activity& each) {
    return each.kind != kernels::ActivityKind::kernel || each.start <= 0;
  });
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& left, const auto& right) { return left.start < right.start; });
  std::vector<Seconds> gaps;
  for (std::size_t next = 1; next < kernels.size(); ++next) {
    const std::int64_t gap = kernels[next].start - kernels[next - 1].end;
    gaps.push_back(Seconds{1e-9 * static_cast<double>(std::max<std::int64_t>(0, gap))});
  }
  if (gaps.empty()) return std::nullopt;
  return lower_median(std::move(gaps));
}

}  // namespace quintet::calibrate
