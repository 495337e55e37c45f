#include "engine/executor/phase_buffers.h"

#include <algorithm>

namespace quintet::engine {

Buffer& PhaseBuffers::take_up(const Key& key, Buffer& whole, Index count) {
  UnderWay& taken = under_way_[key];
  taken = {&whole, {}};
  if (whole.count() < count) {
    taken.padded = Buffer(count, whole.type());
    std::ranges::copy(whole.bytes(), taken.padded.bytes().begin());
  }
  return taken.worked_on();
}

Buffer& PhaseBuffers::of(const Key& key) {
  return under_way_.at(key).worked_on();
}

void PhaseBuffers::put_down(const Key& key) {
  UnderWay& done = under_way_.at(key);
  if (!done.padded.empty())
    std::ranges::copy(done.padded.bytes(0, done.whole->count()), done.whole->bytes().begin());
  under_way_.erase(key);
}

}  // namespace quintet::engine
