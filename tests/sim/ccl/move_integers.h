// Runs a schedule on real integers, so that a test can see that it computes what it promises.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/ccl/schedule.h"

namespace quintet {

// The first promise broken (who sent what it did not have, which result is wrong), or nothing.
// `helpers`: further buffers behind the ranks that start empty, as the switch of nvls_schedule.
std::string broken_promise(const Schedule& schedule, int helpers = 0);

// Bytes per byte of buffer on each directed pair.
std::map<std::pair<int, int>, double> share_by_pair(const Schedule& schedule);

// What each rank sends, per byte of buffer.
std::vector<double> sent_by_rank(const Schedule& schedule);

// The schedule's time when every transfer of a step has a link of its own and steps follow one
// another: the sum over steps of latency + the largest message / rate.
Seconds stepwise_time(const Schedule& schedule, Bytes size, Seconds latency, Bandwidth rate);

}  // namespace quintet
