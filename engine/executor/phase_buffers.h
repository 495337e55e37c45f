// What collectives that come as phases (hierarchy.h) work on between their first phase and their
// last.
#pragma once

#include <map>
#include <tuple>

#include "engine/device/workplace.h"
#include "engine/parameters/flat_units.h"
#include "sim/program/program.h"

namespace quintet::engine {

class PhaseBuffers {
 public:
  explicit PhaseBuffers(Workplace& place) : place_(place) {}

  using Key = std::tuple<CallIteration, Purpose, Block>;

  // `whole` itself, which must stay until put_down(); where it has fewer elements than `count`, a
  // copy of so many, zeros behind it.
  Buffer& take_up(const Key& key, Buffer& whole, Index count);
  Buffer& of(const Key& key);
  // What the phases left goes back to the whole.
  void put_down(const Key& key);

 private:
  struct UnderWay {
    Buffer* whole = nullptr;
    Buffer padded;  // empty: the whole needs none
    Buffer& worked_on() { return padded.empty() ? *whole : padded; }
  };
  Workplace& place_;
  std::map<Key, UnderWay> under_way_;
};

}  // namespace quintet::engine
