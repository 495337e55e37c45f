#include "engine/nccl/nccl_carrier.h"

#include "engine/nccl/nccl_as_communicator.h"
#include "engine/nccl/nccl_functions.h"
#include "engine/nccl/nccl_library.h"

namespace quintet::engine {

struct NcclCarrier::Parts {
  explicit Parts(NcclLibrary loaded) : library(std::move(loaded)) {}

  NcclLibrary library;
  std::unique_ptr<NcclCommunicator> nccl;
  std::optional<NcclAsCommunicator> communicator;
};

NcclCarrier::NcclCarrier(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
NcclCarrier::~NcclCarrier() = default;

Result<std::unique_ptr<NcclCarrier>> NcclCarrier::open(const Program& program, const Ccl& ccl,
                                                       Peers& peers, const Options& options) {
  Result<NcclLibrary> library = NcclLibrary::open(nccl_places(process_environment()));
  if (!library) return library.error();
  auto parts = std::make_unique<Parts>(std::move(*library));
  NcclOptions opening;
  opening.within = options.within;
  opening.rules_file = options.rules_file;
  auto nccl = NcclCommunicator::make(parts->library.functions(), program, ccl, peers, opening);
  if (!nccl) return nccl.error();
  parts->nccl = std::move(*nccl);
  parts->communicator.emplace(*parts->nccl);
  return std::unique_ptr<NcclCarrier>(new NcclCarrier(std::move(parts)));
}

Communicator& NcclCarrier::communicator() {
  return *parts_->communicator;
}

std::string NcclCarrier::library() const {
  const int version = parts_->library.version();
  return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
         "." + std::to_string(version % 100) + " of " + parts_->library.place();
}

std::optional<Error> NcclCarrier::close() {
  return parts_->nccl->close();
}

}  // namespace quintet::engine
