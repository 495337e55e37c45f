// How far the clocks of a job's traces are apart, told by the ends of collectives that they share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace quintet {

// A collective's end on one rank's clock.
struct MeetingEnd {
  std::int32_t trace = 0;
  std::int64_t end = 0;  // nanoseconds
};

// Per trace, what is to be added to its clock to get that of the first trace that it is connected
// with by collectives; none: it shares none with any other.
std::vector<std::optional<std::int64_t>> clock_corrections(
    std::size_t traces, const std::vector<std::vector<MeetingEnd>>& meetings);

}  // namespace quintet
