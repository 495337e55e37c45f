// What carries a GPU rank's data to ranks of other processes: NCCL, the host, or one of them the
// collectives and the other the messages.
#pragma once

#include <memory>
#include <string>

#include "engine/communication/delegate/delegated_backend.h"
#include "engine/communication/delegate/split_backend.h"
#include "engine/communication/network_backend.h"
#include "engine/nccl/nccl_session.h"
#include "engine/plan_limits/plan_deviations.h"

namespace quintet::engine {

struct GpuBackendOptions {
  BackendKinds backends;  // by nccl and delegates
  NetworkBackendOptions network;
  std::string rules_file;  // of NCCL's tuner plugin (nccl_session.h)
};

class GpuBackends {
 public:
  // All ranks together, in the thread that opened the device. Transport, peers and device must
  // outlive it.
  static Result<std::unique_ptr<GpuBackends>> open(const Program& program, const Ccl& ccl,
                                                   Transport& transport, Peers& peers,
                                                   kernels::Device& device,
                                                   const GpuBackendOptions& options);

  CommunicationBackend& backend();
  std::string nccl_library() const;  // empty: not in use
  // When all streams are done; all ranks together.
  std::optional<Error> close();

 private:
  GpuBackends() = default;

  std::unique_ptr<NetworkBackend> network_;
  std::unique_ptr<DelegatedBackend> delegates_;
  std::unique_ptr<NcclSession> nccl_;
  std::unique_ptr<SplitBackend> split_;
};

}  // namespace quintet::engine
