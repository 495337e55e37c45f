// What the engine sees of the network: ranks, byte ranges that move between them in the background,
// and one failure for all.
//
// Failures are for good and for everyone: when a rank dies, is silent, aborts, or when an operation
// misses its deadline, every rank's operations under way and all later ones end with the same
// Failure, which names the rank. A deadline thus ends the job; what is left is to close and start
// again. Nothing throws.
#pragma once

#include <memory>
#include <string>

#include "engine/network/transport/progress_thread.h"

namespace quintet::engine {

// Users of send() and receive() that may be under way at once have a space of labels each, so that
// they need not know of one another.
enum class LabelSpace : std::uint64_t {
  free,
  launch,
  clock,
  timeline,
  state,
  checkpoint,
  training
};
constexpr std::uint64_t label_in(LabelSpace space, std::uint64_t content) {  // below 2^40
  return static_cast<std::uint64_t>(space) << 40 | content;
}

struct TransportOptions {
  UcxOptions ucx;
  JoinOptions join;
  std::chrono::microseconds spin{20};
  // Jobs of up to so many ranks connect all to all when they join, and then accept no connection
  // any more. Larger ones connect as they go, and their ports stay open.
  int meet_up_to = 128;
};

class Transport {
 public:
  // Joins the job through the rendezvous; returns when every rank has.
  static Result<std::unique_ptr<Transport>> join(const TransportOptions& options);
  ~Transport();  // closes; operations must have been waited for

  Rank rank() const { return rank_; }
  int world() const { return world_; }

  // `label` (48 bits, label_in) pairs a send with its receive; pairs of one label match in their
  // order.
  Operation send(Rank to, std::uint64_t label, std::span<const std::byte> bytes,
                 Milliseconds within);
  Operation receive(Rank from, std::uint64_t label, std::span<std::byte> bytes,
                    Milliseconds within);
  Operation start(std::unique_ptr<BackgroundWork> work, Milliseconds within);

  void abort(const std::string& cause);  // every rank's operations end; the failure names this rank
  std::optional<Failure> failure() const;

  // Waits until no rank has anything left to do; nothing may be started after it.
  std::optional<Failure> close(Milliseconds within);

 private:
  Transport(Rank rank, int world) : rank_(rank), world_(world) {}

  std::optional<Failure> meet_everyone(Milliseconds within);

  Rank rank_;
  int world_ = 1;
  enum class State { running, closed } state_ = State::closed;
  std::unique_ptr<ProgressThread> progress_;
};

}  // namespace quintet::engine
