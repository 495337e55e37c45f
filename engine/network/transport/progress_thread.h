// The thread that moves everything of one rank: its carrier, the link to the rendezvous, deadlines.
// It sleeps when there is nothing to do, and wakes for a message, an order or the next heartbeat.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_link.h"
#include "engine/network/transport/background_work.h"
#include "engine/network/transport/carrier.h"
#include "engine/network/transport/sleeper.h"
#include "engine/network/transport/work_under_way.h"

namespace quintet::engine {

struct ProgressOptions {
  Rank rank;
  // How long it looks for more before it sleeps; waking takes some 50 us.
  std::chrono::microseconds spin{20};
  // How long the rendezvous may take to say who failed before a rank decides alone.
  Milliseconds verdict_within{3000};
  // Told when another route is taken, by the thread; for people. Empty: nobody is.
  std::function<void(const std::string&)> on_rerouting{};
  // Told of the failure that ends the job, by the thread: for delegates.
  std::function<void(const Failure&)> on_failure{};
};

class ProgressThread final : public Carrier::Listener, public Wire {
 public:
  explicit ProgressThread(const ProgressOptions& options);
  ~ProgressThread() override;

  // Begins; before it, nothing else may be called.
  std::optional<Error> run(std::unique_ptr<Carrier> carrier, std::unique_ptr<RendezvousLink> link);

  // From any thread.
  void start(BackgroundWork& work, Clock::time_point deadline);
  void abort(const std::string& cause);
  std::optional<Failure> close(Clock::time_point deadline);  // once; waits for all ranks
  std::optional<Failure> failure() const;
  void prefer(Rank to, std::size_t route);
  // What a delegate noticed: its connection to a rank broke, or it waits for one in vain.
  void suspect(const Failure& failure);
  void late(const Failure& failure);
  WaitingRoom& waiting_room() { return room_; }

  // Wire and Carrier::Listener: from the thread itself.
  Rank rank() const override { return options_.rank; }
  void send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
            std::uint32_t slot) override;
  void receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
               std::uint32_t slot) override;
  void moved(BackgroundWork& work, std::uint32_t slot) override;
  void broke(const Failure& failure) override;
  void rerouted(const std::string& what) override;

 private:
  struct Orders {
    std::vector<BackgroundWork*> started;
    std::vector<std::pair<Rank, std::size_t>> preferred;  // routes
    std::vector<Failure> suspected, late;
    std::optional<Failure> aborted;
    std::optional<Clock::time_point> close_until;
    bool any() const {
      return !started.empty() || !preferred.empty() || !suspected.empty() || !late.empty() ||
             aborted || close_until;
    }
  };

  void loop();
  bool take_orders();
  void sleep();
  void watch_link();

  void look_after(Clock::time_point now);
  void waited_in_vain(const Failure& failure);
  void wait_for_verdict(const Failure& failure);
  void fail(const Failure& failure);
  void try_to_leave(Clock::time_point now);

  ProgressOptions options_;
  std::unique_ptr<Carrier> carrier_;
  std::unique_ptr<RendezvousLink> link_;
  Sleeper sleeper_;
  WaitingRoom room_;

  mutable std::mutex mutex_;  // of orders_ and failure_
  Orders orders_;
  std::optional<Failure> failure_;

  // The thread's own.
  WorkUnderWay work_{room_};
  std::optional<Failure> own_verdict_;  // used when the rendezvous does not come to one
  Clock::time_point own_verdict_at_;
  std::optional<Clock::time_point> close_until_;
  Clock::time_point looked_;
  enum class Leaving { no, flushing, waiting } leaving_ = Leaving::no;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace quintet::engine
