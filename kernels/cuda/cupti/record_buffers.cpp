#include "kernels/cuda/cupti/record_buffers.h"

#include <cassert>
#include <cstring>
#include <utility>

namespace quintet::kernels::cuda {

RecordBuffers::RecordBuffers(const BufferCount& count)
    : count_(count), memory_(std::make_unique<std::uint64_t[]>(count.buffers * count.bytes / 8)) {
  assert(count.bytes % 8 == 0);
  auto* const first = reinterpret_cast<std::uint8_t*>(memory_.get());
  for (std::size_t number = count.buffers; number-- > 0;)
    free_.push_back(first + number * count.bytes);
}

std::uint8_t* RecordBuffers::take() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) return nullptr;
  std::uint8_t* const taken = free_.back();
  free_.pop_back();
  ++outside_;
  return taken;
}

void RecordBuffers::bring_back(const FullBuffer& buffer) {
  const std::scoped_lock lock(mutex_);
  --outside_;
  full_.push_back(buffer);
}

std::vector<FullBuffer> RecordBuffers::full() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(full_, {});
}

void RecordBuffers::reuse(const FullBuffer& buffer) {
  std::memset(buffer.memory, 0, buffer.valid);
  const std::scoped_lock lock(mutex_);
  free_.push_back(buffer.memory);
}

std::size_t RecordBuffers::outside() const {
  const std::scoped_lock lock(mutex_);
  return outside_;
}

}  // namespace quintet::kernels::cuda
