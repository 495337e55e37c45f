#include "engine/executor/phase_buffers.h"

namespace quintet::engine {

Buffer& PhaseBuffers::take_up(const Key& key, Buffer& whole, Index count) {
  UnderWay& taken = under_way_[key];
  taken = {&whole, {}};
  if (whole.count() < count) {
    taken.padded = place_.zeroed(count, whole.type());
    place_.copy(taken.padded.bytes().data(), whole.bytes().data(), whole.bytes().size());
  }
  return taken.worked_on();
}

Buffer& PhaseBuffers::of(const Key& key) {
  return under_way_.at(key).worked_on();
}

void PhaseBuffers::put_down(const Key& key) {
  UnderWay& done = under_way_.at(key);
  if (!done.padded.empty())
    place_.copy(done.whole->bytes().data(), done.padded.bytes().data(), done.whole->bytes().size());
  under_way_.erase(key);
}

}  // namespace quintet::engine
