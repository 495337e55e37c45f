// NcclCarrier where the build found no NCCL.
#include "engine/nccl/nccl_carrier.h"

#include <cstdlib>

namespace quintet::engine {

struct NcclCarrier::Parts {};

NcclCarrier::NcclCarrier(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
NcclCarrier::~NcclCarrier() = default;

Result<std::unique_ptr<NcclCarrier>> NcclCarrier::open(const Program&, const Ccl&, Peers&,
                                                       const Options&) {
  return Error{"NCCL", "this build has none: CMake found no nccl.h and cuda_runtime.h"};
}

// There is never an object to ask.
Communicator& NcclCarrier::communicator() {
  std::abort();
}
std::string NcclCarrier::library() const {
  std::abort();
}
std::optional<Error> NcclCarrier::close() {
  std::abort();
}

}  // namespace quintet::engine
