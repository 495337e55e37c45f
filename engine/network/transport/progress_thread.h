// The thread that moves everything of one rank: UCX, the link to the rendezvous, deadlines. It
// sleeps when there is nothing to do, and wakes for a message, an order or the next heartbeat.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/launch/rendezvous/rendezvous_link.h"
#include "engine/network/transport/background_work.h"
#include "engine/network/transport/ucx_worker.h"

namespace quintet::engine {

struct ProgressOptions {
  Rank rank;
  // How long it looks for more before it sleeps; waking takes some 50 us.
  std::chrono::microseconds spin{20};
  // How long the rendezvous may take to say who failed before a rank decides alone.
  Milliseconds verdict_within{3000};
};

class ProgressThread final : public UcxWorker::Listener, public Wire {
 public:
  explicit ProgressThread(const ProgressOptions& options);
  ~ProgressThread() override;

  // Begins; before it, nothing else may be called.
  std::optional<Error> run(std::unique_ptr<UcxWorker> worker, std::unique_ptr<RendezvousLink> link);

  // From any thread.
  void start(BackgroundWork& work, Clock::time_point deadline);
  void abort(const std::string& cause);
  std::optional<Failure> close(Clock::time_point deadline);  // once; waits for all ranks
  std::optional<Failure> failure() const;
  WaitingRoom& waiting_room() { return room_; }
  void shut_the_door() { worker_->shut_the_door(); }

  // Wire and UcxWorker::Listener: from the thread itself.
  Rank rank() const override { return options_.rank; }
  void send(Rank to, Tag tag, std::span<const std::byte> bytes, BackgroundWork& work,
            std::uint32_t slot) override;
  void receive(Rank from, Tag tag, std::span<std::byte> bytes, BackgroundWork& work,
               std::uint32_t slot) override;
  void moved(BackgroundWork& work, std::uint32_t slot) override;
  void broke(const Failure& failure) override;

 private:
  enum class Work { done, none };
  struct Orders {
    std::vector<BackgroundWork*> started;
    std::optional<Failure> aborted;
    std::optional<Clock::time_point> close_until;
  };

  void loop();
  Work take_orders();
  Work advance_touched();
  void touch(BackgroundWork& work);
  void end(BackgroundWork& work, const std::optional<Failure>& failure);
  void wake();
  void sleep();
  void watch_link();

  void look_after(Clock::time_point now);
  void find_overdue(Clock::time_point now);
  void wait_for_verdict(const Failure& failure);
  void fail(const Failure& failure);
  void try_to_leave(Clock::time_point now);
  bool over() const { return over_; }

  ProgressOptions options_;
  std::unique_ptr<UcxWorker> worker_;
  std::unique_ptr<RendezvousLink> link_;
  Descriptor epoll_, wake_;
  WaitingRoom room_;

  mutable std::mutex mutex_;  // of orders_ and failure_
  Orders orders_;
  std::optional<Failure> failure_;
  std::atomic<bool> asleep_ = false;

  // The thread's own.
  std::vector<BackgroundWork*> active_, touched_;
  std::optional<Failure> own_verdict_;  // used when the rendezvous does not come to one
  Clock::time_point own_verdict_at_;
  std::optional<Clock::time_point> close_until_;
  Clock::time_point looked_;
  enum class Leaving { no, flushing, waiting } leaving_ = Leaving::no;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace quintet::engine
