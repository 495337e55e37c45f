// One NCCL communicator of any of a job's ranks, with every collective and messages, for who
// measures them: what a program's communicators do with NCCL is in nccl_communicator.h.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/nccl/nccl_watch.h"
#include "engine/nccl/tuner_rules.h"
#include "engine/network/collectives/collective_call.h"
#include "engine/peers/peers.h"
#include "kernels/types.h"
#include "sim/base/result.h"
#include "sim/plan/ccl.h"

namespace quintet::engine {

// The job's; all of it must outlive what is opened with it.
struct NcclJob {
  const NcclFunctions& nccl;
  Peers& peers;
  NcclPatience patience{};
  // What the tuner plugin reads (QUINTET_NCCL_RULES), of this process alone. Empty: no plugin.
  std::filesystem::path rules_file{};
};

// Used by the thread that opened the GPU. Work is on the stream when a call returns; errors are for
// good, and name the rank that is to blame where the job knows it.
class NcclGroup {
 public:
  // Members together, this rank among them; they open and close what they share in one order.
  // `rules.communicator`, one word, is its name.
  static Result<std::unique_ptr<NcclGroup>> open(const NcclJob& job,
                                                 const std::vector<Rank>& members,
                                                 const TunerRules& rules);
  ~NcclGroup() = default;  // aborts it where it was not closed
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  int size() const { return size_; }
  int position() const { return position_; }  // of this rank

  // Only the kind, the buffers and the root of a call count: elements are fp32, and reductions
  // sums.
  std::optional<Error> start(const CollectiveCall& collective, const kernels::Stream& stream);
  // Peers by position.
  std::optional<Error> send(int to, std::span<const std::byte> message,
                            const kernels::Stream& stream);
  std::optional<Error> receive(int from, std::span<std::byte> message,
                               const kernels::Stream& stream);
  // What has gone wrong since; to be asked while waiting for the GPU.
  std::optional<Error> look();
  // Members together, when the streams are done.
  std::optional<Error> close();

  // In one go, so that none waits for another's kernels; streams come to an end.
  static void abort(std::span<const std::unique_ptr<NcclGroup>> groups);

 private:
  NcclGroup(const NcclJob& job, std::string name, int size, int position);

  std::optional<NcclTrouble> opened(const std::vector<Rank>& members, const TunerRules& rules);
  std::optional<NcclTrouble> exchange(const CollectiveCall& collective, void* stream);
  std::optional<NcclTrouble> queue(const CollectiveCall& collective, void* stream);
  std::optional<NcclTrouble> asked(const std::string& call,
                                   const std::function<ncclResult_t()>& ask);
  std::optional<Error> verdict(const std::optional<NcclTrouble>& trouble);
  std::string where() const { return "NCCL communicator \"" + name_ + "\""; }

  const NcclJob job_;
  const std::string name_;  // NCCL keeps a pointer to it
  int size_, position_;
  ncclComm_t handle_ = nullptr;
  NcclWatch watch_;
};

}  // namespace quintet::engine
