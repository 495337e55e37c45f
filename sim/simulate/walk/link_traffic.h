// When links carried what they carried: link_loads.h has a step's sums.
//
// The bytes of a communication are taken to move evenly from when all its members had arrived until
// it ended. What shares a link with others moves unevenly in truth, and what spreads over several
// phases loads one phase's links after the other's: within a communication nothing is known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/base/units.h"
#include "sim/plan/parallelism.h"
#include "sim/simulate/fold/world.h"
#include "sim/timeline/repeated_part.h"

namespace quintet {

struct LinkTraffic {
  // Index into the step's loads (Execution::loads), and bytes per byte of a communication's size.
  struct Use {
    std::int32_t load = 0;
    double per_byte = 0;
    bool operator==(const Use&) const = default;
  };
  // Communications that load the same links alike.
  struct Kind {
    std::optional<Axis> axis;  // that they serve; none: copies to the host's memory or from it
    std::vector<Use> uses;     // each load once, in order
    bool operator==(const Kind&) const = default;
  };
  struct Moved {
    std::int32_t kind = 0;
    double bytes = 0;     // the communication's size
    Instant moving, end;  // when data moved
    bool operator==(const Moved&) const = default;
  };

  std::vector<Kind> kinds;
  std::vector<Moved> moved;
  std::size_t loads = 0;

  bool operator==(const LinkTraffic&) const = default;
};

// What is noted while a step is walked.
struct NotedMove {
  std::int32_t price = 0;  // index into FoldedWorld::prices
  double bytes = 0;
  Instant began;  // was taken up: what tells whether it belongs to a part that repeats
  Instant moving, end;
};

// `axes`: per price whom it serves. Repetitions that the walk left out are put back.
LinkTraffic link_traffic(const FoldedWorld& world, std::span<const NotedMove> noted,
                         std::span<const std::optional<Axis>> axes, const RepeatedPart& repeated);

// Loads behind the first `loads` are of no link of the machine (core pools).
void drop_loads_from(LinkTraffic& traffic, std::size_t loads);

// What each load carried after `from`, until `to`: per index into the step's loads, on one of the
// links it stands for. From the beginning until the end it is the step's sum, but for rounding.
std::vector<double> bytes_between(const LinkTraffic& traffic, Instant from, Instant to);

struct AxisBytes {
  std::optional<Axis> axis;
  double bytes = 0;
  bool operator==(const AxisBytes&) const = default;
};
// One load's share of each axis that has any, most first.
std::vector<AxisBytes> bytes_by_axis(const LinkTraffic& traffic, std::int32_t load, Instant from,
                                     Instant to);

}  // namespace quintet
