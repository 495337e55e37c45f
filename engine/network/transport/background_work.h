// Something that goes on in the background until it is finished or the job fails: a send, a
// receive, a collective. The progress thread drives it, or a delegate; the thread that started it
// may wait.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "engine/launch/rendezvous/rendezvous_failure.h"
#include "engine/launch/rendezvous/rendezvous_socket.h"
#include "sim/base/ids.h"

namespace quintet::engine {

// What a send and its receive agree on. Two of one sender to one receiver must differ while both
// are under way.
struct Tag {
  std::uint64_t value = 0;
  bool operator==(const Tag&) const = default;
};

// The top bits part the three users of tags; the sender's rank keeps senders apart.
constexpr int tag_bits = 48;
constexpr int message_tag_bits = 49;
constexpr int rank_bits = 14;  // 16,384 ranks
constexpr Tag collective_tag(Rank sender, std::uint64_t content) {
  return {(std::uint64_t{1} << 62) | (static_cast<std::uint64_t>(sender.value) << tag_bits) |
          content};
}
// The executor's messages have these tags (engine/communication).
constexpr Tag message_tag(Rank sender, std::uint64_t content) {
  return {(std::uint64_t{1} << 63) |
          (static_cast<std::uint64_t>(sender.value) << message_tag_bits) | content};
}
// Transport::send and receive use these tags.
constexpr Tag direct_tag(Rank sender, std::uint64_t content) {
  return {(static_cast<std::uint64_t>(sender.value) << tag_bits) | content};
}

class BackgroundWork;

// Moving byte ranges between ranks, as the progress thread sees it: nothing blocks, and whoever
// asked is told when a movement is over.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual Rank rank() const = 0;
  // The bytes must stay until work.moved(slot). A movement that fails is not reported: its
  // work ends with the job.
  virtual void send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
                    std::uint32_t slot) = 0;
  virtual void receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
                       std::uint32_t slot) = 0;
};

// Where waiting threads sleep; lives as long as the transport, longer than any work.
struct WaitingRoom {
  std::mutex mutex;
  std::condition_variable something_ended;
};

// On this rank's clock, taken by the thread that moves it.
struct WorkTimes {
  Clock::time_point moving;  // the first that came from a peer was here; a send: it was given away
  Clock::time_point end;
};

class BackgroundWork {
 public:
  virtual ~BackgroundWork() = default;

  // All four on the thread that drives it only.
  virtual void advance(Wire& wire) = 0;        // posts what can be posted; first call: the start
  virtual void moved(std::uint32_t slot) = 0;  // only notes it: `advance` follows
  virtual bool finished() const = 0;
  virtual Failure overdue() const = 0;  // whom and what it waits for

  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }  // before it is started

 protected:
  // To be called when something moves; the first call counts.
  void note_moving() {
    if (times_.moving == Clock::time_point{}) times_.moving = Clock::now();
  }

 private:
  friend class Operation;
  friend class WorkUnderWay;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool touched_ = false;            // that thread's
  std::optional<Failure> failure_;  // this and times_: written before ended_
  WorkTimes times_;
  std::atomic<bool> ended_ = false;
};

// A handle on background work under way. Its buffers belong to the transport until it has ended; so
// the destructor waits. That is bounded by the deadline.
class [[nodiscard]] Operation {
 public:
  Operation(std::unique_ptr<BackgroundWork> work, WaitingRoom& room);
  Operation(Operation&&) = default;
  Operation& operator=(Operation&& other) noexcept;
  ~Operation();

  bool ended() const;
  std::optional<Failure> wait();  // nothing: it is done

  // Only of one that has ended.
  const std::optional<Failure>& failure() const { return work_->failure_; }
  const WorkTimes& times() const { return work_->times_; }

  // Sleeps until one of them has ended; at least one, all of one transport.
  static void wait_for_one(std::span<const Operation* const> operations);

 private:
  std::unique_ptr<BackgroundWork> work_;
  WaitingRoom* room_;
};

}  // namespace quintet::engine
