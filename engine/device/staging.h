// Two pieces of pinned memory that the host fills in turn: while a device reads one, the host
// writes the other.
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

  // The next one, and when it was last read: to be waited for.
  void* memory() const { return halves_[next_].memory; }
  const std::optional<kernels::StreamEvent>& reading() const { return halves_[next_].reading; }
  // A copy from it is on the stream.
  void read_on(const kernels::Stream& stream) {
    Half& half = halves_[next_];
    if (half.reading) events_.give_back(*half.reading);
    half.reading = events_.record(stream);
    next_ = 1 - next_;
  }

 private:
  struct Half {
    void* memory = nullptr;
    std::optional<kernels::StreamEvent> reading;
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
