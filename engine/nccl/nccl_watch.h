// The thread that watches over a rank's NCCL communicators. Their calls wait for other ranks, and
// so do CUDA's behind them, so the rank's own thread may be where it hears of nothing: this one
// hears of failures for it, asks NCCL how it is, ends a call that takes too long, and aborts.
//
// An abort has two halves (ncclCommAbort in NVIDIA/nccl, src/init.cc, of 2.28): flags go up, by
// which calls and kernels under way end; and communicators are freed, which waits until no graph
// keeps work of theirs. In a group of NCCL's the first happens at the call and the second at the
// group's end, so that the rank's own thread comes out of NCCL, and destroys its graphs, in
// between.
//
// Failures: NCCL cannot say why a peer is gone. Whoever sees its own GPU or NCCL fail says so to
// the job; a rank that only sees a connection break first waits for the job to name the rank.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/nccl/nccl_check.h"
#include "engine/peers/peers.h"

namespace quintet::engine {

struct NcclPatience {
  // How long the ranks may take to open one communicator, a first call to connect, and the end.
  std::chrono::milliseconds within{60000};
  // How long the job may take to name a rank before this one names itself.
  std::chrono::milliseconds verdict_within{3000};
  // How often the watch looks.
  std::chrono::milliseconds look_every{10};
};

// What a rank asks NCCL for.
struct NcclCall {
  std::string where;  // for the error
  std::string name;
  ncclComm_t communicator = nullptr;
  int ranks = 1;  // of the communicator
};

class NcclWatch {
 public:
  // Both must outlive it. Peers::failure() and abort() are called by the watch too.
  NcclWatch(const NcclFunctions& nccl, Peers& peers, const NcclPatience& patience);
  ~NcclWatch();  // aborts what was not forgotten
  NcclWatch(const NcclWatch&) = delete;
  NcclWatch& operator=(const NcclWatch&) = delete;

  // By the rank's own thread: asks, which may wait, and says what went wrong.
  std::optional<NcclTrouble> call(const NcclCall& call, const std::function<ncclResult_t()>& ask);

  // Aborted with the others from here on; asked how it is once it is open.
  void add(ncclComm_t communicator, const std::string& where);
  void opened(ncclComm_t communicator);
  // It is at its end. False where it is being aborted: the watch ends it, nobody else may.
  bool forget(ncclComm_t communicator);

  // What has failed, for good: by the time of the answer nothing waits for it any more, neither in
  // a call nor on a stream. To be asked while waiting for the GPU; does not wait otherwise.
  std::optional<Error> look(Clock::time_point now = Clock::now());
  // Whether anything is wrong; nothing more may be asked of NCCL then.
  bool troubled() const;
  // What a call or a look found.
  void note(const std::optional<NcclTrouble>& trouble, Clock::time_point now = Clock::now());
  // Ends the job on every rank.
  void end_job(const Error& own);
  // The flags of all communicators go up.
  void flag();
  // Likewise, and they are freed: no graph keeps work of theirs.
  void abort();

 private:
  struct Watched {
    ncclComm_t communicator = nullptr;
    std::string where;
    bool open = false;
    bool told = false;  // to end
  };
  struct Suspicion {
    Error error;
    Clock::time_point since;
  };
  struct UnderWay {
    NcclCall call;
    Clock::time_point since;
  };
  using Lock = std::unique_lock<std::mutex>;

  void run();
  void look(Lock& lock, Clock::time_point now);
  std::optional<NcclTrouble> found() const;
  void note(Lock& lock, const std::optional<NcclTrouble>& trouble, Clock::time_point now);
  void end_job(Lock& lock, const Error& own);
  void stop(Lock& lock);

  const NcclFunctions& nccl_;
  Peers& peers_;
  const NcclPatience patience_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Watched> watched_;
  std::optional<UnderWay> under_way_;
  std::optional<Suspicion> suspicion_;
  bool ending_ = false;  // the job is being told
  std::optional<Error> failure_;
  bool stop_ = false, flagged_ = false;  // flags are to go up; are up
  bool free_ = false;                    // no graph keeps any work
  bool leave_ = false;
  std::thread thread_;
};

}  // namespace quintet::engine
