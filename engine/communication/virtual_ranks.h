// Ranks that are threads of one process and share one device: collectives and messages are kernels
// and copies in its memory, ordered by events alone, so that plans wider than the machine are
// computed with the GPU's own kernels. Sums have LocalWorld's order of additions and its bits.
//
// A ticket is over when all members have come and the work is queued: the member's stream waits for
// it from then on. Its times are the host's, of that moment; how long the device took is for who
// records events on the stream. They say nothing of a network: there is none.
//
// Never waits in a circle, on however few queues the device runs its streams: everything that is
// queued waits only for what was queued before it.
#pragma once

#include <memory>
#include <vector>

#include "engine/communication/communication_backend.h"
#include "kernels/device.h"
#include "sim/program/program.h"

namespace quintet::engine {

class VirtualRanks {
 public:
  // The device must outlive it. Each rank's thread has opened that same GPU (open_gpu): CUDA's
  // calls go to the GPU that their thread last opened. An error where a group has more members than
  // one kernel can add up.
  static Result<std::unique_ptr<VirtualRanks>> make(const Program& program,
                                                    kernels::Device& device);
  ~VirtualRanks();
  VirtualRanks(const VirtualRanks&) = delete;
  VirtualRanks& operator=(const VirtualRanks&) = delete;

  CommunicationBackend& rank(Rank rank);

 private:
  class Shared;
  class Member;
  VirtualRanks(const Program& program, kernels::Device& device);

  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<Member>> ranks_;
};

}  // namespace quintet::engine
