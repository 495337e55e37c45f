#include "engine/carrier/gpu_carrier.h"

#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

bool uses(const Carriage& carriage, Carrier carrier) {
  return carriage.collectives == carrier || carriage.messages == carrier;
}

}  // namespace

// A rank alone needs no NCCL.
Result<std::unique_ptr<GpuCarrier>> GpuCarrier::open(const Program& program, const Ccl& ccl,
                                                     Transport& transport, Peers& peers,
                                                     kernels::Device& device,
                                                     const GpuCarrierOptions& options) {
  std::unique_ptr<GpuCarrier> made(new GpuCarrier);
  Carriage carriage = options.carriage;
  if (transport.world() == 1) carriage = {Carrier::delegates, Carrier::delegates};
  if (uses(carriage, Carrier::delegates)) {
    auto network = NetworkCommunicator::make(program, ccl, transport, options.network);
    if (!network) return network.error();
    made->network_ = std::move(*network);
    made->delegates_ =
        std::make_unique<DelegatedCommunicator>(program, transport.rank(), device, *made->network_);
  }
  if (uses(carriage, Carrier::nccl)) {
    auto nccl =
        NcclCarrier::open(program, ccl, peers, {options.network.within, options.rules_file});
    if (!nccl) return nccl.error();
    made->nccl_ = std::move(*nccl);
  }
  if (carriage.collectives == carriage.messages) return made;
  const auto by = [&](Carrier carrier) -> Communicator& {
    return carrier == Carrier::nccl ? made->nccl_->communicator() : *made->delegates_;
  };
  made->split_ =
      std::make_unique<SplitCommunicator>(by(carriage.collectives), by(carriage.messages));
  return made;
}

Communicator& GpuCarrier::communicator() {
  if (split_) return *split_;
  if (nccl_) return nccl_->communicator();
  return *delegates_;
}

std::string GpuCarrier::nccl_library() const {
  return nccl_ ? nccl_->library() : "";
}

std::optional<Error> GpuCarrier::close() {
  return nccl_ ? nccl_->close() : std::nullopt;
}

}  // namespace quintet::engine
