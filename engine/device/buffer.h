// Elements of one type that a rank owns: in the host's memory, on cache lines of their own and zero
// at first, or in blocks of it where anything lies (host_memory.h); or in a device's, where at
// first anything lies and whoever asks for an address is taken to use it next (arena.h).
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "engine/device/arena.h"
#include "engine/device/host_memory.h"
#include "kernels/types.h"
#include "sim/base/data_type.h"

namespace quintet::engine {

using kernels::Index;

inline kernels::ElementType kernel_type(DataType type) {
  assert(type == DataType::fp32 || type == DataType::bf16);
  return type == DataType::bf16 ? kernels::ElementType::bf16 : kernels::ElementType::fp32;
}

class Buffer {
 public:
  Buffer() = default;
  Buffer(Index count, DataType type)
      : count_(count),
        type_(type),
        size_(static_cast<std::size_t>(size_of(type).value)),
        lines_((static_cast<std::size_t>(count) * size_ + sizeof(Line) - 1) / sizeof(Line)) {}
  Buffer(Arena& arena, Index count, DataType type)
      : count_(count), type_(type), size_(static_cast<std::size_t>(size_of(type).value)) {
    if (count > 0) loan_ = Loan(arena, static_cast<std::size_t>(count) * size_);
  }
  Buffer(HostMemory& memory, Index count, DataType type)
      : count_(count), type_(type), size_(static_cast<std::size_t>(size_of(type).value)) {
    if (count > 0) block_ = HostLoan(memory, static_cast<std::size_t>(count) * size_);
  }
  // Memory that outlives it and that nobody else is given.
  Buffer(std::byte* memory, Index count, DataType type)
      : count_(count),
        type_(type),
        size_(static_cast<std::size_t>(size_of(type).value)),
        fixed_(memory) {}
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer taken(std::move(other));
    swap(taken);
    return *this;
  }

  // Elements of another buffer, which stays where it is for as long.
  static Buffer part_of(Buffer& whole, Index first, Index count) {
    assert(first >= 0 && first + count <= whole.count_);
    Buffer part;
    part.count_ = count;
    part.type_ = whole.type_;
    part.size_ = whole.size_;
    part.whole_ = &whole;
    part.first_ = first;
    return part;
  }

  bool empty() const { return count_ == 0; }
  Index count() const { return count_; }
  DataType type() const { return type_; }

  kernels::Tensor at(Index element = 0) { return {address(element), kernel_type(type_)}; }
  kernels::ConstTensor at(Index element = 0) const {
    return {address(element), kernel_type(type_)};
  }
  float* floats(Index element = 0) {
    assert(type_ == DataType::fp32);
    return reinterpret_cast<float*>(address(element));
  }
  const float* floats(Index element = 0) const {
    assert(type_ == DataType::fp32);
    return reinterpret_cast<const float*>(address(element));
  }
  // Sums that are kept in double have the room of two elements each.
  double* doubles() {
    assert(type_ == DataType::fp32);
    return reinterpret_cast<double*>(address(0));
  }
  std::span<std::byte> bytes() { return {address(0), static_cast<std::size_t>(count_) * size_}; }
  std::span<const std::byte> bytes() const {
    return {address(0), static_cast<std::size_t>(count_) * size_};
  }
  std::span<std::byte> bytes(Index first, Index count) {
    return bytes().subspan(static_cast<std::size_t>(first) * size_,
                           static_cast<std::size_t>(count) * size_);
  }
  std::span<const std::byte> bytes(Index first, Index count) const {
    return bytes().subspan(static_cast<std::size_t>(first) * size_,
                           static_cast<std::size_t>(count) * size_);
  }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };

  std::byte* address(Index element) {
    if (whole_ != nullptr) return whole_->address(first_ + element);
    const auto offset = static_cast<std::size_t>(element) * size_;
    if (fixed_ != nullptr) return fixed_ + offset;
    if (block_) return block_.memory() + offset;
    return (loan_ ? loan_.memory() : reinterpret_cast<std::byte*>(lines_.data())) + offset;
  }
  const std::byte* address(Index element) const {
    if (whole_ != nullptr) return std::as_const(*whole_).address(first_ + element);
    const auto offset = static_cast<std::size_t>(element) * size_;
    if (fixed_ != nullptr) return fixed_ + offset;
    if (block_) return block_.memory() + offset;
    return (loan_ ? loan_.memory() : reinterpret_cast<const std::byte*>(lines_.data())) + offset;
  }
  void swap(Buffer& other) noexcept {
    std::swap(count_, other.count_);
    std::swap(type_, other.type_);
    std::swap(size_, other.size_);
    lines_.swap(other.lines_);
    loan_.swap(other.loan_);
    std::swap(whole_, other.whole_);
    std::swap(first_, other.first_);
    block_.swap(other.block_);
    std::swap(fixed_, other.fixed_);
  }

  Index count_ = 0;
  DataType type_ = DataType::fp32;
  std::size_t size_ = 4;
  std::vector<Line> lines_;
  Loan loan_;
  Buffer* whole_ = nullptr;  // a part of
  Index first_ = 0;
  HostLoan block_;
  std::byte* fixed_ = nullptr;
};

}  // namespace quintet::engine
