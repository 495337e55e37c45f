// Where ranks wait for one another: a collective begins with its last member, a receive ends with
// the message that was sent to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "sim/base/units.h"
#include "sim/program/program.h"
#include "sim/program/tasks.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// A task that has begun and is not finished.
struct Waiting {
  std::int32_t actor = 0;
  std::int32_t task = 0;
  Instant since;
  std::int32_t flow = -1;  // messages: the number that send and receive share
};

// A number for one that waits, as its task and times are seen from somewhere.
using SeenWaiting = std::function<std::uint64_t(const Waiting&)>;

class Meetings {
 public:
  explicit Meetings(std::size_t groups) : open_(groups) {}

  // Tells who has come, and waits for others.
  std::uint64_t state(const SeenWaiting& seen) const;

  // Whether this is the last of `size` members: then all are in `members`, in the order in which
  // they came. `use`: the n-th of the group's communicator.
  bool join(std::int32_t group, std::int32_t use, const Waiting& member, std::size_t size,
            std::vector<Waiting>& members);
  // Whether some members have come to that use and others have not.
  bool is_open(std::int32_t group, std::int32_t use) const;

 private:
  // A collective that some members have come to. A group has one or two: a use for each lane.
  struct Meeting {
    std::int32_t use = 0;
    std::vector<Waiting> members;
  };
  std::vector<std::vector<Meeting>> open_;  // per group
};

// All that a Send and its Receive have in common (program.h): axis, the sender's offset, payload,
// micro-batch, chunk.
using MessageKey = std::tuple<Axis, int, Payload, int, int>;

struct Message {
  MessageKey key;
  std::int32_t number = -1;  // in the order in which they are sent
  bool arrived = false;
  Instant since;  // when it was sent
  std::optional<Waiting> receiver;
};

// References to messages stay valid until they have been received.
class Mailboxes {
 public:
  explicit Mailboxes(std::size_t actors) : messages_(actors) {}

  Message& post(std::int32_t receiver, const Send& send, int micro_batch, Instant now);
  // The receive that waits for it, if one does: then the message is received.
  std::optional<Waiting> deliver(Message& message);
  // So many have been sent.
  std::int32_t sent() const { return next_; }
  // Tells messages that are sent or waited for and not yet received: numbers counted from the last
  // one's, micro-batches from `micro_batch`.
  std::uint64_t state(int micro_batch, Instant now, const SeenWaiting& seen) const;
  // The number of the message when it is there; otherwise `self` is kept until it is delivered.
  std::optional<std::int32_t> await(const Waiting& self, const Receive& receive, int micro_batch);

 private:
  using Box = std::map<MessageKey, Message>;
  Box& box(std::int32_t receiver) { return messages_[static_cast<std::size_t>(receiver)]; }

  std::vector<Box> messages_;  // per receiver: those sent or waited for and not yet received
  std::int32_t next_ = 0;
};

// When a task moved on, and the span that a timeline then has of it.
struct MovedUntil {
  Instant moving;  // from when it did what it is for; before that it waited
  Instant end;
};

inline Span span_of(const Waiting& self, const Task& task, const Call& call,
                    const MovedUntil& times) {
  Span span;
  span.info = task.instruction;
  span.track = self.actor;
  span.start = self.since;
  span.moving = times.moving;
  span.end = times.end;
  span.layer = task.layer;
  span.micro_batch = call.micro_batch;
  span.chunk = static_cast<std::int16_t>(call.chunk);
  span.bucket = static_cast<std::int16_t>(call.bucket);
  span.flow = self.flow;
  return span;
}

}  // namespace quintet
