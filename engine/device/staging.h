// Two pieces of pinned memory in turn: while a device reads or writes one, the host has the other.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/device/event_pool.h"
#include "kernels/device.h"

namespace quintet::engine {

class Staging {
 public:
  explicit Staging(kernels::Device& device) : device_(device), events_(device) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() { drop(); }

  // Whether both have room for so many bytes. What is read must have been, where they have not and
  // grow.
  bool holds(std::size_t bytes) const { return bytes <= bytes_; }
  void grow(std::size_t bytes) {
    drop();
    bytes_ = 0;
    for (Half& half : halves_) {
      half.memory = device_.allocate_pinned(bytes);
      if (half.memory == nullptr)
        throw std::runtime_error("the host has no " + std::to_string(bytes) +
                                 " bytes of pinned memory left for a step's input");
    }
    bytes_ = bytes;
  }

  // The next one, and when the device was done with it: to be waited for.
  void* memory() const { return halves_[next_].memory; }
  const std::optional<kernels::StreamEvent>& in_use() const { return halves_[next_].in_use; }
  // A copy from or to it is on the stream. When that is over.
  kernels::StreamEvent used_on(const kernels::Stream& stream) {
    Half& half = halves_[next_];
    if (half.in_use) events_.give_back(*half.in_use);
    half.in_use = events_.record(stream);
    next_ = 1 - next_;
    return *half.in_use;
  }

 private:
  struct Half {
    void* memory = nullptr;
    std::optional<kernels::StreamEvent> in_use;
  };

  void drop() {
    for (Half& half : halves_)
      if (void* const memory = std::exchange(half.memory, nullptr)) device_.free_pinned(memory);
  }

  kernels::Device& device_;
  EventPool events_;
  std::size_t bytes_ = 0, next_ = 0;
  std::array<Half, 2> halves_;
};

}  // namespace quintet::engine
