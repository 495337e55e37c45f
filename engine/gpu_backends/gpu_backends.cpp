#include "engine/gpu_backends/gpu_backends.h"

#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

bool uses(const BackendKinds& backends, BackendKind kind) {
  return backends.collectives == kind || backends.messages == kind;
}

}  // namespace

// A rank alone needs no NCCL.
Result<std::unique_ptr<GpuBackends>> GpuBackends::open(const Program& program, const Ccl& ccl,
                                                       Transport& transport, Peers& peers,
                                                       kernels::Device& device,
                                                       const GpuBackendOptions& options) {
  std::unique_ptr<GpuBackends> made(new GpuBackends);
  BackendKinds backends = options.backends;
  if (transport.world() == 1) backends = {BackendKind::delegates, BackendKind::delegates};
  if (uses(backends, BackendKind::delegates)) {
    auto network = NetworkBackend::make(program, ccl, transport, options.network);
    if (!network) return network.error();
    made->network_ = std::move(*network);
    made->delegates_ =
        std::make_unique<DelegatedBackend>(program, transport.rank(), device, *made->network_,
                                           DelegateOptions{.within = options.network.within});
  }
  if (uses(backends, BackendKind::nccl)) {
    auto nccl = NcclSession::open(program, ccl, peers, device,
                                  {options.network.within, options.rules_file});
    if (!nccl) return nccl.error();
    made->nccl_ = std::move(*nccl);
  }
  if (backends.collectives == backends.messages) return made;
  const auto by = [&](BackendKind kind) -> CommunicationBackend& {
    return kind == BackendKind::nccl ? made->nccl_->backend() : *made->delegates_;
  };
  made->split_ = std::make_unique<SplitBackend>(by(backends.collectives), by(backends.messages));
  return made;
}

CommunicationBackend& GpuBackends::backend() {
  if (split_) return *split_;
  if (nccl_) return nccl_->backend();
  return *delegates_;
}

std::string GpuBackends::nccl_library() const {
  return nccl_ ? nccl_->library() : "";
}

std::optional<Error> GpuBackends::close() {
  return nccl_ ? nccl_->close() : std::nullopt;
}

}  // namespace quintet::engine
