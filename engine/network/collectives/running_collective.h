// A collective under way on one rank: a state machine that the progress thread resumes whenever one
// of its messages has left or arrived.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/network/collectives/collective_call.h"
#include "engine/network/collectives/messages.h"
#include "engine/network/collectives/segment_pool.h"
#include "engine/network/transport/background_work.h"

namespace quintet::engine {

// A call's number, until the call is over. Of the thread that starts calls.
class NumberInUse {
 public:
  // Nothing where it is taken already.
  static std::optional<NumberInUse> take(std::set<std::uint32_t>& numbers, std::uint32_t number) {
    if (!numbers.insert(number).second) return std::nullopt;
    return NumberInUse(numbers, number);
  }
  NumberInUse(NumberInUse&& other) noexcept
      : numbers_(std::exchange(other.numbers_, nullptr)), number_(other.number_) {}
  NumberInUse& operator=(NumberInUse&& other) noexcept {
    std::swap(numbers_, other.numbers_);
    std::swap(number_, other.number_);
    return *this;
  }
  ~NumberInUse() {
    if (numbers_ != nullptr) numbers_->erase(number_);
  }

 private:
  NumberInUse(std::set<std::uint32_t>& numbers, std::uint32_t number)
      : numbers_(&numbers), number_(number) {}
  std::set<std::uint32_t>* numbers_;
  std::uint32_t number_;
};

// How a call goes over the network.
struct OnWire {
  const Messages* messages = nullptr;  // outlives it
  std::vector<Rank> members;           // by position in the schedule
  std::uint64_t tag = 0;               // of this collective; the message's number is added
  ChunkRange kept;   // an all-to-all's bytes of its own, which only have to be copied
  std::string name;  // for failures
  std::optional<NumberInUse> number;
};

class RunningCollective final : public BackgroundWork {
 public:
  RunningCollective(const CollectiveCall& call, OnWire wired, SegmentPool& pool);

  void advance(Wire& wire) override;
  void moved(std::uint32_t slot) override;
  bool finished() const override;
  Failure overdue() const override;

 private:
  struct Cell {
    std::uint32_t received = 0, sent = 0;
    SegmentPool::Segment held;
  };
  // A receive that is open, or has arrived and waits for its turn.
  struct Slot {
    enum class State { unused, open, arrived } state = State::unused;
    const Message* message = nullptr;
    SegmentPool::Segment segment;
  };
  enum class Progressed { yes, no };

  Progressed post_sends(Wire& wire);
  Progressed post_receives(Wire& wire);
  Progressed land_arrived();
  bool may_land(const Message& message) const;
  void land(Slot& slot);
  // All of them take what arrives where it lies, but an all-to-all.
  std::span<std::byte> target() const {
    return call_.kind == CollectiveKind::all_to_all ? call_.received : call_.buffer;
  }
  std::span<std::byte> place_of(const Message& message) const;
  Rank rank_at(int position) const { return wired_.members[static_cast<std::size_t>(position)]; }

  const CollectiveCall call_;
  const OnWire wired_;
  SegmentPool& pool_;
  std::vector<Cell> cells_;
  std::vector<Slot> slots_;
  std::size_t next_send_ = 0, sent_ = 0;
  std::size_t next_receive_ = 0, landed_ = 0;
};

}  // namespace quintet::engine
