// What the first use of a communicator moves: memory for what every kind of collective needs least,
// and the stream that it moves on.
#pragma once

#include <cstddef>
#include <span>

#include "engine/nccl/nccl_communicator.h"

namespace quintet::engine {

class NcclCommunicator::Trial {
 public:
  Trial(kernels::Device& device, int world)
      : device_(device),
        bytes_(static_cast<std::size_t>(world) * alignment),
        stream_(device.make_stream()),
        moved_(device.make_event()),
        memory_(device.allocate(bytes_)) {
    if (memory_ != nullptr) device_.zero(memory_, bytes_, stream_);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    device_.destroy(moved_);
    device_.destroy(stream_);
    device_.free(memory_);
  }

  std::span<std::byte> memory(int members) const {
    return {static_cast<std::byte*>(memory_), static_cast<std::size_t>(members) * alignment};
  }
  bool ready() const { return memory_ != nullptr; }
  const kernels::Stream& stream() const { return stream_; }
  void mark() { device_.record(moved_, stream_); }
  bool moved() { return device_.has_happened(moved_); }

 private:
  static constexpr std::size_t alignment = 256;

  kernels::Device& device_;
  std::size_t bytes_;
  kernels::Stream stream_;
  kernels::StreamEvent moved_;
  void* memory_;
};

}  // namespace quintet::engine
