// Hosts, and pairs of them, whose exchanges take longer than the same ones elsewhere: what is wrong
// with a link shows in everything that crosses it and in nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "traces/report/exchanges.h"
#include "traces/report/retimed.h"
#include "traces/workload/workload.h"

namespace quintet {

// From this many times what is expected on, a place is slow.
inline constexpr double slow_place_from = 1.25;

struct SlowPlace {
  // A host, or a rank where the workload does not name its host; two: what passes between them.
  std::vector<std::string> names;
  std::vector<std::int32_t> ranks;  // that are there, by index
  std::int64_t count = 0;           // exchanges that are compared
  Bytes bytes;
  Duration time, expected;  // sums over them
  Change change;            // as expected
  double slowness() const;  // time / expected
};

// Alike are exchanges of the same kind and size among as many members at as many places. Expected
// of those that touch a place: the lower median over the sets of members of those alike that do not
// touch it, of the median time of each. Where all touch it nothing can be said. The most time lost
// first, of the same loss what fewer exchanges touch.
std::vector<SlowPlace> slow_places(const Timeline& timeline, const Workload& workload,
                                   const std::vector<Exchange>& exchanges);

}  // namespace quintet
