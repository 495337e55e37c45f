// One rank's call of a collective: the executor says what is wanted, and the same value goes down to
// the schedule that moves its bytes, or to the library that is asked for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/network/collectives/element_sum.h"
#include "kernels/types.h"
#include "sim/base/ids.h"
#include "sim/plan/ccl.h"
#include "sim/program/program.h"

namespace quintet::engine {

// Sizes are nccl-tests' (the whole buffer), and all but an all-to-all are in place. Part i of the
// buffer belongs to the i-th member in the order of group_of() (sim/program/groups.h); it has the
// size of all others where a communicator of the program is called, else part_of() says which.
//   all_reduce      every member ends with the reduction of all
//   reduce_scatter  member i ends with the reduction in part i; the other parts are undefined
//   all_gather      member i brings part i, every member ends with all parts
//   broadcast, reduce  from and to the root; reduce leaves partial sums on the others
//   all_to_all      part i goes to member i; `received` takes what comes from it
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::all_reduce;
  CommunicatorId communicator;
  // Which of the communicator's calls, counted since the first step: those of one number meet,
  // whatever the order in which members start them. None: counted by the group, so that all members
  // start their calls in one order. Either all calls of a group give one or none.
  std::optional<std::uint64_t> use;
  std::span<std::byte> buffer;
  DataType type = DataType::fp32;
  Reduction reduction = Reduction::sum;
  kernels::Stream stream{};
  LaneId lane{0};  // of the program: on one lane, uses of a communicator are in order

  int root = 0;  // position in the group
  std::span<std::byte> received{};
  Algorithm algorithm = Algorithm::ring;  // of our own schedules
  std::chrono::milliseconds within{60000};
};

}  // namespace quintet::engine
