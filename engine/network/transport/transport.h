// What the engine sees of the network: ranks, byte ranges that move between them in the background,
// and one failure for all.
//
// Failures are for good and for everyone: when a rank dies, is silent, aborts, or when an operation
// misses its deadline, every rank's operations under way and all later ones end with the same
// Failure, which names the rank. A deadline thus ends the job; what is left is to close and start
// again. Nothing throws.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/launch/rendezvous/network_interface.h"
#include "engine/network/routes/route_options.h"
#include "engine/network/transport/delegates.h"
#include "engine/network/transport/progress_thread.h"
#include "engine/network/transport/ucx_context.h"

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

// by_interface: UCX for InfiniBand, else sockets. ucx: also where its port would be open to
// strangers (ucx_worker.h); for tests.
enum class CarrierChoice { by_interface, ucx };

struct TransportOptions {
  UcxOptions ucx;
  // This rank's: the i-th leads to the i-th of every other, where it has one. Empty: that of
  // `ucx`.
  std::vector<NetworkInterface> interfaces;
  RouteOptions routes;  // who and where is filled in
  CarrierChoice carrier = CarrierChoice::by_interface;
  JoinOptions join;
  std::chrono::microseconds spin{20};
  // Jobs of up to so many ranks connect all to all when they join, larger ones as they go.
  int meet_up_to = 128;
  // Threads that move messages between pipeline stages, for each kind and direction; 0: the one
  // thread that moves everything does. Not over UCX.
  std::size_t delegates = 0;
  // "to rank 2 over interface 1 instead of 0: ...", said by the thread that moves the bytes.
  std::function<void(const std::string&)> on_rerouting{};
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
  // By delegate `number` (modulo how many there are) of that kind; of none: by the progress thread,
  // as what a rank sends to itself.
  Operation start_delegated(DelegateDirection direction, DelegateKind kind, std::uint64_t number,
                            Rank peer, std::unique_ptr<BackgroundWork> work, Milliseconds within);

  // Between two steps or inside one: that route leads there from here on, where it goes; bytes stay
  // in their order. From any thread. One that breaks is left for another by itself, and come back
  // to.
  void prefer(Rank to, std::size_t route);

  void abort(const std::string& cause);  // every rank's operations end; the failure names this rank
  std::optional<Failure> failure() const;

  // Waits until no rank has anything left to do; nothing may be started after it.
  std::optional<Failure> close(Milliseconds within);

 private:
  Transport(Rank rank, int world) : rank_(rank), world_(world) {}

  std::optional<Error> open_delegates(const TransportOptions& options);
  std::optional<Error> let_in(std::vector<WorkerAddress> members, Carrier& carrier);
  std::optional<Failure> meet_everyone(Milliseconds within);

  Rank rank_;
  int world_ = 1;
  enum class State { running, closed } state_ = State::closed;
  // The progress thread uses the delegates, which use its waiting room.
  std::unique_ptr<ProgressThread> progress_;
  std::unique_ptr<Delegates> delegates_;  // none: no delegates
};

}  // namespace quintet::engine
