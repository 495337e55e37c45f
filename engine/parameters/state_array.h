// A number for each element that a rank keeps, such as a moment: on the device, or the first so
// many of them in the host's memory, from which they come for the update and go back, piece by
// piece (sim/parallelism/state_stream.h). On a rank without a device both are the same memory, and
// the copies are made all the same.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/device/workplace.h"
#include "engine/parameters/flat_units.h"

namespace quintet::engine {

// What of a rank's own elements is streamed. A piece is a whole number of cache lines of any type.
class StateCut {
 public:
  StateCut() = default;
  StateCut(Index count, double share, int pieces) : pieces_(pieces) {
    if (pieces == 0) return;
    streamed_ = std::llround(share * static_cast<double>(count));
    piece_ = ((streamed_ + pieces - 1) / pieces + aligned - 1) / aligned * aligned;
  }

  Index streamed() const { return streamed_; }  // the first so many
  Index piece() const { return piece_; }
  int slots() const { return std::min(pieces_, 2); }
  FlatRange range(int piece) const {
    return {std::min(piece * piece_, streamed_), std::min((piece + 1) * piece_, streamed_)};
  }

 private:
  static constexpr Index aligned = 32;
  Index streamed_ = 0, piece_ = 0;
  int pieces_ = 0;
};

class StateArray {
 public:
  StateArray() = default;
  // All zero.
  StateArray(Workplace& place, Index count, DataType type, const StateCut& cut)
      : cut_(cut),
        resident_(place.zeroed(count - cut.streamed(), type)),
        host_(place.zeroed_on_host(cut.streamed(), type)) {
    for (int slot = 0; slot < cut.slots(); ++slot)
      slots_[static_cast<std::size_t>(slot)] = place.make(cut.piece(), type);
  }

  bool empty() const { return resident_.empty() && host_.empty(); }
  // Where an element lies from step to step; its neighbours follow up to the end of what is
  // streamed, or of all.
  kernels::Tensor home(Index element) {
    return element < cut_.streamed() ? host_.at(element) : resident_.at(element - cut_.streamed());
  }
  // Where the update finds it while its piece is there.
  kernels::Tensor working(Index element) {
    if (element >= cut_.streamed()) return resident_.at(element - cut_.streamed());
    return slot(element / cut_.piece()).at(element % cut_.piece());
  }
  // What is streamed is on none of the device's lanes when this is asked for.
  void set_zero(Workplace& place) {
    place.zero(resident_);
    place.zero_on_host(host_);
  }
  // On the lane.
  void fetch(Workplace& place, int piece) { move(place, piece, Way::in); }
  void store(Workplace& place, int piece) { move(place, piece, Way::out); }

 private:
  enum class Way { in, out };
  Buffer& slot(Index piece) { return slots_[static_cast<std::size_t>(piece % cut_.slots())]; }
  void move(Workplace& place, int piece, Way way) {
    const FlatRange range = cut_.range(piece);
    if (empty() || range.count() == 0) return;
    const auto home = host_.bytes(range.begin, range.count());
    const auto here = slot(piece).bytes(0, range.count());
    if (way == Way::in)
      place.copy(here.data(), home.data(), home.size());
    else
      place.copy(home.data(), here.data(), here.size());
  }

  StateCut cut_;
  Buffer resident_, host_;
  std::array<Buffer, 2> slots_;
};

}  // namespace quintet::engine
