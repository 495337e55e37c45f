// What the executor needs of communication: collectives and messages that go on by themselves until
// somebody asks for them. Implementations: LocalWorld (threads of one process), and the network's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/data_type.h"
#include "sim/ids.h"
#include "sim/plan/ccl.h"
#include "sim/result.h"

namespace quintet::engine {

using Clock = std::chrono::steady_clock;

enum class Combination { sum, maximum };

// In place. `buffer` holds a multiple of the group's size in elements; part i belongs to the i-th
// member in the order of group_of() (sim/program/groups.h).
//   all_reduce      every member ends with the combination of all
//   reduce_scatter  member i ends with the combination in part i; the other parts are undefined
//   all_gather      member i brings part i, every member ends with all parts
struct CollectiveWork {
  CollectiveKind kind = CollectiveKind::all_reduce;
  CommunicatorId communicator;
  std::uint64_t use = 0;  // which of the communicator's uses, counted since the first step
  std::span<std::byte> buffer;
  DataType type = DataType::fp32;
  Combination combination = Combination::sum;
};

struct Ticket {
  std::uint64_t number = 0;
};

struct Completion {
  std::size_t place = 0;     // in the list of tickets asked about
  Clock::time_point moving;  // all peers had arrived and data began to move
  Clock::time_point end;
};

enum class Patience { none, until_one_is_over };

// One per rank, used by one thread. Buffers must outlive their ticket. Collectives with the same
// communicator and use meet, in whatever order each rank starts them: a communicator may serve
// several lanes (weights gathered while gradients are summed), which ranks do not run in step.
class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual Ticket start(const CollectiveWork& work) = 0;
  // Messages between two ranks with one tag arrive in the order they were sent.
  virtual Ticket send(Rank to, std::uint64_t tag, std::span<const std::byte> message) = 0;
  virtual Ticket receive(Rank from, std::uint64_t tag, std::span<std::byte> message) = 0;

  // Those of the tickets that are over; none of them may be asked about again. An error names the
  // rank that failed, and holds for all that comes after.
  virtual Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                                   Patience patience) = 0;

  // Ends the job on every rank: all that wait get `cause`.
  virtual void abort(const Error& cause) = 0;
};

}  // namespace quintet::engine
