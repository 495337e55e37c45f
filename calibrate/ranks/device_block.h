// Memory of a device, given back at the end.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "kernels/device.h"

namespace quintet::calibrate {

class DeviceBlock {
 public:
  // The device must outlive it. Throws std::bad_alloc where there is not that much left.
  DeviceBlock(kernels::Device& device, std::size_t bytes)
      : device_(&device), memory_(device.allocate(bytes)), bytes_(bytes) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  DeviceBlock(DeviceBlock&& other) noexcept
      : device_(other.device_),
        memory_(std::exchange(other.memory_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBlock& operator=(DeviceBlock&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBlock() {
    if (memory_ != nullptr) device_->free(memory_);
  }

  void* at(std::size_t byte = 0) const { return static_cast<std::byte*>(memory_) + byte; }
  std::size_t bytes() const { return bytes_; }
  std::span<std::byte> first(std::size_t bytes) const {
    return std::span(static_cast<std::byte*>(memory_), bytes_).first(bytes);
  }

 private:
  kernels::Device* device_;
  void* memory_;
  std::size_t bytes_;
};

}  // namespace quintet::calibrate
