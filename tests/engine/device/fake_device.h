// A device whose memory is the host's and whose streams run as late and in as strange an order as
// the rules of kernels/device.h allow: work is queued, and is done only when somebody waits, one
// piece at a time from a stream picked at random among those that no event holds up. What reads
// before it was written, reuses memory too early or forgets an event gives wrong numbers, as on a
// GPU, but here by a seed. Several threads may use one, but a capture is everybody's.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/device.h"
#include "tests/engine/device/fake_recorder.h"

namespace quintet::engine {

struct FakeDeviceOptions {
  std::uint64_t seed = 1;
  std::size_t memory_bytes = std::size_t{1} << 30;
  FakeRecorder* recorder = nullptr;  // null: nobody looks
};

// Computes with the reference kernels. Memory is poisoned when it is given out and again when it
// comes back.
std::unique_ptr<kernels::Device> fake_device(const FakeDeviceOptions& options = {});

}  // namespace quintet::engine
