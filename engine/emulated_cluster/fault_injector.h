// Does to the shaped links and ranks of an emulated cluster what a fault file says, while a job
// runs on it: a thread of its own, told when steps begin.
//
//   slow, delay   the links' rate (tc) and latency (delay line)
//   fail          the cable is down at the switch's end, both ways. Nothing finds another way, and
//                 the job's heartbeats go over the same links: their silence ends the job after 5 s
//   rank          its process is stopped (SIGSTOP) for the share of every 10 ms that is gone: it
//                 neither computes nor moves bytes then
//
// What is over is as it was before. Nothing outlives the cluster.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/emulated_cluster/emulated_cluster.h"
#include "sim/topology/faults/fault_clock.h"
#include "sim/topology/faults/machine_state.h"

namespace quintet::engine {

// What was done, and when: after it was done.
struct InjectedFault {
  int step = 0;       // that ran
  Seconds into_step;  // since its begin was heard of
  Seconds at;         // since that of the first step
  std::string what;
  std::string failure;  // why it could not be done; empty: it was
  bool operator==(const InjectedFault&) const = default;
};

// What delays of a file's faults may add to each link at most, all together.
Result<std::vector<LinkDelay>> most_delays(const Topology& topology, const FaultPlan& faults);

// Faults that no link of the cluster feels, a sentence each: on no way between ranks.
Result<std::vector<std::string>> unfelt(const EmulatedCluster& cluster, const Topology& topology,
                                        const FaultPlan& faults);

class FaultInjector {
 public:
  using Tell = std::function<void(const InjectedFault&)>;  // on the injector's thread
  // The cluster, made with most_delays(), and the topology must outlive it.
  FaultInjector(EmulatedCluster& cluster, const Topology& topology, FaultPlan faults, Tell tell);
  ~FaultInjector();
  FaultInjector(const FaultInjector&) = delete;

  // Steps count from 1; any thread. The first to be heard of begins the time of the run.
  void step_begins(int step);

  std::vector<InjectedFault> injected() const;

 private:
  using Clock = std::chrono::steady_clock;
  void run();
  void turn(std::unique_lock<std::mutex>& lock);
  std::string apply(const std::vector<Fault>& wrong);
  std::string apply_links(const std::vector<Fault>& wrong);
  std::string apply_ranks(const std::vector<Fault>& wrong);
  Seconds now() const;

  EmulatedCluster& cluster_;
  const Topology& topology_;
  FaultPlan faults_;
  Tell tell_;
  std::vector<LinkCondition> conditions_;  // as they are now
  std::vector<double> shares_;             // of ranks that were ever slow; by rank
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FaultClock clock_;
  int step_ = 0;  // 0: none has begun
  Clock::time_point begun_{}, step_begun_{};
  std::vector<InjectedFault> injected_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace quintet::engine
