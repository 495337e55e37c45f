// The way of long values from the host to where kernels read them, slice by slice: on a device
// through two pieces of pinned memory in turn, so that the host makes a slice while the one before
// it is copied; on the processor itself there is no way to go.
#pragma once

#include <optional>
#include <span>

#include "engine/device/buffer.h"
#include "engine/device/staging.h"
#include "engine/device/workplace.h"

namespace quintet::engine {

class SliceWay {
 public:
  // Slices of so many floats at most. The place must outlive it.
  SliceWay(Workplace& place, Index longest);
  // Waits until what is on its way has arrived.
  ~SliceWay();
  SliceWay(const SliceWay&) = delete;
  SliceWay& operator=(const SliceWay&) = delete;

  // Where the host puts the next slice. Waits for the slice before the last one.
  std::span<float> room(Index count);
  // That slice where kernels find it, for work that is queued on the lane before the next is sent.
  Buffer& sent();

 private:
  Workplace& place_;
  std::optional<Staging> staging_;
  Buffer values_;
  Index count_ = 0;  // of the slice that has room now
};

}  // namespace quintet::engine
