// Numbers that go to a device and come back through pinned memory, late and in order of a stream,
// as a rank's own work does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/device.h"

namespace quintet::engine {

using Bytes8 = std::vector<std::byte>;

inline Bytes8 bytes_of(const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// A buffer of a device with a pinned way in and a pinned way out.
class DeviceMemory {
 public:
  DeviceMemory(kernels::Device& device, std::size_t size)
      : device_(device),
        size_(size),
        memory_(device.allocate(size)),
        in_(device.allocate_pinned(size)),
        out_(device.allocate_pinned(size)) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() {
    device_.free(memory_);
    device_.free_pinned(in_);
    device_.free_pinned(out_);
  }

  std::span<std::byte> span() const { return {static_cast<std::byte*>(memory_), size_}; }

  // Queued: the device has it when the stream comes there.
  void fill(const Bytes8& values, const kernels::Stream& stream) {
    std::copy(values.begin(), values.end(), static_cast<std::byte*>(in_));
    device_.copy(memory_, in_, size_, stream);
  }
  // Queued too, and the buffer is zero afterwards: whoever still reads it is late.
  void read_and_clear(const kernels::Stream& stream) {
    device_.copy(out_, memory_, size_, stream);
    device_.zero(memory_, size_, stream);
  }
  // What was read, once the stream was waited for.
  Bytes8 read() const {
    const auto* const first = static_cast<const std::byte*>(out_);
    return {first, first + size_};
  }

 private:
  kernels::Device& device_;
  std::size_t size_;
  void* memory_;
  void* in_;
  void* out_;
};

}  // namespace quintet::engine
