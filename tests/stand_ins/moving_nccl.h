// NCCL as far as training needs it, among stand-ins for devices in one process. It behaves as NCCL
// 2.28 does (init.cc, group.cc, enqueue.cc, transport.cc of NVIDIA/nccl):
//
// - Work waits on its stream until the streams of all members have come to it, and what is asked of
//   one communicator runs in the order of the calls, whatever the streams.
// - Communicators, and the first use of each route (of a communicator by its members' collectives;
//   from one member to another), open with a handshake: the host's thread waits in the call, or at
//   the end of the group, until all others have come to theirs.
// - A communicator that does not block answers ncclInProgress and does the rest, the launch
//   included, in a thread of its own.
// - An abort ends what waits on the host and on streams at once, then waits, as a finalisation
//   does, until no graph keeps work of the communicator. In a group both are one after the other:
//   the flags go up with the call, the waiting is done at the group's end.
// - A window is opened by all members together, each on the host until the others come, of memory
//   that ncclMemAlloc gave, from the same place of allocations of one size; a sum of what lies in
//   one finds it at the same place with all members, or adds up something else (dev_runtime.cc:
//   there nobody checks; here it is written down).
//
// NCCL would wait for ever; here whatever waits longer than `patience` fails and is written down.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/nccl/nccl_functions.h"
#include "engine/network/collectives/collective_call.h"
#include "kernels/device.h"

namespace quintet::engine::test {

class MovingNccl {
 public:
  explicit MovingNccl(std::chrono::milliseconds patience = std::chrono::seconds(60));
  ~MovingNccl();

  // A rank's, for a device of fake_device(); both outlive what is asked through it.
  NcclFunctions functions(kernels::Device& device);

  // How often a collective or a message was run.
  int moves() const;
  // What waited in vain, in words: a run without a deadlock has none.
  std::vector<std::string> stuck() const;
  // What is registered with communicators now, pieces of memory counted once for each.
  int registered() const;
  // Windows that are open now, likewise; and sums, so far, of what lies in them.
  int windows() const;
  int sums_in_windows() const;

 private:
  struct Group;
  struct Call;
  struct Batch;
  struct Window;
  class OfRank;
  // A member's part in what opens: "all" for collectives, "0>1" for messages.
  using Side = std::pair<std::string, int>;

  ncclResult_t join(ncclComm& handle);
  ncclResult_t connect(ncclComm& handle, const std::set<Side>& sides);
  ncclResult_t launch(ncclComm& handle, const Call& call, cudaStream_t stream);
  ncclResult_t await_graphs(ncclComm& handle, const std::string& who);
  ncclResult_t open_window(ncclComm& handle, const Window& window);
  void check_windows(const Group& group, const std::map<int, Call>& calls);
  bool wait(std::unique_lock<std::mutex>& lock, const std::string& what,
            const std::function<bool()>& over);
  std::uint64_t arrive(Group& group, int member, const Call& call);
  bool is_over(const Group& group, int member, std::uint64_t which) const;
  static void move(std::vector<Call>& calls);
  static void exchange(std::vector<Call>& calls);
  static void reduce(const std::vector<Call>& calls);
  static void combine_all(const std::vector<Call>& calls);

  const std::chrono::milliseconds patience_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  int ids_ = 0, moves_ = 0, registered_ = 0, windows_ = 0, sums_in_windows_ = 0;
  std::vector<std::string> stuck_;
  std::map<int, std::unique_ptr<Group>> groups_;  // by id
  std::vector<std::unique_ptr<ncclComm>> handles_;
  std::vector<std::unique_ptr<OfRank>> ranks_;
};

}  // namespace quintet::engine::test
