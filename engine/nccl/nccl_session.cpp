#include "engine/nccl/nccl_session.h"

#include "engine/nccl/nccl_backend.h"
#include "engine/nccl/nccl_functions.h"
#include "engine/nccl/nccl_library.h"

namespace quintet::engine {

struct NcclSession::Parts {
  explicit Parts(NcclLibrary loaded) : library(std::move(loaded)) {}

  NcclLibrary library;
  std::unique_ptr<NcclCommunicator> nccl;
  std::optional<NcclBackend> backend;
};

NcclSession::NcclSession(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
NcclSession::~NcclSession() = default;

Result<std::unique_ptr<NcclSession>> NcclSession::open(const Program& program, const Ccl& ccl,
                                                       Peers& peers, kernels::Device& device,
                                                       const Options& options) {
  Result<NcclLibrary> library = NcclLibrary::open(nccl_places(process_environment()));
  if (!library) return library.error();
  auto parts = std::make_unique<Parts>(std::move(*library));
  NcclOptions opening;
  opening.patience.within = options.within;
  opening.rules_file = options.rules_file;
  auto nccl =
      NcclCommunicator::make(parts->library.functions(), program, ccl, peers, device, opening);
  if (!nccl) return nccl.error();
  parts->nccl = std::move(*nccl);
  parts->backend.emplace(*parts->nccl);
  return std::unique_ptr<NcclSession>(new NcclSession(std::move(parts)));
}

CommunicationBackend& NcclSession::backend() {
  return *parts_->backend;
}

std::string NcclSession::library() const {
  const int version = parts_->library.version();
  return "NCCL " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
         "." + std::to_string(version % 100) + " of " + parts_->library.place();
}

std::optional<Error> NcclSession::close() {
  return parts_->nccl->close();
}

}  // namespace quintet::engine
