// What the executor needs of communication: collectives and messages that go on by themselves until
// somebody asks for them. Implementations: LocalWorld (threads of one process), and the network's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/network/collectives/collective_call.h"
#include "kernels/types.h"
#include "sim/base/ids.h"
#include "sim/base/result.h"
#include "sim/plan/ccl.h"
#include "sim/program/program.h"

namespace quintet::engine {

using Clock = std::chrono::steady_clock;

// Messages between two ranks with one payload and tag arrive in the order they were sent; tags are
// below 2^48.
struct SendWork {
  Rank to{0};
  Payload payload = Payload::activation;
  std::uint64_t tag = 0;
  std::span<const std::byte> message;
  kernels::Stream stream{};
};

struct ReceiveWork {
  Rank from{0};
  Payload payload = Payload::activation;
  std::uint64_t tag = 0;
  std::span<std::byte> message;
  kernels::Stream stream{};
};

// Both in one number below 2^49.
inline std::uint64_t label_of(Payload payload, std::uint64_t tag) {
  return static_cast<std::uint64_t>(payload == Payload::activation ? 0 : 1) << 48 | tag;
}

struct Ticket {
  std::uint64_t number = 0;
};

struct Completion {
  std::size_t place = 0;     // in the list of tickets asked about
  Clock::time_point moving;  // all peers had arrived and data began to move
  Clock::time_point end;
};

enum class Patience { none, until_one_is_over };

// One per rank, used by one thread. On a device with streams of its own, buffers are its memory,
// work begins after what is on its stream, and a ticket is over when everything that is put on that
// stream from then on will find the work done (done already, or sure to be done before). Without a
// device, streams mean nothing. Buffers must outlive their ticket; on a device, the stream's work
// at the time the ticket was over. Collectives with the same
// communicator and use meet, in whatever order each rank starts them: a communicator may serve
// several lanes (weights gathered while gradients are summed), which ranks do not run in step.
class CommunicationBackend {
 public:
  CommunicationBackend() = default;
  CommunicationBackend(const CommunicationBackend&) = delete;
  CommunicationBackend& operator=(const CommunicationBackend&) = delete;
  virtual ~CommunicationBackend() = default;

  virtual Ticket start(const CollectiveCall& call) = 0;
  virtual Ticket send(const SendWork& work) = 0;
  virtual Ticket receive(const ReceiveWork& work) = 0;

  // Those of the tickets that are over; none of them may be asked about again. An error names the
  // rank that failed, and holds for all that comes after: also asked about no ticket, to hear of
  // it.
  virtual Result<std::vector<Completion>> finished(std::span<const Ticket> tickets,
                                                   Patience patience) = 0;

  // On a device: whether all is queued on streams, tickets are over when they are given, and graphs
  // may keep the work.
  virtual bool queues_all() const { return false; }

  // A device's memory that is moved as it lies, where the device has such; null where it has none,
  // or not that much. What is given back is not worked on any more.
  virtual void* take_memory(std::size_t) { return nullptr; }
  virtual void give_back_memory(void*) {}
  // Likewise, for what ranks of the same `layout` sum as it lies, at the same place on all of them.
  // All ranks together, each once; for nothing by those that need none. May wait for the others.
  virtual void* take_shared_memory(std::size_t, std::uint64_t) { return nullptr; }

  // From here on so many delegates send messages between stages, of those that there are; 0: none
  // does. Between steps, on all ranks. Nothing where there are no delegates.
  virtual void set_delegates(int) {}

  // Ends the job on every rank: all that wait get `cause`. No graph keeps its work any more.
  virtual void abort(const Error& cause) = 0;
};

}  // namespace quintet::engine
