// Memory for segments that arrive and are added later; kept for the next collective, since fresh
// pages cost more than the addition.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace quintet::engine {

// Only the progress thread uses it.
class SegmentPool {
 public:
  using Segment = std::unique_ptr<std::byte[]>;
  explicit SegmentPool(std::size_t size) : size_(size) {}

  Segment take() {
    if (unused_.empty()) return std::make_unique_for_overwrite<std::byte[]>(size_);
    Segment segment = std::move(unused_.back());
    unused_.pop_back();
    return segment;
  }
  void give(Segment segment) { unused_.push_back(std::move(segment)); }

 private:
  std::size_t size_;
  std::vector<Segment> unused_;
};

}  // namespace quintet::engine
