// The way of long memory from a device to the host beside all that the device does: on a stream of
// its own, through two pieces of pinned memory in turn, so that one is filled while the other is
// emptied.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/device/staging.h"
#include "kernels/device.h"

namespace quintet::engine {

class PinnedFetch {
 public:
  // Takes all it needs of the device at once; pieces of so many bytes.
  PinnedFetch(kernels::Device& device, std::size_t piece);
  ~PinnedFetch();
  PinnedFetch(const PinnedFetch&) = delete;
  PinnedFetch& operator=(const PinnedFetch&) = delete;

  // Returns when all of it has come. What lies at `from` was written before, and nobody writes it
  // until then. By one thread at a time, of which it need not be the one that uses the device
  // otherwise.
  void fetch(std::byte* host, const std::byte* from, std::size_t bytes);

 private:
  struct Copied {
    std::byte* host = nullptr;
    const void* pinned = nullptr;
    std::size_t bytes = 0;
    kernels::StreamEvent over;
  };
  void empty(const Copied& copied);

  kernels::Device& device_;
  std::size_t piece_;
  kernels::Stream stream_;
  Staging staging_;
};

}  // namespace quintet::engine
