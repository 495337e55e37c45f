// What moving bytes between processes costs on a machine, from ring all-reduces that were timed.
// Pure.
#pragma once

#include <vector>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

// `count` ring all-reduces of `size` bytes, one after another, by all ranks of a job.
struct RingTiming {
  int ranks = 0;
  Bytes size;
  int count = 0;
  Seconds time;  // of them all
  // That they took of the machine's cores: beyond what it works when idle, or, beside computing,
  // what computing lost by them.
  Seconds core_time;
  bool operator==(const RingTiming&) const = default;
};

// Both timings are of one kind: on a machine that does nothing else, or while every core computes.
struct RingPair {
  RingTiming large;  // tells the rate
  RingTiming small;  // a few bytes: what a message takes besides
  bool operator==(const RingPair&) const = default;
};

// Each rank sends 2 (n-1) messages and 2 (n-1)/n of the size, n ranks together n times that; a
// small one's steps wait for one another, so 2 (n-1) latencies are its time. What bytes and
// messages take of cores is what computing lost by them: interrupts, caches and switches are in it,
// and where no core computes nobody misses it. Fails where no core time was seen: other programs
// took it all.
Result<ProcessorCosts> processor_costs(const RingPair& idle, const RingPair& crowded);

// What the large ones reached by the bus-bandwidth formula, 2 (n-1)/n size / time, as a share of
// what a link (`wire`, payload) and `cores` at the rate seen allow, whichever is less; at most 1.
double reached_share(const RingTiming& large, Bandwidth wire, int cores);

}  // namespace quintet::calibrate
