// A device whose memory is the host's and whose streams run as late and in as strange an order as
// the rules of kernels/device.h allow: work is queued, and is done only when somebody waits, one
// piece at a time from a stream picked at random among those that no event holds up. What reads
// before it was written, reuses memory too early or forgets an event gives wrong numbers, as on a
// GPU, but here by a seed. Several threads may use one, but a capture is everybody's.
//
// As CUDA does, it waits for all streams where memory is taken or given back, and where a kernel,
// or a product of a new size, is asked for the first time; what waits longer than `patience`
// throws, so that a deadlock is a failed test and no hang.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device.h"
#include "tests/stand_ins/fake_recorder.h"

namespace quintet::engine {

// How often kernels were asked for two operators at once, and for attention, of sequences that were
// said to be of one length.
struct CallCounts {
  std::atomic<int> gelu = 0, gelu_backward = 0, bias_gradient = 0;
  std::atomic<int> attention = 0, even_attention = 0;
  std::atomic<int> urgent_streams = 0;
  std::atomic<int> kernels = 0;   // that were asked for, to be kept ones among them
  std::atomic<int> launches = 0;  // of graphs
};

// Why the whole device was waited for.
class Stops {
 public:
  void add(const std::string& why) {
    const std::scoped_lock lock(mutex_);
    all_.push_back(why);
  }
  std::vector<std::string> taken() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(all_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> all_;
};

struct FakeDeviceOptions {
  std::uint64_t seed = 1;
  std::size_t memory_bytes = std::size_t{1} << 30;
  std::size_t pinned_bytes = std::size_t{1} << 30;
  int pieces = 64;  // of work, at most, that are done while the host asks for an event
  FakeRecorder* recorder = nullptr;  // null: nobody looks
  CallCounts* counts = nullptr;      // the kernels say that they fuse products, and count here
  int connections = 32;              // CUDA_DEVICE_MAX_CONNECTIONS
  std::chrono::milliseconds patience{60000};
  Stops* stops = nullptr;
};

// Computes with the reference kernels. Memory is poisoned when it is given out and again when it
// comes back.
std::unique_ptr<kernels::Device> fake_device(const FakeDeviceOptions& options = {});

// For such a device: work that waits for others, as a kernel of NCCL does: `run` when the stream
// comes to it, and what is behind it when `over` says so.
void queue_meeting(kernels::Device& fake, const kernels::Stream& stream, std::function<void()> run,
                   std::function<bool()> over);

// Whether what comes next on the stream belongs to a graph that is captured: then that calls
// `at_end` when it is destroyed.
bool kept_in_graph(kernels::Device& fake, const kernels::Stream& stream,
                   std::function<void()> at_end);

}  // namespace quintet::engine
