// What moving bytes between processes costs on a machine, from ring all-reduces that were timed.
// Pure.
#pragma once

#include <vector>

#include "sim/cost/cost_table.h"
#include "sim/result.h"

namespace quintet::calibrate {

// `count` ring all-reduces of `size` bytes, one after another, by all ranks of a job.
struct RingTiming {
  int ranks = 0;
  Bytes size;
  int count = 0;
  Seconds time;       // of them all
  Seconds core_time;  // that the whole machine worked meanwhile, beyond what it does when idle
  bool operator==(const RingTiming&) const = default;
};

// `large` tells the rate, `small` (a few bytes) what a message takes besides, `crowded` the same
// while a thread of each rank computes: each rank sends
// 2 (n-1) messages and 2 (n-1)/n of the size, n ranks together n times that; a small one's steps
// wait for one another, so 2 (n-1) latencies are its time. Fails where no core time was seen: other
// programs took it all.
Result<ProcessorCosts> processor_costs(const RingTiming& large, const RingTiming& small,
                                       const RingTiming& crowded);

// What the large ones reached by the bus-bandwidth formula, 2 (n-1)/n size / time, as a share of
// what a link (`wire`, payload) and `cores` at that message rate allow, whichever is less.
double reached_share(const RingTiming& large, Bandwidth wire, int cores,
                     const ProcessorCosts& costs);

}  // namespace quintet::calibrate
