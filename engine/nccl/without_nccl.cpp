// NcclSession where the build found no NCCL.
#include "engine/nccl/nccl_session.h"

#include <cstdlib>

namespace quintet::engine {

struct NcclSession::Parts {};

NcclSession::NcclSession(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
NcclSession::~NcclSession() = default;

Result<std::unique_ptr<NcclSession>> NcclSession::open(const Program&, const Ccl&, Peers&,
                                                       kernels::Device&, const Options&) {
  return Error{"NCCL", "this build has none: CMake found no nccl.h and cuda_runtime.h"};
}

// There is never an object to ask.
CommunicationBackend& NcclSession::backend() {
  std::abort();
}
std::string NcclSession::library() const {
  std::abort();
}
std::optional<Error> NcclSession::close() {
  std::abort();
}

}  // namespace quintet::engine
