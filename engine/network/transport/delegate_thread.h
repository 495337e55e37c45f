// A thread that moves messages one way and of one kind, beside the progress thread: a delegate of
// PipeMorph (arXiv 2504.19232 section 4.4), which has D of them for each of forward and backward,
// sent and received. It has a carrier of its own, so that a delegate that waits holds up no other.
// What goes wrong it tells the progress thread, whose verdict ends it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/network/transport/background_work.h"
#include "engine/network/transport/carrier.h"
#include "engine/network/transport/sleeper.h"
#include "engine/network/transport/work_under_way.h"

namespace quintet::engine {

struct DelegateThreadOptions {
  Rank rank;
  std::chrono::microseconds spin{20};
  // By the thread: a connection broke, or was waited for in vain; and, for people, another route.
  std::function<void(const Failure&)> on_broken;
  std::function<void(const Failure&)> on_late;
  std::function<void(const std::string&)> on_rerouting;
};

class DelegateThread final : public Carrier::Listener, public Wire {
 public:
  DelegateThread(const DelegateThreadOptions& options, WaitingRoom& room);
  ~DelegateThread() override;

  std::optional<Error> run(std::unique_ptr<Carrier> carrier);

  // From any thread.
  void start(BackgroundWork& work, Clock::time_point deadline);
  void prefer(Rank to, std::size_t route);
  void fail(const Failure& failure);  // all that is under way, and all that comes
  bool has_sent_all() const { return sent_all_; }

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
    std::optional<Failure> failed;
    bool ended = false;
    bool any() const {
      return !started.empty() || !preferred.empty() || failed.has_value() || ended;
    }
  };

  void loop();
  bool take_orders();
  void sleep();

  DelegateThreadOptions options_;
  std::unique_ptr<Carrier> carrier_;
  Sleeper sleeper_;
  std::mutex mutex_;  // of orders_
  Orders orders_;
  std::atomic<bool> sent_all_ = true;

  // The thread's own.
  WorkUnderWay work_;
  std::optional<Failure> failure_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace quintet::engine
