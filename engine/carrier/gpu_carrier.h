// What carries a GPU rank's data to ranks of other processes: NCCL, the host, or one of them the
// collectives and the other the messages.
#pragma once

#include <memory>
#include <string>

#include "engine/communicator/delegate/delegated_communicator.h"
#include "engine/communicator/delegate/split_communicator.h"
#include "engine/communicator/network_communicator.h"
#include "engine/nccl/nccl_carrier.h"
#include "engine/plan_limits/unobeyed.h"

namespace quintet::engine {

struct GpuCarrierOptions {
  Carriage carriage;  // by nccl and delegates
  NetworkCommunicatorOptions network;
  std::string rules_file;  // of NCCL's tuner plugin (nccl_carrier.h)
};

class GpuCarrier {
 public:
  // All ranks together, in the thread that opened the device. Transport, peers and device must
  // outlive it.
  static Result<std::unique_ptr<GpuCarrier>> open(const Program& program, const Ccl& ccl,
                                                  Transport& transport, Peers& peers,
                                                  kernels::Device& device,
                                                  const GpuCarrierOptions& options);

  Communicator& communicator();
  std::string nccl_library() const;  // empty: not in use
  // When all streams are done; all ranks together.
  std::optional<Error> close();

 private:
  GpuCarrier() = default;

  std::unique_ptr<NetworkCommunicator> network_;
  std::unique_ptr<DelegatedCommunicator> delegates_;
  std::unique_ptr<NcclCarrier> nccl_;
  std::unique_ptr<SplitCommunicator> split_;
};

}  // namespace quintet::engine
