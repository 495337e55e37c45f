#include "engine/device/pinned_fetch.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace quintet::engine {

// Its copies are asked for by a thread that is late anyway: they go before the work of a step.
PinnedFetch::PinnedFetch(kernels::Device& device, std::size_t piece)
    : device_(device),
      piece_(piece),
      stream_(device.make_stream(kernels::Urgency::urgent)),
      staging_(device) {
  staging_.grow(piece);
}

PinnedFetch::~PinnedFetch() {
  try {
    device_.synchronise(stream_);
    device_.destroy(stream_);
  } catch (const std::runtime_error&) {
  }
}

void PinnedFetch::empty(const Copied& copied) {
  constexpr std::chrono::microseconds nap{50};
  while (!device_.has_happened(copied.over)) std::this_thread::sleep_for(nap);
  std::memcpy(copied.host, copied.pinned, copied.bytes);
}

void PinnedFetch::fetch(std::byte* host, const std::byte* from, std::size_t bytes) {
  device_.enter_thread();
  std::optional<Copied> before;
  for (std::size_t done = 0; done < bytes; done += piece_) {
    Copied copied{host + done, staging_.memory(), std::min(piece_, bytes - done), {}};
    device_.copy(staging_.memory(), from + done, copied.bytes, stream_);
    copied.over = staging_.used_on(stream_);
    if (before) empty(*before);
    before = copied;
  }
  if (before) empty(*before);
}

}  // namespace quintet::engine
