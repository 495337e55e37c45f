// One rank's NCCL communicators: one for each communicator of the program that it is a member of
// and each lane that this is used on, and one of two ranks for each route of its messages. What is
// asked of them queues up on streams of the GPU; that it is over is seen by an event of the stream,
// that it will never be by poll().
//
// NCCL runs what is asked of one communicator in the order of the calls, whatever the streams: all
// its members have to ask for the same in one order (on the host; ranks that walk their scripts in
// order do). Ranks that share several communicators have to begin work on them in one order too,
// or leave the GPU room for all that is under way at once.
//
// Failures: NCCL cannot say why a peer is gone. Whoever sees its own GPU or NCCL fail says so to
// the job; a rank that only sees a connection break first waits for the job to name the rank.
// Either way all communicators are aborted, so that no stream waits for ever, and poll() gives the
// cause.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "engine/nccl/message_routes.h"
#include "engine/nccl/nccl_plan.h"
#include "engine/peers/peers.h"
#include "kernels/types.h"
#include "sim/plan/ccl.h"
#include "sim/program/program.h"

struct ncclComm;

namespace quintet::engine {

struct NcclFunctions;
struct NcclTrouble;

struct NcclOptions {
  // How long the ranks may take to open one communicator, a first call to connect, and the end.
  std::chrono::milliseconds within{60000};
  // How long the job may take to name a rank before this one names itself.
  std::chrono::milliseconds verdict_within{3000};
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
                                                        Peers& peers, const NcclOptions& options);
  ~NcclCommunicator();  // aborts what was not closed
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

  // To be asked while waiting for the GPU, every few milliseconds; does not wait. An error is for
  // good: all communicators are aborted by then, streams come to an end with undefined contents.
  std::optional<Error> poll(Clock::time_point now = Clock::now());

  // Ends the job on every rank.
  void abort(const Error& cause);

  // When all streams are done: takes leave of the other ranks, who do the same.
  std::optional<Error> close();

 private:
  struct Open {
    std::string where() const { return "NCCL communicator \"" + name + "\""; }

    std::string name;  // NCCL keeps a pointer to it
    ncclComm* handle = nullptr;
    int members = 0, position = 0;
    std::optional<std::uint64_t> last_use{};
  };
  struct Suspicion {
    Error error;
    Clock::time_point since;
  };

  NcclCommunicator(const NcclFunctions& nccl, Peers& peers, const NcclOptions& options);

  std::optional<NcclTrouble> open_all(const Program& program, const Ccl& ccl);
  std::optional<NcclTrouble> open(Open& opened, const std::vector<Rank>& members,
                                  const ChannelLimits& limits);
  std::optional<NcclTrouble> settled(const Open& opened, const std::string& call, int result);
  std::optional<NcclTrouble> write_rules(const TunerRules& rules) const;
  std::optional<NcclTrouble> started(Open& opened, const CollectiveCall& work, void* stream);
  Open* route(const MessageRoute& route);
  void note(const std::optional<NcclTrouble>& trouble, Clock::time_point now);
  void end_job(const Error& own);
  void fail(const Error& error);
  void abort_all();

  const NcclFunctions& nccl_;
  Peers& peers_;
  NcclOptions options_;
  std::deque<Open> open_;  // in the order of opening
  std::map<std::pair<CommunicatorId, LaneId>, Open*> collectives_;
  std::map<MessageRoute, Open*> routes_;  // this rank's
  std::optional<Suspicion> suspicion_;
  std::optional<Error> failure_;
};

}  // namespace quintet::engine
