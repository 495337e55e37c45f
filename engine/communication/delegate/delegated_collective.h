// A collective whose buffer goes to pinned memory, through the backend behind, and back.
#pragma once

#include <optional>
#include <span>

#include "engine/communication/delegate/delegate_parts.h"

namespace quintet::engine {

// A rank's place in the group of a collective.
struct GroupPlace {
  std::size_t position = 0, members = 1;
};

class DelegatedCollective {
 public:
  // Queues the copy out. The block is as large as the buffer at least, and the collective's until
  // ended() says so; the streams come after what is on the work's stream.
  DelegatedCollective(const DelegateParts& parts, const CollectiveCall& work, Ticket ticket,
                      const GroupPlace& place, std::span<std::byte> block,
                      const CopyStreams& streams);

  void advance();
  std::span<std::byte> block() const { return block_; }
  CommunicatorId communicator() const { return work_.communicator; }
  bool waits_for_copy() const { return state_ == State::goes_out; }
  bool is_over() const { return state_ == State::comes_back; }  // the ticket
  bool ended() const { return state_ == State::ended; }

 private:
  enum class State { goes_out, under_way, comes_back, ended };
  struct Range {
    std::size_t first = 0, size = 0;
  };

  Range own_part() const;
  void copy_back();

  DelegateParts parts_;
  CollectiveCall work_;
  Ticket ticket_;
  GroupPlace place_;
  std::span<std::byte> block_;
  CopyStreams streams_;
  State state_ = State::goes_out;
  kernels::StreamEvent copied_;  // out, then back
  Ticket inner_;
};

}  // namespace quintet::engine
