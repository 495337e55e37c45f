// A collective that comes as phases inside and across hosts (sim/intra_inter/decompose.h): they
// keep the purpose of the whole, and this is the buffer that they work on between the first and the
// last.
//
// Parts are ordered by the levels, innermost first: with n ranks inside and m across, the rank that
// is c-th inside and d-th across owns part c * m + d of n * m.
#pragma once

#include <map>
#include <span>
#include <tuple>

#include "engine/device/workplace.h"
#include "engine/parameters/flat_units.h"
#include "sim/program/program.h"

namespace quintet::engine {

HostLevel level_of(const Program& program, const Collective& collective);
// Whether it is the one that takes the buffer up, and the one after which it is done; a whole
// collective is both.
bool begins(const Program& program, const Collective& collective);
bool ends(const Program& program, const Collective& collective);

// A rank's part among those that share the collective's buffer, and how many they are.
struct PartPlace {
  int position = 0, ranks = 1;
};
PartPlace part_place(const Program& program, const Collective& collective, Rank rank);

class PhaseBuffers {
 public:
  PhaseBuffers(const Program& program, Rank rank, Workplace& place)
      : program_(program), rank_(rank), place_(place) {}

  using Key = std::tuple<CallIteration, Purpose, Block>;

  // For the first phase. `whole` itself, which must stay until put_down(); a copy with zeros behind
  // it where the ranks inside would not have equal parts. The program does not count these
  // elements, fewer than the ranks inside. What is only gathered consists of equal parts already.
  Buffer& take_up(const Key& key, const Collective& first, Buffer& whole);
  Buffer& of(const Key& key) { return under_way_.at(key).worked_on(); }
  // What the phases left goes back to the whole.
  void put_down(const Key& key);

  // What of the buffer a phase works on: all of it, or this rank's part inside.
  std::span<std::byte> worked_on(const Collective& collective, std::span<std::byte> whole) const;

 private:
  struct UnderWay {
    Buffer* whole = nullptr;
    Buffer padded;  // empty: the whole needs none
    Buffer& worked_on() { return padded.empty() ? *whole : padded; }
  };
  const Program& program_;
  Rank rank_;
  Workplace& place_;
  std::map<Key, UnderWay> under_way_;
};

}  // namespace quintet::engine
