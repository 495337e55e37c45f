// What queued steps leave for the host: copied to pinned memory behind each of them, and read when
// it is there, while the device goes on with the step after.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/device/event_pool.h"
#include "kernels/device.h"

namespace quintet::engine {

struct MemoryPart {
  const void* memory = nullptr;
  std::size_t bytes = 0;
};

class StepEnds {
 public:
  // Steps that were queued and not taken: the device has one more to do while the host reads.
  static constexpr std::size_t most = 2;

  explicit StepEnds(kernels::Device& device) : device_(device), events_(device) {}
  StepEnds(const StepEnds&) = delete;
  StepEnds& operator=(const StepEnds&) = delete;
  ~StepEnds() {
    for (Slot& slot : slots_)
      if (slot.memory != nullptr) device_.free_pinned(slot.memory);
  }

  std::size_t waiting() const { return waiting_; }
  // The step's work is on the stream. Takes pinned memory where a step leaves more than any before.
  void add(std::span<const MemoryPart> parts, const kernels::Stream& stream) {
    Slot& slot = slots_[(first_ + waiting_) % most];
    slot.used = 0;
    for (const MemoryPart& part : parts) slot.used += part.bytes;
    make_room(slot.used);
    std::size_t place = 0;
    for (const MemoryPart& part : parts) {
      if (part.bytes > 0) device_.copy(slot.memory + place, part.memory, part.bytes, stream);
      place += part.bytes;
    }
    slot.end = events_.record(stream);
    ++waiting_;
  }
  // The oldest step's event: it happens when all of it is here.
  kernels::StreamEvent end() const { return slots_[first_].end; }
  // Its parts, one after the other, once that has happened.
  std::vector<std::byte> take() {
    const Slot& slot = slots_[first_];
    events_.give_back(slot.end);
    first_ = (first_ + 1) % most;
    --waiting_;
    return {slot.memory, slot.memory + slot.used};
  }

 private:
  struct Slot {
    std::byte* memory = nullptr;
    std::size_t bytes = 0, used = 0;
    kernels::StreamEvent end{};
  };

  // Makes all that nobody waits for, so that the second step asks the device for nothing any more.
  void make_room(std::size_t bytes) {
    for (std::size_t next = waiting_; next < most; ++next) {
      Slot& slot = slots_[(first_ + next) % most];
      if (slot.memory != nullptr && slot.bytes >= bytes) continue;
      if (void* const old = std::exchange(slot.memory, nullptr)) device_.free_pinned(old);
      slot.memory = static_cast<std::byte*>(device_.allocate_pinned(bytes));
      if (slot.memory == nullptr)
        throw std::runtime_error("the host has no " + std::to_string(bytes) +
                                 " bytes of pinned memory left for what a step reports");
      slot.bytes = bytes;
    }
  }

  kernels::Device& device_;
  EventPool events_;
  std::array<Slot, most> slots_;
  std::size_t first_ = 0, waiting_ = 0;
};

}  // namespace quintet::engine
