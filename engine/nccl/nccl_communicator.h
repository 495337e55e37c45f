// One rank's NCCL communicators: one for each communicator of the program that it is a member of
// and each lane that this is used on, and one of two ranks for each route of its messages. What is
// asked of them queues up on streams of the GPU; that it is over is seen by an event of the stream,
// that it will never be by poll().
//
// Communicators block: NCCL then launches in the thread that asks, whose purposes a recorder notes
// (kernels/activity_recorder.h), and a watch ends what waits in vain (nccl_watch.h). A first use
// waits on the host until the other side comes to its own, in order; so all are used once when they
// are opened, by a small exchange, in the one order in which all ranks open them.
//
// NCCL runs what is asked of one communicator in the order of the calls, whatever the streams: all
// its members have to ask for the same in one order (on the host; ranks that walk their scripts in
// order do). Ranks that share several communicators have to begin work on them in one order too,
// or leave the GPU room for all that is under way at once.
//
// After a failure all communicators are told to end, so that no stream waits for ever, and poll()
// gives the cause.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "engine/nccl/message_routes.h"
#include "engine/nccl/nccl_plan.h"
#include "engine/nccl/nccl_watch.h"
#include "engine/peers/peers.h"
#include "kernels/device.h"
#include "sim/plan/ccl.h"
#include "sim/program/program.h"

namespace quintet::engine {

struct NcclOptions {
  NcclPatience patience;
  // What the tuner plugin reads (QUINTET_NCCL_RULES); a file of this process alone. Empty: the
  // plan's rules are not enforced.
  std::filesystem::path rules_file;
};

// Used by one thread, the one that opened the GPU: NCCL takes the current GPU of the thread that
// makes it.
class NcclCommunicator {
 public:
  // Opens all communicators, in one order on all ranks; waits for the other ranks. All given by
  // reference must outlive it. An error has ended the job on every rank.
  static Result<std::unique_ptr<NcclCommunicator>> make(const NcclFunctions& nccl,
                                                        const Program& program, const Ccl& ccl,
                                                        Peers& peers, kernels::Device& device,
                                                        const NcclOptions& options);
  // Aborts what was not closed; graphs that keep its work are gone by then.
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  // These three return when the work is on the stream: what is recorded there afterwards comes
  // after it. Memory is the GPU's, and must stay until then. What cannot be started ends the job;
  // after a failure they do nothing: poll() says why.
  //
  // Collectives are all_reduce, reduce_scatter and all_gather; sums and maxima of fp32 and bf16.
  // `use` only has to grow from call to call.
  void start(const CollectiveCall& work, const kernels::Stream& stream);
  // Matches the other rank's receive in the order of calls with the same payload.
  void send(Rank to, Payload payload, std::span<const std::byte> message,
            const kernels::Stream& stream);
  void receive(Rank from, Payload payload, std::span<std::byte> message,
               const kernels::Stream& stream);

  // Memory of the GPU that NCCL maps for its peers and its network, and that every communicator
  // here knows: what lies there is moved without a copy where NCCL can (NVLink SHARP, peers'
  // memory, a network that reaches the GPU). Null where the library or the machine cannot.
  void* take_memory(std::size_t bytes);
  void give_back_memory(void* memory);
  // Likewise; where all members of a communicator bring as much of one layout, and sum it as it
  // lies, as symmetric memory of theirs (nccl_memory.cpp). All ranks together, each once, for
  // nothing by those that need none; waits for the others.
  void* take_shared_memory(std::size_t bytes, std::uint64_t layout);

  // To be asked while waiting for the GPU, every few milliseconds; does not wait. An error is for
  // good: all communicators have been told by then, streams come to an end with undefined contents.
  std::optional<Error> poll(Clock::time_point now = Clock::now()) { return watch_.look(now); }

  // Ends the job on every rank. NCCL waits for graphs that keep its work: they must be gone.
  void abort(const Error& cause);

  // When all streams are done: takes leave of the other ranks, who do the same.
  std::optional<Error> close();

 private:
  struct Open {
    std::string where() const { return "NCCL communicator \"" + name + "\""; }

    std::string name;  // NCCL keeps a pointer to it
    ncclComm_t handle = nullptr;
    int members = 0, position = 0;
    std::optional<std::uint64_t> last_use{};
    std::vector<Rank> ranks{};    // its members
    bool sums_gradients = false;  // of all of them, as they lie
  };
  // What a communicator knows memory as: one of the two.
  struct Enlisted {
    const Open* opened = nullptr;
    void* handle = nullptr;
    ncclWindow_t window = nullptr;
  };
  // What the first use of a communicator moves.
  class Trial;

  NcclCommunicator(const NcclFunctions& nccl, Peers& peers, kernels::Device& device,
                   const NcclOptions& options);

  std::optional<NcclTrouble> open_all(const Program& program, const Ccl& ccl, Trial& trial);
  std::optional<NcclTrouble> open(Open& opened, const std::vector<Rank>& members,
                                  const ChannelLimits& limits);
  std::optional<NcclTrouble> asked(const Open& opened, const std::string& call,
                                   const std::function<ncclResult_t()>& ask);
  std::optional<NcclTrouble> tried(Open& opened, const TunerRules& rules, Trial& trial);
  std::optional<NcclTrouble> tried(const Open& opened, const MessageRoute& route, Trial& trial);
  std::optional<NcclTrouble> arrived(const Open& opened, Trial& trial);
  std::optional<NcclTrouble> write_rules(const TunerRules& rules) const;
  std::optional<NcclTrouble> started(const Open& opened, const CollectiveCall& work, void* stream);
  Open* route(const MessageRoute& route);
  std::optional<Error> verdict();
  void* unlisted_memory(std::size_t bytes);
  void enlist(const Open& opened, void* memory, std::size_t bytes);
  std::optional<NcclTrouble> open_window(const Open& opened, void* memory, std::size_t bytes);
  std::optional<NcclTrouble> summed_once(Open& opened, Trial& trial, void* memory,
                                         std::size_t bytes);

  const NcclFunctions& nccl_;
  Peers& peers_;
  kernels::Device& device_;
  NcclOptions options_;
  std::deque<Open> open_;  // in the order of opening
  std::map<std::pair<CommunicatorId, LaneId>, Open*> collectives_;
  std::map<MessageRoute, Open*> routes_;             // this rank's
  std::map<void*, std::vector<Enlisted>> enlisted_;  // memory, and as what
  NcclWatch watch_;                                  // goes first
};

}  // namespace quintet::engine
