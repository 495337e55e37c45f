// A device whose memory is the host's and whose streams run as late and in as strange an order as
// the rules of kernels/device.h allow: work is queued, and is done only when somebody waits, one
// piece at a time from a stream picked at random among those that no event holds up. What reads
// before it was written, reuses memory too early or forgets an event gives wrong numbers, as on a
// GPU, but here by a seed. Several threads may use one, but a capture is everybody's.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/device.h"
#include "tests/stand_ins/fake_recorder.h"

namespace quintet::engine {

// How often kernels were asked for two operators at once, and for attention, of sequences that were
// said to be of one length.
struct CallCounts {
  std::atomic<int> gelu = 0, gelu_backward = 0, bias_gradient = 0;
  std::atomic<int> attention = 0, even_attention = 0;
};

struct FakeDeviceOptions {
  std::uint64_t seed = 1;
  std::size_t memory_bytes = std::size_t{1} << 30;
  int pieces = 64;  // of work, at most, that are done while the host asks for an event
  FakeRecorder* recorder = nullptr;  // null: nobody looks
  CallCounts* counts = nullptr;      // the kernels say that they fuse products, and count here
};

// Computes with the reference kernels. Memory is poisoned when it is given out and again when it
// comes back.
std::unique_ptr<kernels::Device> fake_device(const FakeDeviceOptions& options = {});

// Of such a device, for work that waits for others, as a kernel of NCCL does: `run` when the stream
// comes to it, and what is behind it when `over` says so.
void queue_meeting(kernels::Device& fake, const kernels::Stream& stream, std::function<void()> run,
                   std::function<bool()> over);

}  // namespace quintet::engine
